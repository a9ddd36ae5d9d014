#!/usr/bin/env bash
# Counts the lines that tests reach and prints the totals; a table of files is left in
# build/coverage. Fails where fewer lines are reached than the gate asks for.
#
#   tools/coverage.sh          the two that follow
#   tools/coverage.sh core     lines of the C++ core, by its own tests
#   tools/coverage.sh r        lines of R, by the tests of the package
#   tools/coverage.sh cpp      lines of R and of all C++, by the tests of the package; compiled
#                              without optimisation, which makes the tests slow
#
# FILTER=<regular expression> chooses test files of the package.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that called
mkdir -p build/coverage

# The lines of the core that the objects of a folder count, as "file line times". A header has lines
# in every object that includes it, of the tests too: an inline function counts in that object whose
# copy the linker keeps, and a constexpr one where it is not computed by the compiler. A line is
# therefore reached where any object has reached it.
gcov_lines() { # folder with .gcda files, as the compiler was called: relative to tests/core
  (cd tests/core && find "$1" -name '*.gcda' -print0 | xargs -0 -r gcov -t 2>/dev/null) | awk -F: '
    $2 + 0 == 0 && $3 == "Source" { file = sub(/^.*src\/core\//, "src/core/", $4) ? $4 : ""; next }
    file == "" || $1 !~ /^ *([0-9]+\*?|#####|=====)$/ { next }
    { times = $1 + 0; line = file " " $2 + 0; if (times >= most[line]) most[line] = times }
    END { for (line in most) print line, most[line] }' | sort -k1,1 -k2,2n
}

gcov_table() { # lines: "file covered lines"
  awk '{ lines[$1]++; covered[$1] += $3 > 0 }
    END { for (file in lines) print file, covered[file], lines[file] }' "$1" | sort
}

# The least percentages of lines.
least_core=97
least_r=95

total() { # title, table, least percentage
  awk -v title="$1" -v least="$3" '{ covered += $2; lines += $3 }
    END {
      share = lines ? 100 * covered / lines : 0
      printf "%s: %.1f %% of %d lines (the gate is %d %%)\n", title, share, lines, least
      exit share < least
    }' "$2"
}

core() {
  make -C tests/core -s -j"${JOBS:-2}" coverage >build/coverage/core.log 2>&1 || {
    tail -n 30 build/coverage/core.log
    return 1
  }
  gcov_lines build-coverage >build/coverage/core.lines
  gcov_table build/coverage/core.lines >build/coverage/core.txt
  awk '$3 == 0 { print $1, $2 }' build/coverage/core.lines >build/coverage/core-not-reached.txt
  total "C++ core, by its own tests" build/coverage/core.txt "$least_core"
}

# The tests of the package on a copy of the tree, which covr instruments. Where the lines of C++ do
# not count, the copy gets the objects that `make install` has compiled, and processes that a test
# starts run the package that `make install` has installed: their lines do not count.
package() { # r: C++ as installed; cpp: C++ counted too
  local copy
  copy_tree
  if [ "$1" = r ]; then
    make --no-print-directory install >build/coverage/package.log
    cp build/stage/gpsieve/src/units/*.o "$copy/src/units" # newer than the files of the copy
  fi
  rm -rf build/coverage/*.counts build/coverage/taken
  # A test that waits for ever ends the count after two hours. Its process writes down nothing.
  # shellcheck disable=SC2016 # the dollar signs are R's
  NOT_CRAN=true TZ=${TZ:-UTC} OMP_WAIT_POLICY=passive Rscript -e '
    given <- commandArgs(TRUE)
    if (given[2] == "r") options(covr.gcov = "")
    Sys.setenv(PLAIN_LIBRARIES = if (given[2] == "r") paste(.libPaths(), collapse = ":") else "")
    # In each process the package that covr installed writes down, at its end, what was called.
    share <- seq_len(as.integer(given[3])) - 1L
    shares <- sprintf("timeout 7200 Rscript tools/share-of-tests.R %s/taken %s >%s 2>&1 &",
      given[4], sprintf("%s/%d.counts", given[4], share),
      sprintf("%s/tests.%d.log", given[4], share))
    run <- paste(c(paste("cd", given[1]), shares, "wait"), collapse = "\n")
    counts <- as.data.frame(covr::package_coverage(given[1], type = "none", quiet = FALSE,
      code = sprintf("system(%s)", deparse(run)), pre_clean = given[2] != "r"))
    lines <- aggregate(value ~ filename + first_line, counts, max)
    table <- aggregate(cbind(covered = value > 0, lines = 1) ~ filename, lines, sum)
    write.table(table, "build/coverage/package.txt", quote = FALSE, row.names = FALSE,
      col.names = FALSE)
    write.table(lines[lines$value == 0, 1:2], "build/coverage/not-reached.txt", quote = FALSE,
      row.names = FALSE, col.names = FALSE)
  ' "$copy" "$1" "${JOBS:-2}" "$PWD/build/coverage" >>build/coverage/package.log 2>&1 || {
    tail -n 30 build/coverage/package.log
    return 1
  }
  if [ "$(find build/coverage -name '*.counts' | wc -l)" -ne "${JOBS:-2}" ]; then
    echo "the tests did not end: build/coverage/tests.*.log"
    return 1
  fi
  awk '{ p += $1; f += $2 } END { print "tests: " p " passed, " f " failed" }' build/coverage/*.counts
  grep '^R/' build/coverage/package.txt >build/coverage/r.txt
  if [ "${FILTER:-}" ]; then least_r=0; fi # some tests: no gate
  total "R, by the tests of the package" build/coverage/r.txt "$least_r"
  if grep '^src/' build/coverage/package.txt >build/coverage/cpp.txt; then
    total "C++, by the tests of the package" build/coverage/cpp.txt 0
  fi
}

case "${1:-}" in
  core) core ;;
  r | cpp) package "$1" ;;
  "")
    core
    package r
    ;;
  *)
    echo "usage: tools/coverage.sh [core|r|cpp]" >&2
    exit 2
    ;;
esac
