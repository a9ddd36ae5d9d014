#!/usr/bin/env bash
# Prints the version of the package and a checksum of the code of the core, which results files carry
# (store_results() in data-raw/units.R) and tools/check-numbers.sh compares.
#
#   tools/core-version.sh            this tree
#   tools/core-version.sh COMMIT     the tree of a commit
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sums() { find src/core \( -name '*.h' -o -name '*.cpp' \) | sort | xargs sha256sum; }
if [ $# -gt 0 ]; then
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  git archive "$1" DESCRIPTION src/core | tar -xf - -C "$copy"
  cd "$copy"
fi
echo "$(sed -n 's/^Version: *//p' DESCRIPTION)-$(sums | sha256sum | cut -c1-12)"
