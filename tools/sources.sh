#!/usr/bin/env bash
# Keeps the explicit OBJECTS list at the end of src/Makevars equal to the .cpp files in the tree.
# (CRAN allows no $(wildcard) there, and R by itself compiles only the top of src/.)
#
#   tools/sources.sh           rewrite the list
#   tools/sources.sh --check   exit 1, with the difference, when the list is stale
#   tools/sources.sh --print   print what the list should be
set -euo pipefail
export LC_ALL=C # the same order everywhere

cd "$(dirname "${BASH_SOURCE[0]}")/.."
makevars=src/Makevars

objects() {
  local file
  printf 'OBJECTS ='
  while IFS= read -r file; do
    file=${file#src/}
    printf ' \\\n  %s.o' "${file%.cpp}"
  done < <(find src -name '*.cpp' | sort)
  printf '\n'
}

# Everything above the list is written by hand and stays.
wanted() {
  sed '/^OBJECTS *=/,$d' "$makevars"
  objects
}

case "${1:-}" in
  --print) objects ;;
  --check)
    if ! wanted | diff -u --label "$makevars" --label "the tree" "$makevars" -; then
      echo "$makevars is stale: run tools/sources.sh" >&2
      exit 1
    fi
    ;;
  "")
    new=$(wanted)
    [ "$new" = "$(cat "$makevars")" ] || printf '%s\n' "$new" >"$makevars"
    ;;
  *)
    echo "usage: tools/sources.sh [--check | --print]" >&2
    exit 2
    ;;
esac
