# Runs test files of the package, which is installed, one after the other until none is left.
# Several processes may share the files: each takes the next one that no other has taken, the
# largest files first, so that all end at about the same time. An error is not among the failures
# of its test, nor is it always inside one; a warning that no test expects is a failure as well.
#
#   Rscript tools/share-of-tests.R <folder of what is taken> <file of counts>
#
# The folder, which must be new, gets an empty folder for each file that is taken. Every file gets a
# line of output with its counts and its CPU seconds, and lines for what failed. The file of counts
# gets one line: passed, failed, skipped. The variable FILTER, a regular expression, chooses test
# files. PLAIN_LIBRARIES is set where the package of this process counts its lines
# (tools/coverage.sh): processes that a test starts then load the package from there, which takes a
# second and not ten.
library(testthat)
library(gpsieve)
plain <- Sys.getenv("PLAIN_LIBRARIES")
if (nzchar(plain)) {
  Sys.setenv(R_LIBS = plain, R_LIBS_USER = "", R_LIBS_SITE = "")
  .libPaths(strsplit(plain, ":")[[1]], include.site = FALSE)
}
given <- commandArgs(TRUE)
dir.create(given[1], showWarnings = FALSE)
folder <- "tests/testthat"
tests <- sub("^test-(.*)[.]R$", "\\1", list.files(folder, "^test-.*[.]R$"))
tests <- grep(Sys.getenv("FILTER"), tests, value = TRUE)
path_of <- function(test) file.path(folder, paste0("test-", test, ".R"))
tests <- tests[order(-file.size(path_of(tests)))]

# Only one process can make a folder.
take <- function(test) dir.create(file.path(given[1], test), showWarnings = FALSE)

# What the helpers define is there once, as with test_dir().
helpers <- new.env(parent = asNamespace("gpsieve"))
invisible(source_test_helpers(folder, helpers))

run <- function(test) {
  start <- proc.time()
  results <- test_file(path_of(test),
    package = "gpsieve", load_package = "installed", env = helpers, load_helpers = FALSE,
    reporter = SilentReporter, stop_on_failure = FALSE
  )
  table <- as.data.frame(results)
  if (!nrow(table)) return(c(0, 1, 0)) # the file could not be read, or has no test
  counts <- c(
    sum(table$passed), sum(table$failed) + sum(table$error) + sum(table$warning),
    sum(table$skipped)
  )
  cat(sprintf("%s: %d passed, %d failed, %d skipped, %.1f CPU seconds\n", test, counts[1],
    counts[2], counts[3], sum((proc.time() - start)[-3])))
  for (result in results) for (found in result$results) {
    if (!inherits(found, c("expectation_success", "expectation_skip"))) {
      cat(sprintf("--- %s: %s\n%s\n", test, result$test, format(found)))
    }
  }
  counts
}

counts <- c(0, 0, 0)
for (test in tests) if (take(test)) counts <- counts + run(test)
writeLines(paste(counts, collapse = " "), given[2])
