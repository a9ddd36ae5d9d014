#!/usr/bin/env bash
# Runs the test files whose names match a regular expression on the installed package, and ends in
# "N passed, N failed, N skipped". Exit status 1 if a test failed or none passed.
#
#   tools/test-some.sh '^ecosystem'
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export NOT_CRAN=true TZ=${TZ:-UTC} OMP_WAIT_POLICY=passive

# shellcheck disable=SC2016 # the dollar signs are R's
exec Rscript -e '
  library(testthat)
  results <- as.data.frame(test_dir("tests/testthat", filter = commandArgs(TRUE),
    package = "gpsieve", load_package = "installed", stop_on_failure = FALSE))
  failed <- sum(results$failed) + sum(results$error)
  cat(sprintf("%d passed, %d failed, %d skipped\n", sum(results$passed), failed,
    sum(results$skipped)))
  quit(status = as.integer(failed > 0 || sum(results$passed) == 0))
' "$1"
