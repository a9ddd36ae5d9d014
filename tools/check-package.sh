#!/usr/bin/env bash
# R CMD check of the built package without what takes long and is run elsewhere: no tests, no
# vignettes, no manual, and no second compilation, since the installed package is the one checked.
# Errors and warnings fail. A status line of warnings or errors ends the log in build/check-package.
#
#   tools/check-package.sh [library that holds the installed package]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
library=${1:-$(Rscript -e 'cat(dirname(find.package("gpsieve")))')}
folder=$PWD/build/check-package
mkdir -p "$folder"
cd "$folder"
rm -rf gpsieve_*.tar.gz gpsieve.Rcheck
R CMD build --no-build-vignettes ../.. >build.log 2>&1 || {
  cat build.log
  exit 1
}
# R CMD check reads in this log that the installation had no warnings.
echo '* DONE (gpsieve)' >install.log
export _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_FORCE_SUGGESTS_=false
R CMD check --no-tests --no-manual --ignore-vignettes --no-build-vignettes \
  --install=check:install.log --library="$library" gpsieve_*.tar.gz >check.log 2>&1 || true
if ! grep -q '^Status:' check.log || grep -qE '^Status:.*(ERROR|WARNING)' check.log; then
  cat check.log
  exit 1
fi
grep '^Status:' check.log
