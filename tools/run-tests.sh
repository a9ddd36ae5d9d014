#!/usr/bin/env bash
# Runs every test on the installed package and on the core, and ends in one line:
#
#   N passed, N failed[, N skipped]
#
# the sum of the C++ tests (one per TEST) and the testthat expectations. A check of the tree that
# fails, a warning that no test expects, a suite that crashes and a suite with no tests in it each
# count as one failure. The line is also left in build/summary. Exit status 1 when anything failed.
# JOBS (2) is the number of processes.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
mkdir -p build
rm -rf build/summary build/testthat.*
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that called
export NOT_CRAN=true
export TZ=${TZ:-UTC} # R asks a service for it otherwise, and warns where there is none
# Threads that wait for others sleep. By default they compute while they wait, in place of the other
# processes of this run.
export OMP_WAIT_POLICY=passive

passed=0 failed=0 skipped=0
add() { # passed, failed, skipped
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

title() { printf '\n== %s\n' "$1"; }

check() { # title, command...: silent success, one failure otherwise
  title "$1"
  if "${@:2}"; then echo "ok"; else add 0 1 0; fi
}

core_tests() {
  title "C++ core"
  local line
  make -C tests/core --no-print-directory -s -j"$builders" run 2>&1 | tee build/core-tests.log
  local status=${PIPESTATUS[0]}
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' build/core-tests.log | tail -n 1)
  if [[ "$line" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    local p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} s=${BASH_REMATCH[4]:-0}
    if [ "$f" -eq 0 ] && { [ "$p" -eq 0 ] || [ "$status" -ne 0 ]; }; then f=1; fi
    add "$p" "$f" "$s"
  else
    echo "the core tests did not build or did not finish"
    add 0 1 0
  fi
}

# The files of testthat are shared among processes, each of which takes the next file that is left.
# All but one of them begin before the checks of the tree and the tests of the core, the last one
# after these: so every core has work until the end.
shares=()
start_share() {
  local share=${#shares[@]}
  Rscript tools/share-of-tests.R build/testthat.taken "build/testthat.$share.counts" \
    >"build/testthat.$share.log" 2>&1 &
  shares+=("$!")
}

end_shares() {
  title "testthat"
  local share status counts before=$((passed + failed + skipped))
  for share in "${!shares[@]}"; do
    wait "${shares[share]}"
    status=$?
    cat "build/testthat.$share.log"
    if [ "$status" -eq 0 ] && counts=$(cat "build/testthat.$share.counts") && [ -n "$counts" ]; then
      # shellcheck disable=SC2086 # three numbers
      add $counts
    else
      echo "testthat did not finish (status $status)"
      add 0 1 0
    fi
  done
  if [ $((passed + failed + skipped)) -eq "$before" ]; then
    echo "tests/testthat has no tests"
    add 0 1 0
  fi
}

builders=$((${JOBS:-2} > 1 ? ${JOBS:-2} - 1 : 1))
for ((share = 1; share < ${JOBS:-2}; share++)); do start_share; done
check "layers" tools/check-layers.sh
check "layers: every rule can fail" tools/check-layers.sh --self-test
check "headers include what they use" tools/check-includes.sh
check "headers: every kind of missing one is found" tools/check-includes.sh --self-test
check "the map names the files" tools/check-map.sh
check "map: every kind of difference is found" tools/check-map.sh --self-test
check "release: every kind of fault is found" tools/release-check.sh --self-test
check "citations of the theory" tools/check-citations.sh
check "citations: every kind of dead one is found" tools/check-citations.sh --self-test
check "numbers of the vignettes" tools/check-numbers.sh
check "numbers: every kind of fault is found" tools/check-numbers.sh --self-test
check "results: every kind of fault is found" tools/check-results.sh --self-test
check "counts: every kind of fault is found" tools/check-counts.sh --self-test
check "the units hold the sources" tools/sources.sh --check
check "no AVX outside the functions made for it" tools/check-isa.sh \
  "$(Rscript -e 'cat(system.file("libs", "gpsieve.so", package = "gpsieve"))')"
core_tests
start_share
end_shares

summary="$passed passed, $failed failed"
if [ "$skipped" -gt 0 ]; then summary="$summary, $skipped skipped"; fi
echo "$summary" >build/summary
printf '\n%s\n' "$summary"
[ "$failed" -eq 0 ]
