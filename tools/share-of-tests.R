# Runs one share of the test files of the package, which is installed: every n-th file from the
# given one on. An error is not among the failures of its test, nor is it always inside one; a
# warning that no test expects is a failure as well.
#
#   Rscript tools/share-of-tests.R <share, from 0> <n> <file of counts>
#
# The file of counts gets one line: passed, failed, skipped. The variable FILTER, a regular
# expression, chooses test files. PLAIN_LIBRARIES is set where the package of this process counts
# its lines (tools/coverage.sh): processes that a test starts then load the package from there,
# which takes a second and not ten.
library(testthat)
library(gpsieve)
plain <- Sys.getenv("PLAIN_LIBRARIES")
if (nzchar(plain)) {
  Sys.setenv(R_LIBS = plain, R_LIBS_USER = "", R_LIBS_SITE = "")
  .libPaths(strsplit(plain, ":")[[1]], include.site = FALSE)
}
given <- commandArgs(TRUE)
share <- as.integer(given[1])
tests <- sub("^test-(.*)[.]R$", "\\1", list.files("tests/testthat", "^test-.*[.]R$"))
tests <- grep(Sys.getenv("FILTER"), tests, value = TRUE)
mine <- tests[seq_along(tests) %% as.integer(given[2]) == share]
counts <- c(0, 0, 0)
if (length(mine)) {
  results <- test_dir("tests/testthat",
    package = "gpsieve", load_package = "installed", stop_on_failure = FALSE,
    filter = paste0("^(", paste(mine, collapse = "|"), ")$"),
    reporter = SummaryReporter$new(show_praise = FALSE)
  )
  table <- as.data.frame(results)
  counts <- c(
    sum(table$passed), sum(table$failed) + sum(table$error) + sum(table$warning),
    sum(table$skipped)
  )
}
if (sum(counts) == 0) counts[2] <- 1
writeLines(paste(counts, collapse = " "), given[3])
