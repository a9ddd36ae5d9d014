# Rows in which a value that the model needs is missing.
#
# As in lm(), `na.action` says what becomes of them, by default the option of that name: na.omit and
# na.exclude leave them out, with one message that counts them by their reasons; na.fail stops.
# "model" keeps rows in which only inputs are missing (rows-missing-inputs.R).

# The name of an `na.action`, one of those of package stats as a function or by name; NULL stands
# for R's option
check_na_action <- function(na_action) {
  known <- c("na.fail", "na.omit", "na.exclude")
  arg <- "na.action"
  asked <- !is.null(na_action)
  if (is.null(na_action)) {
    na_action <- getOption("na.action", "na.fail")
    arg <- "options(na.action = )"
  }
  if (is.function(na_action)) {
    same <- vapply(known, function(name) identical(na_action, get(name, asNamespace("stats"))), NA)
    if (any(same)) return(known[same])
  }
  check_choice(na_action, c(known, if (asked) "model"), arg)
}

# TRUE where a value is missing, for each row
is_missing <- function(value) {
  # A time may be known to lie above a number, whose other end is missing.
  if (inherits(value, "Surv") || is_pairs(value)) return(as.vector(is.na(value)))
  if (is_of_matrix_package(value) || is_sparse(value) || !is.null(dim(value))) {
    return(has_missing(value))
  }
  if (anyNA(value)) is.na(value) else logical(length(value))
}

# The values that are missing in columns, those of a list or of a matrix, dense or sparse: a list
# with TRUE or FALSE for each row and a name for each column that lacks a value
missing_in_columns <- function(columns) {
  if (!is.matrix(columns)) return(Filter(any, lapply(as.list(columns), is_missing)))
  lacking <- missing_cells(columns)
  found <- unique(lacking$column)
  names <- if (is_sparse(columns)) columns$columns else colnames(columns)
  names <- if (is.null(names)) paste0("V", found, recycle0 = TRUE) else names[found]
  stats::setNames(lapply(found, function(j) {
    replace(logical(nrow(columns)), lacking$row[lacking$column == j], TRUE)
  }), names)
}

missing_cells <- function(x) {
  if (is_sparse(x)) {
    at <- is.na(x$value)
    return(list(row = row_of_values(x)[at], column = x$column[at] + 1L))
  }
  if (!anyNA(x)) return(list(row = integer(), column = integer()))
  at <- which(is.na(x), arr.ind = TRUE)
  list(row = at[, 1L], column = at[, 2L])
}

# The columns whose missing values leave a variable of a formula without a value, and under its own
# name the values that it makes of columns that have theirs, as log(-1).
# A variable such as addNA(f) or is.na(x) has a value where its column has none. A variable that
# cannot be computed, such as poly(x, 2), lacks one where a column does.
missing_in_variable <- function(variable, data, env) {
  columns <- missing_in_columns(data[intersect(all.vars(variable), names(data))])
  if (is.symbol(variable)) return(columns)
  value <- on_error(suppressWarnings(computed(variable, data, env)), function(e) NULL)
  if (NROW(value) != nrow(data)) return(columns)
  lacking <- is_missing(value)
  made <- lacking & !Reduce(`|`, columns, logical(nrow(data)))
  made <- stats::setNames(list(made), expr_text(variable))
  Filter(any, c(lapply(columns, `&`, lacking), made))
}

# The values that are missing in several variables of a formula, by column of the data; a column
# that stands in more than one variable counts once
missing_in_variables <- function(variables, data, env) {
  found <- unlist(lapply(variables, missing_in_variable, data, env), recursive = FALSE)
  lapply(split(found, factor(names(found), unique(names(found)))), function(same) {
    Reduce(`|`, unname(same))
  })
}

# Are dates or times among columns missing? Rows without their time cannot be put in order.
lacks_times <- function(columns) {
  is.data.frame(columns) && any(vapply(columns, function(column) {
    inherits(column, c("Date", "POSIXt")) && anyNA(column)
  }, NA))
}

# The rows to leave out, as stats::na.omit() describes them; NULL if there are none.
# `absent` is what missing_in_columns() returns, and `response` has the names of the response's
# columns, which a message always shows. Tells the user how many rows are left out and why, or
# stops if `na_action` is "na.fail". "na.pass" is for callers that look after missing values
# themselves. `could_stay` says whether rows that lack nothing but inputs could be modelled.
rows_left_out <- function(absent, response, n, row_names, na_action, could_stay = FALSE) {
  if (!length(absent) || na_action == "na.pass") return(NULL)
  if (na_action == "na.fail") abort_missing(absent, response)
  asked <- na_action
  if (na_action == "model") na_action <- "na.omit" # of rows whose response or weight is missing
  rows <- which(Reduce(`|`, absent))
  reasons <- count_missing(absent, response)
  if (length(rows) == n) {
    abort_gpsieve("The data must have at least one row without missing values.",
      "Found none: missing {reasons}.", class = "data")
  }
  of_rows <- names(absent) %in% c(response, "weights", "offset", "noise_sd")
  inputs <- Reduce(`|`, absent) & !Reduce(`|`, absent[of_rows], logical(n))
  kept <- if (could_stay && any(inputs) && asked != "model") {
    "; {.code na.action = \"model\"} keeps more"
  }
  inform_gpsieve(paste0("{length(rows)} of {n} rows left out: missing {reasons}", kept),
    class = "missing")
  names(rows) <- if (is.null(row_names)) rows else row_names[rows]
  structure(rows, class = sub("na.", "", na_action, fixed = TRUE))
}

# Columns are named in a message as long as their names take no more characters than this.
reason_width <- 28L

# Names of columns with the number of values that each lacks, the most frequent first
count_missing <- function(absent, response) {
  counts <- sort(vapply(absent, sum, 0L), decreasing = TRUE)
  each <- paste0(names(counts), " (", counts, ")")
  fits <- cumsum(nchar(each) + 2L) <= reason_width
  shown <- fits | seq_along(each) == 1L | names(counts) %in% response
  more <- sum(!shown)
  paste0(toString(each[shown]), if (more) paste0(" and ", more, " more column", if (more > 1L) "s"))
}

abort_missing <- function(absent, response) {
  reasons <- count_missing(absent, response)
  first <- which(Reduce(`|`, absent))[1L]
  abort_gpsieve("The data must have no missing values.",
    "Missing {reasons}; row {first} is the first such row.",
    "{.code na.action = na.omit} leaves such rows out.", class = "data")
}

# One value for each row of the data after `na.exclude`, NA for those that were left out; after
# `na.omit` the rows that took part
for_data_rows <- function(fit, values) {
  if (is.list(values)) return(lapply(values, function(part) for_data_rows(fit, part)))
  stats::naresid(fit$cases$na_action, values)
}
