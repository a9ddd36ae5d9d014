# Numbers as text. What people read follows options(OutDec), as all of R's printing does, but
# neither options(scipen) nor options(digits): 2.6 is 2.6 whatever the session is set to. What
# programs read, such as code and names of columns, has a point in any session.

# A number in so many significant digits, each of a vector by itself
number_text <- function(x, digits = typed_digits, mark = getOption("OutDec")) {
  # Each by itself, because format() gives all numbers of a vector the same number of decimals.
  vapply(x, function(v) {
    # As options(scipen = 0) would have it.
    format(signif(v, digits), digits = digits, scientific = 0L, decimal.mark = mark)
  }, "", USE.NAMES = FALSE)
}

# A number as text of code and of names, whose decimal mark is a point in every session
code_text <- function(x, digits = typed_digits) number_text(x, digits, ".")

# Text of sprintf() for people
with_decimal_mark <- function(text) {
  mark <- getOption("OutDec")
  if (mark == ".") text else sub("([0-9]?)[.]([0-9])", paste0("\\1", mark, "\\2"), text)
}

# A whole number with marks between its thousands, which are no decimal marks of this session
in_thousands <- function(n) {
  mark <- if (getOption("OutDec") == ",") "." else ","
  format(n, big.mark = mark, decimal.mark = if (mark == ",") "." else ",", scientific = FALSE,
    trim = TRUE)
}

# A number in units of the data: two significant digits, whole from 100 on
plain_number <- function(x) {
  if (!is.finite(x) || abs(x) >= 1e7) return(number_text(x, 2))
  if (abs(x) >= 100) return(in_thousands(round(x)))
  number_text(x, 2)
}

# A number and its standard error, "16 +- 2", to the first digit of the error and at least two
# digits of the number; the number alone where no error is known
with_error <- function(x, error) {
  known <- !is.null(error) && isTRUE(is.finite(error) && error > 0)
  if (!known || abs(x) >= 1e7) return(plain_number(x))
  first_digit <- function(v) -floor(log10(signif(v, 1)) + 1e-9)
  decimals <- max(first_digit(error), if (x != 0) first_digit(abs(x)) + 1)
  text <- function(v) {
    if (decimals > 0) with_decimal_mark(sprintf("%.*f", decimals, v))
    else in_thousands(round(v, decimals))
  }
  paste(text(x), "+-", text(error))
}

# Numbers of size one to two decimals, without the zero before the point
share <- function(x) with_decimal_mark(sub("^(-?)0\\.", "\\1.", sprintf("%.2f", x)))

percent <- function(x) {
  x <- 100 * x
  paste(if (x > 0 && x < 10) number_text(x, 2) else sprintf("%.0f", x), "%")
}

# Numbers to so many significant digits, aligned at the right
numbers_in_column <- function(x, digits) format(number_text(x, digits), justify = "right")

# Prints a data frame, as options(scipen = 0) would have it
print_table <- function(table, digits) {
  before <- options(scipen = 0)
  on.exit(options(before))
  print(table, digits = digits, row.names = FALSE)
}

# So many digits make a number again, but for its last bits.
exact_digits <- 15

# Digits of numbers that somebody typed.
typed_digits <- 7

format_numbers <- function(x, digits = typed_digits) {
  if (is.null(x)) return("NULL")
  text <- code_text(x, digits)
  if (!is.null(names(x))) text <- paste(format_names(names(x)), text, sep = " = ")
  as_vector_call(text)
}

# Names as they are typed: names that are not syntactic stand in backquotes.
format_names <- function(names) vapply(names, function(n) deparse(as.name(n), backtick = TRUE), "")

as_vector_call <- function(text) {
  if (length(text) == 1L) text else paste0("c(", paste(text, collapse = ", "), ")")
}
