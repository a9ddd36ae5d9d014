# CSV files by base R, in blocks of lines that are read as read.csv() reads a whole file.

# The types that read.csv() tells from the text of a column; others are those that the user gives.
csv_types <- c("logical", "integer", "numeric", "double", "character")

# Blocks of a CSV file with a header: list(next_block(), close(), types()).
# `types` are those that are known beforehand. The first block with values in a column adds the
# column's type, which holds for the rest of the file and, by `types()`, for the next files.
csv_reader <- function(path, block_rows, types) {
  check_no_zero_bytes(path)
  header <- csv_header(read_lines(path, 1L), path)
  known <- stats::setNames(as.character(types)[match(header, names(types))], header)
  connection <- file(path, "r")
  read_lines(connection, 1L)
  row_names <- NULL # is there a column more, without a name?
  direct <- TRUE
  read <- function(lines, classes) {
    utils::read.csv(text = lines, header = FALSE, check.names = FALSE,
      col.names = c(if (row_names) "row.names", header),
      colClasses = c(if (row_names) "NULL", unname(classes)))
  }
  next_block <- function() {
    lines <- read_lines(connection, block_rows)
    if (!length(lines)) return(NULL)
    if (is.null(row_names)) row_names <<- count_fields(lines[1L]) == length(header) + 1L
    # Numbers are read as such as long as none is in quotes.
    data <- if (direct && !anyNA(known)) on_error(read(lines, known), function(e) NULL)
    if (is.null(data)) {
      direct <<- direct && anyNA(known)
      as_text <- is.na(known) | known %in% csv_types
      data <- read(lines, replace(known, as_text, "character"))
      data[as_text] <- Map(converted_text, data[as_text], known[as_text], header[as_text])
    }
    if (nrow(data) != sum(nzchar(lines))) {
      stop("a field of ", basename(path), " holds a line break, or a line has too many fields",
        call. = FALSE)
    }
    found <- vapply(data, typeof, "")
    found[vapply(data, all_missing, NA)] <- NA
    # A column whose first block has whole numbers may have fractions in later blocks.
    found[found %in% "integer"] <- "double"
    known[is.na(known)] <<- found[is.na(known)]
    data
  }
  list(next_block = next_block, close = function() close(connection),
    types = function() c(known, types[setdiff(names(types), header)]))
}

# Text of encodings with two or four bytes for a letter has bytes that are 0, and no other text has.
check_no_zero_bytes <- function(path) {
  connection <- gzfile(path, "rb")
  on.exit(close(connection))
  if (!any(readBin(connection, "raw", 1000L) == 0)) return(invisible())
  rlang::abort(paste(
    "the text is in UTF-16 or another encoding with bytes that are 0;",
    "rows_from_function() reads what read.csv(fileEncoding = \"UTF-16\") returns"
  ), row = 1L)
}

# The next lines of a file. What is valid UTF-8 is UTF-8, whatever the session's locale says; other
# bytes are in the encoding of the locale.
read_lines <- function(connection, n) {
  lines <- readLines(connection, n)
  utf8 <- validUTF8(lines)
  Encoding(lines[utf8]) <- "UTF-8"
  lines[!utf8] <- iconv(lines[!utf8], "", "UTF-8")
  if (!anyNA(lines)) return(lines)
  rlang::abort(paste(
    "the text is not in UTF-8, it may be in Latin-1 or in an encoding of Windows;",
    "iconv(lines, \"latin1\", \"UTF-8\") converts lines of Latin-1, and rows_from_function() reads",
    "what read.csv(fileEncoding = \"latin1\") returns"
  ), row = which(is.na(lines))[1L])
}

# The names of the columns from the first line of a file; a column without one is X, as read.csv()
# calls it
csv_header <- function(line, path) {
  line <- sub("^\ufeff", "", line)
  header <- names(utils::read.csv(text = line, check.names = FALSE))
  outside <- gsub('"[^"]*"', "", line)
  if (length(header) <= 1L && grepl("[;\t]", outside)) {
    stop("the fields of ", basename(path), " are separated by ",
      if (grepl(";", outside, fixed = TRUE)) "semicolons, as write.csv2() does" else "tabs",
      "; write them with commas, as write.csv() does, or read them by rows_from_function()",
      call. = FALSE)
  }
  header[header == ""] <- "X"
  make.unique(header)
}

count_fields <- function(line) {
  length(scan(text = line, what = "", sep = ",", quote = "\"", quiet = TRUE))
}

# The text of a column in its type, NA for one that is not known yet
converted_text <- function(text, type, name) {
  if (type %in% "character") return(text)
  value <- utils::type.convert(text, as.is = TRUE)
  if (is.na(type) || all(is.na(value))) return(value)
  if (type == "logical") {
    if (is.logical(value)) return(value)
    odd <- !text %in% c("T", "F", "TRUE", "FALSE", "true", "false", "True", "False")
  } else {
    if (is.numeric(value)) return(as.double(value))
    odd <- is.na(suppressWarnings(as.double(text)))
  }
  row <- which(odd & !is.na(text) & nzchar(trimws(text)))[1L]
  kind <- if (type == "logical") "TRUE or FALSE" else "numbers"
  rlang::abort(sprintf(
    paste("column \"%s\" holds %s in the rows before, or by `types`, and \"%s\" here;",
      "types = c(%s = \"character\") reads it as text"),
    name, kind, text[row], format_names(name)
  ), row = row)
}
