# Time and memory of ivm(leaf_rows = ) against the number of rows, read from SQLite or held in
# memory, on the rows of data-raw/scale-rows.R. The vignette "scale" shows them.
#
#   Rscript data-raw/scale-partition.R FOLDER             every fit; FOLDER keeps the rows
#   Rscript data-raw/scale-partition.R FOLDER N SOURCE    one fit, in this process
#
# The kernel is given, so that fits from a source and from memory have the same bits.

script <- file.path("data-raw", "scale-rows.R")
arguments <- commandArgs(TRUE)
# The rows are those of the other script, of which only the functions are needed.
for (expression in head(parse(script), -2L)) eval(expression)
file_of_results <- file.path("vignettes", "results", "scale-partition.csv")

settings <- list(n_active = 100, leaf_rows = 8000)

fit_leaves <- function(data) {
  gpsieve::ivm(y ~ ., data,
    kernel = gpsieve::kernel_rbf(2, 2), n_active = settings$n_active,
    leaf_rows = settings$leaf_rows, refine = 1, optimise = FALSE, seed = 1, threads = 1,
    verbose = FALSE
  )
}

run_one <- function(folder, n, source) {
  path <- path_of(folder, n)
  data <- if (source == "sqlite") {
    gpsieve::rows_from_db(path, "SELECT * FROM rows ORDER BY rowid")
  } else {
    con <- DBI::dbConnect(RSQLite::SQLite(), path)
    on.exit(DBI::dbDisconnect(con))
    rows <- DBI::dbReadTable(con, "rows")
    rows$y <- factor(rows$y)
    rows
  }
  fitted <- measure(fit_leaves(data))
  test <- draw_rows(1e6, 1e4)
  probability <- stats::predict(fitted$value, test, type = "prob")
  row <- data.frame(
    n = n, source = source, leaves = length(fitted$value$partition$rows),
    n_active = settings$n_active, cpu = fitted$cpu, wall = fitted$wall, peak_mb = fitted$peak,
    base_mb = fitted$base, posterior = rlang::hash(fitted$value$posteriors),
    log_loss = -mean(log(probability[cbind(seq_along(test$y), match(test$y, c("a", "b")))]))
  )
  first <- !file.exists(file_of_results)
  utils::write.table(row, file_of_results,
    sep = ",", row.names = FALSE, col.names = first, append = !first
  )
}

run_all <- function(folder) {
  unlink(file_of_results)
  runs <- data.frame(n = c(1e5, 1e6, 1e5, 1e6, 1e7), source = rep(c("memory", "sqlite"), 2:3))
  for (i in order(runs$n)) {
    make_database(folder, runs$n[i])
    status <- system2(file.path(R.home("bin"), "Rscript"), c(
      "data-raw/scale-partition.R", shQuote(folder), format(runs$n[i], scientific = FALSE),
      runs$source[i]
    ))
    if (status != 0) stop("a fit failed", call. = FALSE)
  }
  found <- utils::read.csv(file_of_results)
  stopifnot(lengths(tapply(found$posterior, found$n, unique)) == 1L)
  store_checksum(basename(file_of_results))
}

if (length(arguments) == 3L) {
  run_one(arguments[1L], as.numeric(arguments[2L]), arguments[3L])
} else {
  dir.create(arguments[1L], showWarnings = FALSE, recursive = TRUE)
  run_all(arguments[1L])
}
