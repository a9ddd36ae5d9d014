#!/usr/bin/env bash
# The style of every file: lintr for R (.lintr), clang-format for C++ (.clang-format), shellcheck for
# shell scripts; names that are defined twice in R/, and variables there that are never used; counts
# in documents; and whether the pages of bench say what the stored results give. Prints what it finds
# and exits 1 when that is anything; a tool that is not installed is named and fails too, unless
# --available is given.
#
#   tools/lint.sh [--available] [file...]    the whole tree without files
set -euo pipefail
export LC_ALL=C

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh

available=no
if [ "${1:-}" = --available ]; then
  available=yes
  shift
fi
if [ $# -gt 0 ]; then files=$(printf '%s\n' "$@"); else files=$(list_files); fi

# What tools write is theirs.
chosen() { grep -E "$1" <<<"$files" | grep -vE '(^|/)RcppExports\.(R|cpp)$|^src/units/' || true; }

failed=0
lint() { # name, is it installed?, files, command...
  if [ -z "$3" ]; then return; fi
  if ! eval "$2" >/dev/null 2>&1; then
    echo "lint: $1 is not installed (tools/setup.sh --lint)" >&2
    [ "$available" = yes ] || failed=1
    return
  fi
  # shellcheck disable=SC2086 # one word per file
  if ! "${@:4}" $3; then
    echo "lint: $1 found something" >&2
    failed=1
  fi
}

# shellcheck disable=SC2016 # the dollar signs are R's
lint lintr 'Rscript -e "stopifnot(requireNamespace(\"lintr\"))"' "$(chosen '\.(R|Rmd)$')" Rscript -e '
  lints <- lapply(commandArgs(TRUE), lintr::lint, parse_settings = TRUE)
  for (lint in unlist(lints, recursive = FALSE)) {
    cat(sprintf("%s:%d: %s [%s]\n", lint$filename, lint$line_number, lint$message, lint$linter))
  }
  if (sum(lengths(lints))) quit(status = 1)'
# The later of two definitions hides the first, in whatever file it is.
# shellcheck disable=SC2317 # lint() calls it
once_defined() {
  local twice
  twice=$(cat -- "$@" | grep -oE '^[A-Za-z.][A-Za-z0-9._]* <- ' | sort | uniq -d)
  if [ -z "$twice" ]; then return 0; fi
  echo "defined twice in R/: $twice"
  return 1
}
lint names 'true' "$(grep -E '^R/[^/]*\.R$' <<<"$files" || true)" once_defined
lint unused 'Rscript -e "stopifnot(requireNamespace(\"codetools\"))"' "$(chosen '^R/[^/]*\.R$')" \
  Rscript tools/unused.R
lint clang-format 'command -v clang-format' "$(chosen '\.(h|cpp)$')" clang-format --dry-run -Werror
lint shellcheck 'command -v shellcheck' \
  "$(chosen '\.sh$|^\.ci/run$|^tools/hooks/')" shellcheck -x
lint bench-table 'Rscript -e "stopifnot(requireNamespace(\"jsonlite\"))"' \
  "$(chosen '^bench/|^inst/extdata/defaults.json$')" Rscript bench/readme.R --check
if [ $# -eq 0 ] && ! tools/check-numbers.sh; then failed=1; fi
if [ $# -eq 0 ] && ! tools/check-counts.sh; then failed=1; fi
exit "$failed"
