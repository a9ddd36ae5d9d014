#!/usr/bin/env bash
# Builds the pkgdown site of the installed package into build/site.
#
# pkgdown looks up where the packages of examples have their pages: in the library that
# tools/test-ecosystem.sh filled, where there is one, else on CRAN. It needs no network besides.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
library=${ECOSYSTEM_LIBRARY:-$PWD/build/ecosystem}
export R_LIBS="${R_LIBS:+$R_LIBS:}$library"

Rscript -e '
  options(pkgdown.internet = FALSE)
  pkgdown::check_pkgdown(".")
  pkgdown::build_site(".", override = list(destination = "build/site"), preview = FALSE,
    new_process = FALSE, install = FALSE)
'
