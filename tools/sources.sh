#!/usr/bin/env bash
# Writes what R compiles: the units of src/units, and their rules at the end of src/Makevars.
#
# A unit includes .cpp files of one folder, so that the compiler reads Eigen and Rcpp, and
# instantiates their templates, once for all of them. The lines of a unit are limited, and with them
# the memory that a compiler needs for the unit with debug information. The files of simd/, each
# compiled for a processor of its own, are units by themselves, and so is what Rcpp writes. The tests
# of the core compile the same units; tools/lane.sh libcxx compiles every file by itself.
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

# The units of one folder with this name: each holds as many files as the limit allows.
write_units() { # folder of units, name, files...
  local to=$1 name=$2 unit=1 length=0 lines file members=()
  shift 2
  for file in "$@"; do
    lines=$(wc -l <"$file")
    if [ "${#members[@]}" -gt 0 ] && [ $((length + lines)) -gt "$most_lines" ]; then
      write_unit "$to/${name}_$unit.cpp" "${members[@]}"
      members=()
      length=0
      unit=$((unit + 1))
    fi
    members+=("$file")
    length=$((length + lines))
  done
  write_unit "$to/$name$([ "$unit" -eq 1 ] || echo "_$unit").cpp" "${members[@]}"
}

write_all_units() { # folder of units
  local folder name files file
  write_unit "$1/exports.cpp" src/RcppExports.cpp
  while IFS= read -r folder; do
    mapfile -t files < <(members "$folder")
    name=${folder#src}
    name=${name#/}
    name=${name#core/}
    name=${name//\//_}
    if [ "$folder" = src/core/simd ]; then
      for file in "${files[@]}"; do write_unit "$1/simd_$(basename "$file")" "$file"; done
    else
      write_units "$1" "${name:-glue}" "${files[@]}"
    fi
  done < <(folders)
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
