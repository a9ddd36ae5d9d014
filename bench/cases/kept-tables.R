# gpsieve() with nothing but the data, once, on tables that took no part in any choice of settings,
# beside published errors of tuned methods where these are known.

#' The tables, those of numbers first, each with its file in the collection, and what is published
#' as in published_tables; `first`: is the response the first attribute, in place of the last?
kept_tables <- local({
  of <- function(table, file, best = NA, method = "", xgboost = NA, catboost = NA,
                 first = FALSE) {
    data.frame(table, file, best, method, xgboost, catboost, first)
  }
  rbind(
    of("2dplanes", "regression/2dplanes.arff"),
    of("ailerons", "regression/ailerons.arff"),
    of("bank32nh", "regression/bank32nh.arff", 0.0778, "PTaRL", 0.0810, 0.0792),
    of("bank8FM", "regression/bank8FM.arff"),
    of("cpu_act", "regression/cpu.act.arff", 2.298, "LightGBM", 2.404, 2.365),
    of("cpu_small", "regression/cpu.small.arff"),
    of("delta_ailerons", "regression/delta.ailerons.arff"),
    of("delta_elevators", "regression/delta.elevators.arff"),
    of("fried", "regression/fried.arff"),
    of("mv", "regression/mv.arff", 0.0092, "", 0.119, 0.086),
    of("puma32H", "regression/puma32H.arff"),
    of("puma8NH", "regression/puma8NH.arff"),
    of("sensory", "regression/sensory.arff"),
    of("space_ga", "statlib/numeric/space_ga.arff", 0.0978, "", 0.114, 0.109, first = TRUE),
    of("stock", "regression/stock.arff", 0.679, "", 0.836, 0.797),
    of("authorship", "statlib/nominal/analcatdata_authorship.arff", 0.0059),
    of("kr-vs-kp", "classification/kr.vs.kp.arff", 0.0016),
    of("nursery", "classification/nursery.arff"),
    of("optdigits", "classification/optdigits.arff", 0.0087),
    of("pendigits", "classification/pendigits.arff", 0.0040),
    of("segment", "classification/segment.arff"),
    of("sick", "classification/sick.arff"),
    of("splice", "classification/splice.arff", 0.0369),
    of("waveform", "classification/waveform5000.arff", 0.1330)
  )
})

#' The rows of a kept table with the response `y`; NULL where it is not there. Columns that are the
#' same in all rows, and names, which differ in most rows, are left out.
read_kept_table <- function(table) {
  about <- kept_tables[kept_tables$table == table, ]
  path <- gpsieve_data(file.path("arff-datasets", about$file))
  if (is.null(path)) return(NULL)
  rows <- read_arff(path)
  response <- if (about$first) 1L else ncol(rows)
  says <- vapply(rows, function(column) {
    several <- length(unique(column))
    several > 1L && (is.numeric(column) || several < nrow(rows) / 2)
  }, NA)
  x <- rows[says & seq_along(rows) != response]
  cbind(stats::setNames(x, paste0("x", seq_along(x))), y = rows[[response]])
}

#' A table of attributes and relations (ARFF) as a data frame
read_arff <- function(path) {
  lines <- trimws(readLines(path, warn = FALSE))
  lines <- lines[nzchar(lines) & !startsWith(lines, "%")]
  start <- grep("^@data", lines, ignore.case = TRUE)
  nominal <- grepl("{", grep("^@attribute", lines[seq_len(start)], TRUE, value = TRUE),
    fixed = TRUE)
  # Values stand between commas or blanks; a comma may end the line.
  cells <- gsub("[ \t]*,[ \t]*|[ \t]+", ",", sub("[ \t,]*$", "", lines[-seq_len(start)]))
  rows <- utils::read.csv(text = cells, header = FALSE, na.strings = "?", quote = "'\"",
    colClasses = ifelse(nominal, "character", NA))
  rows[nominal] <- lapply(rows[nominal], factor)
  rows
}

kept_tables_case <- list(
  about = "gpsieve() as it comes, once, on tables that no choice of settings has seen",
  shows = paste(
    "Tables of the kind of the case tuned-tables, in the collection of ARFF files",
    "<https://github.com/renatopp/arff-datasets>, which is read from the folder `GPSIEVE_DATA`",
    "(arff-datasets/). They took no part in any choice of settings and were called once. Calls,",
    "errors and losses are those of tuned-tables, and so are published errors, where they are",
    "known; each table has one split. A call on splice was made once before: it took a linear",
    "function (error .0455, loss .155), because the score of the rich one, of hundreds of",
    "lengthscales, was corrected by half their number; the row is that of the build that mended",
    "this on another table. A first call on sick failed, because a part of the rows had fewer",
    "noises of gaps than all rows; its row is that of the build that mended this."
  ),
  calls = function(options, before, keep) {
    plain_calls(options, before, keep, kept_tables$table, 1L, read_kept_table)
  }
)
