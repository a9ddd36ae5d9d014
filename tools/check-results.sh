#!/usr/bin/env bash
# The results files of the vignettes are what today's package computes: the first unit of each script
# of data-raw is computed again and compared with what is stored, to five digits. Prints every file
# that differs as file:line: what, and exits 1 when there is one. Takes about a CPU minute, and needs
# the package installed; scripts whose data or packages are not there are named and pass.
#
#   tools/check-results.sh               check this tree
#   tools/check-results.sh --self-test   plant faults of every kind in a copy of the tree and see
#                                        each one reported
#
# 1. Every results file is the one that its script stored (vignettes/results/MD5SUMS).
# 2. Every script of data-raw that stores results has first_units() (data-raw/units.R), or says in a
#    line "# No first unit: " why it has none.
# 3. The first rows agree (tools/check-results.R). A file that differs since a change that was meant
#    is listed in vignettes/results/DIFFERS with the reason, until its script has been run again. It
#    is named each time; a listed file that agrees is a fault, because the list is then wrong.
#
# The check ends by naming the files whose times and memory are void, because the code of the model
# has changed since they were measured (inst/scoreboard/sources.R). That is no fault: their rows of
# vignette("scoreboard") say so and do not count.
set -euo pipefail
export LC_ALL=C

edited_files() {
  (cd vignettes/results && md5sum --check --quiet MD5SUMS 2>/dev/null) |
    sed 's|^\(.*\): FAILED.*|vignettes/results/\1:1: is not what its script stored|' || true
}

scripts_without_unit() {
  local script
  grep -lE 'store_(results|checksum)\(' data-raw/*.R | grep -v "/units\.R$" | while IFS= read -r script; do
    if ! grep -qE '^( *first_units\(|# No first unit: )' "$script"; then
      echo "$script:1: has no first_units() and no reason"
    fi
  done
}

reason_of() { # file
  sed -n "s|^$1  ||p" vignettes/results/DIFFERS 2>/dev/null
}

# Faults of the lines of tools/check-results.R; what is known or could not run goes to stderr.
judge_units() {
  local state file rest
  while IFS= read -r line; do
    state=${line%% *} rest=${line#* }
    file=${rest%%:*} rest=${rest#*: }
    case $state in
      agrees)
        if [ -n "$(reason_of "$file")" ]; then
          echo "vignettes/results/DIFFERS:1: $file agrees, so that it should not be listed"
        fi
        ;;
      differs)
        if [ -n "$(reason_of "$file")" ]; then
          echo "check-results: $file differs ($rest): $(reason_of "$file")" >&2
        else
          echo "vignettes/results/$file:1: differs from today's package: $rest"
        fi
        ;;
      failed) echo "$file:1: does not run: $rest" ;;
      skipped) echo "check-results: not checked, $file: $rest" >&2 ;;
      *) echo "tools/check-results.R:1: printed: $line" ;;
    esac
  done
}

void_files() {
  Rscript -e 'source("inst/scoreboard/sources.R")
    void <- void_times(file.path("vignettes", "results"), file.path("src", "core"))
    if (length(void)) message("check-results: times and memory are void in ", length(void),
      " files: ", toString(void))'
}

check_tree() {
  local found
  found=$(
    edited_files
    scripts_without_unit
    grep -lE '^ *first_units\(' data-raw/*.R | Rscript tools/check-results.R 2>/dev/null | judge_units
  )
  void_files
  nothing_found "$found"
}

# --- self-test ---------------------------------------------------------------------------------

self_test() {
  local copy found
  copy_tree
  cd "$copy"
  # Two scripts, which take a second each.
  find data-raw -name '*.R' ! -name meanfield-descent.R ! -name meanfield-paper.R ! -name units.R -delete
  cd vignettes/results
  perl -pi -e 's/(\d)$/($1 + 5) % 10/e if $. == 2' meanfield-descent.csv
  sed -i "s|^.*  meanfield-descent.csv$|$(md5sum meanfield-descent.csv)|" MD5SUMS
  echo '9,9' >>meanfield-fig1.csv
  echo 'meanfield-table1.csv  a reason' >>DIFFERS
  cd ../..
  echo 'store_results(1, "a.csv")' >data-raw/zz.R
  found=$(found_in_planted tools/check-results.sh) || return 1
  all_reported "$found" \
    "vignettes/results/meanfield-descent.csv:1: differs from today's package" \
    'vignettes/results/meanfield-fig1.csv:1: is not what its script stored' \
    'vignettes/results/DIFFERS:1: meanfield-table1.csv agrees' \
    'data-raw/zz.R:1: has no first_units() and no reason' || return 1
  # A difference that is listed passes.
  echo 'meanfield-descent.csv  another reason' >>vignettes/results/DIFFERS
  found=$(found_in_planted tools/check-results.sh) || return 1
  none_reported "$found" 'meanfield-descent' || return 1
  echo "check-results: all 4 planted faults found"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh
run_check "$@"
