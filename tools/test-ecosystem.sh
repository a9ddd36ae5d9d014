#!/usr/bin/env bash
# Installs the modelling frameworks that the package works with, and runs the tests of that.
#
# The packages are those of Config/Needs/ecosystem in DESCRIPTION. They come from CRAN, since Debian
# has none or too old versions of most, and go into a library of their own, build/ecosystem unless
# ECOSYSTEM_LIBRARY names another: the first time takes about half an hour on one core.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
library=${ECOSYSTEM_LIBRARY:-$PWD/build/ecosystem}
mkdir -p "$library"
export R_LIBS="$library${R_LIBS:+:$R_LIBS}"

# shellcheck disable=SC2016 # the dollar signs are R's
Rscript -e '
  library <- commandArgs(TRUE)[1]
  mirror <- Sys.getenv("CRAN_MIRROR", "https://cloud.r-project.org")
  entries <- trimws(strsplit(read.dcf("DESCRIPTION", "Config/Needs/ecosystem")[1], ",")[[1]])
  names <- sub("[[:space:]]*[(].*", "", entries)
  needed <- ifelse(grepl("[(]", entries), gsub(".*>=[[:space:]]*|[)].*", "", entries), "0")
  lacks <- function() {
    found <- lapply(names, function(name) tryCatch(packageVersion(name), error = function(e) NULL))
    names[mapply(function(have, need) is.null(have) || have < need, found, needed)]
  }
  if (length(lacks())) install.packages(lacks(), lib = library, repos = mirror, quiet = TRUE)
  if (length(lacks())) message("not to be had here, and not tested: ", toString(lacks()))
' "$library"

exec tools/test-some.sh '^ecosystem'
