#!/usr/bin/env bash
# Writes what R compiles: the units of src/units, and their rules at the end of src/Makevars.
#
# A unit includes the .cpp files of one folder, at most ten, so that the compiler reads Eigen and
# Rcpp, and instantiates their templates, once for all of them. The files of simd/, each compiled for
# a processor of its own, are units by themselves, and so is what Rcpp writes. The tests of the core
# compile every file by itself.
# (CRAN allows no $(wildcard) in Makevars, and R by itself compiles only the top of src/.)
#
#   tools/sources.sh           write the units and the rules
#   tools/sources.sh --check   exit 1, with the difference, when one of them is stale
set -euo pipefail
export LC_ALL=C # the same order everywhere

cd "$(dirname "${BASH_SOURCE[0]}")/.."
most_files=10

folders() { find src -name '*.cpp' ! -path 'src/units/*' -printf '%h\n' | sort -u; }
members() { find "$1" -maxdepth 1 -name '*.cpp' ! -name RcppExports.cpp | sort; }

# The units of one folder with this name, at most $3 files in each, of equal size.
write_units() { # folder of units, name, most files, files...
  local to=$1 name=$2 most=$3 units size i
  shift 3
  units=$((($# + most - 1) / most))
  size=$((($# + units - 1) / units))
  for ((i = 1; i <= units; i++)); do
    {
      echo "// Written by tools/sources.sh."
      printf '#include "../%s"\n' "${@:(i - 1) * size + 1:size}" | sed 's|"../src/|"../|'
    } >"$to/$name$([ "$units" -eq 1 ] || echo "_$i").cpp"
  done
}

write_all_units() { # folder of units
  local folder name files most
  write_units "$1" exports 1 src/RcppExports.cpp
  while IFS= read -r folder; do
    mapfile -t files < <(members "$folder")
    name=${folder#src}
    name=${name#/core/}
    if [ "$folder" = src/core/simd ]; then most=1; else most=$most_files; fi
    name=${name//\//_}
    write_units "$1" "${name:-glue}" "$most" "${files[@]}"
  done < <(folders)
}

# Everything above the list is written by hand and stays.
makevars() { # folder of units
  local unit
  sed '/^OBJECTS *=/,$d' src/Makevars
  printf 'OBJECTS ='
  for unit in "$1"/*.cpp; do printf ' \\\n  units/%s.o' "$(basename "$unit" .cpp)"; done
  # shellcheck disable=SC2016 # the dollar signs are those of make
  printf '\n$(OBJECTS):\n\t%s\n' \
    'unit=$@; $(CXX) $(ALL_CPPFLAGS) $(ALL_CXXFLAGS) $(DEBUG_INFORMATION) -c $${unit%.o}.cpp -o $@'
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
