#!/usr/bin/env bash
# Runs every test on the installed package and on the core, and ends in one line:
#
#   N passed, N failed[, N skipped]
#
# the sum of the C++ tests (one per TEST) and the testthat expectations. A check of the tree that
# fails, a warning that no test expects, a suite that crashes and a suite with no tests in it each
# count as one failure. Meanwhile it says which file is compiled or tested, and before the last line
# it repeats what failed. The line is also left in build/summary. Exit status 1 when anything failed.
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
failures=build/failures # what is repeated at the end
: >"$failures"
add() { # passed, failed, skipped
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

title() { printf '\n== %s\n' "$1"; }

check() { # title, command...: silent success, one failure otherwise
  title "$1"
  if "${@:2}"; then
    echo "ok"
  else
    echo "$1" >>"$failures"
    add 0 1 0
  fi
}

# The objects that R compiled serve where `make install` has left them for these sources.
core_target() {
  if [ -n "$(find build/stage/gpsieve/src/units -name '*.o' 2>/dev/null)" ] &&
    diff -rq src/core build/stage/gpsieve/src/core >/dev/null; then
    echo installed
  else
    echo run
  fi
}

core_tests() {
  title "C++ core"
  local line
  make -C tests/core --no-print-directory -s -j"$builders" "$(core_target)" 2>&1 |
    tee build/core-tests.log | tools/progress.sh
  local status=${PIPESTATUS[0]}
  grep -E '^FAILED |error:' build/core-tests.log >>"$failures"
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' build/core-tests.log | tail -n 1)
  if [[ "$line" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    local p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} s=${BASH_REMATCH[4]:-0}
    if [ "$f" -eq 0 ] && { [ "$p" -eq 0 ] || [ "$status" -ne 0 ]; }; then f=1; fi
    add "$p" "$f" "$s"
  else
    echo "the core tests did not build or did not finish" | tee -a "$failures"
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
    >"build/testthat.$share.log" 2>"build/testthat.$share.messages" &
  shares+=("$!")
}

# Shows the lines of all shares as they come, and every fifteen seconds without one which files are
# being tested, until all shares have ended.
follow_shares() {
  local share lines shown=() alive=1 news=$SECONDS
  while [ "$alive" -gt 0 ]; do
    alive=0
    for share in "${!shares[@]}"; do
      if kill -0 "${shares[share]}" 2>/dev/null; then alive=1; fi
    done
    if [ "$alive" -gt 0 ]; then sleep 2; fi
    for share in "${!shares[@]}"; do
      lines=$(wc -l <"build/testthat.$share.log")
      if [ "$lines" -le "${shown[share]:-0}" ]; then continue; fi
      tail -n +"$((${shown[share]:-0} + 1))" "build/testthat.$share.log" |
        head -n "$((lines - ${shown[share]:-0}))"
      shown[share]=$lines
      news=$SECONDS
    done
    if [ "$((SECONDS - news))" -ge 15 ]; then
      echo "... testing $(comm -23 <(ls build/testthat.taken) \
        <(sed -n 's/^\([a-z0-9-]*\): [0-9]* passed,.*/\1/p' build/testthat.*.log | sort) | xargs)"
      news=$SECONDS
    fi
  done
}

end_shares() {
  title "testthat"
  local share status counts before=$((passed + failed + skipped))
  follow_shares
  # A file has its line of counts and then the lines of what failed in it.
  awk '/^[a-z0-9-]+: [0-9]+ passed, /{on = 0} /^--- /{on = 1} on' build/testthat.*.log >>"$failures"
  for share in "${!shares[@]}"; do
    wait "${shares[share]}"
    status=$?
    if [ "$status" -eq 0 ] && counts=$(cat "build/testthat.$share.counts") && [ -n "$counts" ]; then
      # shellcheck disable=SC2086 # three numbers
      add $counts
    else
      tail -n 50 "build/testthat.$share.messages"
      echo "testthat did not finish (status $status)" | tee -a "$failures"
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

if [ "$failed" -gt 0 ]; then
  title "What failed"
  cat "$failures"
fi
summary="$passed passed, $failed failed"
if [ "$skipped" -gt 0 ]; then summary="$summary, $skipped skipped"; fi
echo "$summary" >build/summary
printf '\n%s\n' "$summary"
[ "$failed" -eq 0 ]
