#!/usr/bin/env bash
# Writes what R compiles: the units of src/units, and their rules at the end of src/Makevars.
#
# A unit includes the .cpp files of folders that follow each other, so that the compiler reads Eigen
# and Rcpp, and instantiates their templates, once for all of them; it has the name of the first
# folder. The lines of a unit are limited, and with them the memory that a compiler needs for the
# unit with debug information. The files of simd/, each compiled for a processor of its own, are
# units by themselves, and so are what Rcpp writes and the glue. The tests of the core compile the
# same units; tools/lane.sh libcxx compiles every file by itself.
# (CRAN allows no $(wildcard) in Makevars, and R by itself compiles only the top of src/.)
#
#   tools/sources.sh           write the units and the rules
#   tools/sources.sh --check   exit 1, with the difference, when one of them is stale
set -euo pipefail
export LC_ALL=C # the same order everywhere

cd "$(dirname "${BASH_SOURCE[0]}")/.."
most_lines=2500

folders() { find src -name '*.cpp' ! -path 'src/units/*' -printf '%h\n' | sort -u; }
members() { find "$1" -maxdepth 1 -name '*.cpp' ! -name RcppExports.cpp | sort; }

write_unit() { # unit, files...
  {
    echo "// Written by tools/sources.sh."
    echo '#include "../toolchain/contraction.h"'
    printf '#include "../%s"\n' "${@:2}" | sed 's|"../src/|"../|'
  } >"$1"
}

# The units of folders: each holds as many folders as the limit allows.
write_units() { # folder of units, folders...
  local to=$1 name="" length=0 lines folder files members=()
  shift
  for folder in "$@"; do
    mapfile -t files < <(members "$folder")
    lines=$(cat "${files[@]}" | wc -l)
    if [ -n "$name" ] && [ $((length + lines)) -gt "$most_lines" ]; then
      write_unit "$to/$name.cpp" "${members[@]}"
      name=""
      length=0
      members=()
    fi
    [ -n "$name" ] || name=$(unit_name "$folder")
    members+=("${files[@]}")
    length=$((length + lines))
  done
  write_unit "$to/$name.cpp" "${members[@]}"
}

unit_name() { # folder
  local name=${1#src/}
  name=${name#core/}
  echo "${name//\//_}"
}

write_all_units() { # folder of units
  local folders files file
  write_unit "$1/exports.cpp" src/RcppExports.cpp
  mapfile -t files < <(members src)
  write_unit "$1/glue.cpp" "${files[@]}"
  for file in $(members src/core/simd); do write_unit "$1/simd_$(basename "$file")" "$file"; done
  mapfile -t folders < <(folders | grep -vxE 'src|src/core/simd')
  write_units "$1" "${folders[@]}"
}

# Everything above the list is written by hand and stays.
makevars() { # folder of units
  local unit
  sed '/^OBJECTS *=/,$d' src/Makevars
  printf 'OBJECTS ='
  for unit in "$1"/*.cpp; do printf ' \\\n  units/%s.o' "$(basename "$unit" .cpp)"; done
  printf '\n'
  for unit in "$1"/*.cpp; do
    printf 'units/%s.o:' "$(basename "$unit" .cpp)"
    sed -nE 's|#include "../(.*)"| \1|p' "$unit" | tr -d '\n'
    printf '\n'
  done
}

wanted=$(mktemp -d)
trap 'rm -rf "$wanted"' EXIT
mkdir "$wanted/units"
write_all_units "$wanted/units"
makevars "$wanted/units" >"$wanted/Makevars"

case "${1:-}" in
  --check)
    if ! diff -u src/Makevars "$wanted/Makevars" ||
      ! diff -ru --exclude='*.[od]' src/units "$wanted/units"; then
      echo "src/units or src/Makevars is stale: run tools/sources.sh" >&2
      exit 1
    fi
    ;;
  "")
    cp "$wanted/Makevars" src/Makevars
    rm -rf src/units
    cp -r "$wanted/units" src/units
    ;;
  *)
    echo "usage: tools/sources.sh [--check]" >&2
    exit 2
    ;;
esac
