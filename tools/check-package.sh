#!/usr/bin/env bash
# R CMD check --as-cran of the tarball, as CRAN runs it: help pages, examples, the tests of CRAN's set
# and the vignettes, which are built once. The package is not compiled again: the installed one is
# checked. No server on the internet is asked. Errors and warnings fail; the log is
# build/check-package/check.log.
#
#   tools/check-package.sh [library that holds the installed package [flags of R CMD check]]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that called
library=${1:-$(Rscript -e 'cat(dirname(find.package("gpsieve")))')}
export R_LIBS="$library${R_LIBS:+:$R_LIBS}"
folder=$PWD/build/check-package
rm -rf "$folder"
mkdir -p "$folder"

copy_tree
if [[ " ${*:2} " != *" --ignore-vignettes "* ]]; then
  # The vignettes as `R CMD build` would make them, which would compile the package for that.
  tools/vignettes.sh >"$folder/vignettes.log" 2>&1 || {
    cat "$folder/vignettes.log"
    exit 1
  }
  mkdir -p "$copy/build" "$copy/inst"
  cp -r "$library/gpsieve/doc" "$copy/inst/doc"
  rm -f "$copy"/inst/doc/index.html
  cp "$library/gpsieve/Meta/vignette.rds" "$copy/build/vignette.rds"
fi

cd "$folder"
R CMD build --no-build-vignettes "$copy" >build.log 2>&1 || {
  cat build.log
  exit 1
}
# R CMD check reads in this log that the installation had no warnings.
echo '* DONE (gpsieve)' >install.log
skipped=(--no-vignettes) # they have just been built
if ! command -v pdflatex >/dev/null; then skipped+=(--no-manual); fi
env -u NOT_CRAN TZ="${TZ:-UTC}" _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_FORCE_SUGGESTS_=false \
  _R_CHECK_CRAN_INCOMING_REMOTE_=false \
  R CMD check --as-cran "${skipped[@]}" "${@:2}" --install=check:install.log \
  --library="$library" gpsieve_*.tar.gz >check.log 2>&1 || true
if ! grep -q '^Status:' check.log || grep -qE '^Status:.*(ERROR|WARNING)' check.log; then
  cat check.log
  exit 1
fi
grep -E '^Status:|\.\.\. NOTE|\.\.\. \[[0-9]+[ms]' check.log
