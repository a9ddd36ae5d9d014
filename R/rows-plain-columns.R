# Columns in one form for each kind, in whatever class and type they are stored: that of training
# rows and of new rows alike, so that equal values give equal answers.

# A data frame whose columns are plain_column(), with native names
plain_columns <- function(data) {
  data <- with_native_names(data)
  odd <- which(vapply(data, function(column) {
    is.object(column) || !is.null(dim(column)) || has_bytes(column)
  }, NA))
  if (!length(odd)) return(data)
  # Column by column, `[[<-` would copy the list of all columns for each.
  class <- oldClass(data)
  data <- unclass(data)
  data[odd] <- lapply(data[odd], plain_column)
  structure(data, class = class)
}

# Data whose columns are named as the names of a formula are. In a locale other than UTF-8 R writes
# letters that the locale lacks as <U+00E4> in the names of a formula, but not in those of a data
# frame.
with_native_names <- function(data) {
  if (!is.null(names(data)) && !l10n_info()[["UTF-8"]]) names(data) <- enc2native(names(data))
  data
}

# A column in the form of its kind.
# * Dates, times and time differences are stored as doubles and have no class beside their own:
#   seq(by = ), data.table and Parquet store them as integers.
# * Numbers with a label, as haven, labelled and Hmisc make them, are the numbers.
# * A matrix of one column, as scale() returns it, and an array of one dimension are vectors.
# * Text that is marked as bytes is in UTF-8 if it can be.
# * 64-bit integers are doubles, and durations of package lubridate time differences in seconds.
#
# Everything else stays as it is.
plain_column <- function(column) {
  if (inherits(column, c("haven_labelled", "labelled"))) column <- without_labels(column)
  if (has_bytes(column)) return(known_text(column))
  if (has_bytes(levels(column))) levels(column) <- known_text(levels(column))
  if (inherits(column, "integer64")) return(doubles_of_integer64(column))
  if (inherits(column, "Duration")) return(.difftime(as.double(column), "secs"))
  if (inherits(column, "POSIXlt")) column <- as.POSIXct(column)
  if (is_single_column(column)) column <- without_dim(column)
  if (!is.numeric(unclass(column)) || !is.null(dim(column))) return(column)
  number <- function() as.double(unclass(column))
  if (inherits(column, "Date")) .Date(number())
  else if (inherits(column, "POSIXct")) .POSIXct(number(), attr(column, "tzone"))
  else if (inherits(column, "difftime")) .difftime(number(), attr(column, "units"))
  else column
}

# Is a value an array whose only extent is that of the rows?
is_single_column <- function(column) {
  is.atomic(column) && !inherits(column, "Surv") && length(dim(column)) %in% 1:2 &&
    NCOL(column) == 1L
}

without_dim <- function(column) {
  if (!is.object(column)) return(as.vector(column))
  kept <- attributes(column)[c("class", "levels", "tzone", "units")]
  kept$class <- setdiff(kept$class, c("matrix", "array", "table", "ts", "mts"))
  attributes(column) <- NULL
  attributes(column) <- if (length(kept$class)) Filter(Negate(is.null), kept)
  column
}

# The values of a labelled vector; those that its author declared to be missing are NA
without_labels <- function(column) {
  classes <- c("haven_labelled_spss", "haven_labelled", "labelled", "vctrs_vctr", "double",
    "integer", "numeric", "character", "logical")
  all <- attributes(column)
  kept <- all[c("dim", "levels", "tzone", "units")]
  kept$class <- setdiff(all$class, classes)
  values <- unclass(column)
  attributes(values) <- NULL
  missing <- values %in% all$na_values
  if (length(all$na_range) == 2L) {
    missing <- missing | (values >= all$na_range[1L] & values <= all$na_range[2L]) %in% TRUE
  }
  values[missing] <- NA
  attributes(values) <- kept[lengths(kept) > 0L]
  values
}

# The numbers of integer64, whose 64 bits are stored as those of a double; the smallest one is NA
doubles_of_integer64 <- function(column) {
  bits <- writeBin(as.vector(unclass(column)), raw(), endian = "little")
  halves <- matrix(readBin(bits, "integer", 2L * length(column), endian = "little"), 2L)
  low <- halves[1L, ] %% 2^32
  low[is.na(low)] <- 2^31 # what R takes for a missing integer
  high <- as.double(halves[2L, ])
  high[is.na(high) & low > 0] <- -2^31
  high * 2^32 + low
}

# The same vector, which nothing else refers to
unshared <- function(x) x[seq_along(x)]

# Text of which no encoding is known, such as that of a database, is marked as bytes.
has_bytes <- function(text) is.character(text) && any(Encoding(text) == "bytes")

# Such text in UTF-8, where all its bytes are UTF-8
known_text <- function(text) {
  bytes <- Encoding(text) == "bytes"
  check_encoding(text, bytes & !validUTF8(text))
  Encoding(text[bytes]) <- "UTF-8"
  text
}

# Stops if some text is in no encoding that is known
check_encoding <- function(text, odd) {
  if (!any(odd)) return(invisible())
  abort_gpsieve("Text must be in UTF-8 or in the encoding of the session.",
    "Found {.val {iconv(text[odd][1L], \"latin1\", \"UTF-8\", sub = \"byte\")}} in another one.",
    "{.code iconv(x, \"latin1\", \"UTF-8\")} makes UTF-8 of Latin-1.", class = "data")
}

# Text in the order of its code points, which no locale changes. Text that files and connections
# bring has no mark of its encoding: it is then in that of the session.
in_order_of_codes <- function(text) {
  check_encoding(text, Encoding(text) == "bytes" | !validEnc(text))
  sort(enc2utf8(text), method = "radix")
}
