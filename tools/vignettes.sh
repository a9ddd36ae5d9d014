#!/usr/bin/env bash
# Builds the vignettes with the installed package and puts them into it, so that vignette("ivm")
# opens. R CMD build does the same for the tarball, but compiles the package once more.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
rm -rf build/vignettes
mkdir -p build/vignettes/man
cp -r DESCRIPTION vignettes build/vignettes/
cp -r man/figures build/vignettes/man/ # pictures that vignettes show

# Vignettes are evaluated in the global environment, where they may define any name.
# shellcheck disable=SC2016 # the dollar signs are R's
Rscript -e '
  local({
    source <- "build/vignettes"
    tools::buildVignettes(dir = source, tangle = TRUE, quiet = TRUE)
    built <- tools::pkgVignettes(dir = source, output = TRUE, source = TRUE)
    package <- system.file(package = "gpsieve")
    if (!nzchar(package)) stop("gpsieve is not installed: make install comes first")
    documents <- file.path(package, "doc")
    dir.create(documents, showWarnings = FALSE)
    files <- c(built$docs, built$outputs, unlist(built$sources))
    copied <- file.copy(files, documents, overwrite = TRUE)
    stopifnot(copied)
    saveRDS(tools:::.build_vignette_index(built), file.path(package, "Meta", "vignette.rds"))
    names <- tools::getVignetteInfo("gpsieve")[, "Topic"]
    cat("Vignettes in", package, "-", toString(names), "\n")
  })
'
