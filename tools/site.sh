#!/usr/bin/env bash
# Builds the pkgdown site of the installed package into build/site.
#
# It needs no network. Names of packages in examples are links to their pages where the package is
# installed, in the library that tools/test-ecosystem.sh filled too; of others no page is looked up.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
library=${ECOSYSTEM_LIBRARY:-$PWD/build/ecosystem}
export R_LIBS="${R_LIBS:+$R_LIBS:}$library"

Rscript -e '
  options(pkgdown.internet = FALSE)
  # downlit, which makes the links, asks CRAN for the pages of packages that are not installed, and
  # stops where there is no network.
  no_pages <- function() data.frame(Package = character(), URL = character())
  utils::assignInNamespace("CRAN_urls", no_pages, "downlit")
  pkgdown::check_pkgdown(".")
  pkgdown::build_site(".", override = list(destination = "build/site"), preview = FALSE,
    new_process = FALSE, install = FALSE)
'
