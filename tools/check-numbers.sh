#!/usr/bin/env bash
# The numbers of the vignettes come from results files, and the results files from scripts. Prints
# every number and file that does not as file:line: what, and exits 1 when there is one.
#
#   tools/check-numbers.sh               check this tree
#   tools/check-numbers.sh --older       name the results files that an older core computed
#   tools/check-numbers.sh --self-test   plant faults of every kind in a copy of the tree and see
#                                        each one reported (and what is allowed pass)
#
# 1. Every file of vignettes/results has in vignettes/results/MD5SUMS the checksum with which its
#    script stored it (store_results() in data-raw/units.R).
#    It has in vignettes/results/VERSIONS the version of the core that computed it. The check ends by
#    saying how many files are older than the core of this tree; that is no fault, because most
#    changes of the core change no number, but before a release `make papers` makes them anew.
# 2. Every results file is read by a vignette, as results("name.csv"), and every file that is read is
#    there.
# 3. The prose of a vignette has no decimal number: measured numbers are computed by inline code. Code
#    chunks, inline code and formulas are not prose. A number that is not measured is allowed on a
#    line with a mark, which the page does not show:
#
#      <!-- quote -->     a number of a publication
#      <!-- setting -->   a value that somebody chose, such as a noise variance
set -euo pipefail
export LC_ALL=C

checksums() {
  if [ -f vignettes/results/MD5SUMS ]; then
    (cd vignettes/results && md5sum --check --quiet MD5SUMS 2>/dev/null) |
      sed 's|^\(.*\): FAILED.*|vignettes/results/\1:1: is not what its script stored|'
  fi
  local file
  for file in vignettes/results/*.csv; do
    if ! grep -q "  ${file##*/}\$" vignettes/results/MD5SUMS 2>/dev/null; then
      echo "$file:1: has no checksum in MD5SUMS"
    fi
    if ! grep -q "  ${file##*/}\$" vignettes/results/VERSIONS 2>/dev/null; then
      echo "$file:1: has no version in VERSIONS"
    fi
    if ! grep -qF "results(\"${file##*/}\")" vignettes/*.Rmd vignettes/*/*.Rmd; then
      echo "$file:1: no vignette reads it"
    fi
  done
  grep -no 'results("[^"]*")' vignettes/*.Rmd vignettes/*/*.Rmd | while IFS=: read -r page line call; do
    file=$(cut -d'"' -f2 <<<"$call")
    if [ ! -f "vignettes/results/$file" ]; then echo "$page:$line: no file results/$file"; fi
  done
}

# The results files that another core than that of this tree computed: version, name. No core took
# part in those of version "none".
older() { grep -vF -e "$(tools/core-version.sh)  " vignettes/results/VERSIONS | grep -v '^none  ' || true; }

# Blanks out what is not prose, keeping the lines, and prints the decimals that are left.
typed_decimals() {
  perl -e '
    use strict;
    use warnings;
    for my $page (@ARGV) {
      open my $in, "<", $page or die "$page: $!";
      my $text = do { local $/; <$in> };
      my $blank = sub { my $part = shift; $part =~ s/[^\n]/ /g; $part };
      $text =~ s/\A(---\n.*?\n---\n)/$blank->($1)/es;
      $text =~ s/^(```.*?^```[ ]*$)/$blank->($1)/gems;
      $text =~ s/(`[^`]*`)/$blank->($1)/ges;
      $text =~ s/(\$\$.*?\$\$)/$blank->($1)/ges;
      $text =~ s/(\$[^\$\n]*\$)/$blank->($1)/ge;
      $text =~ s/(\bhttps?:\S+|\]\([^)]*\))/$blank->($1)/ge;
      my $line = 0;
      for (split /\n/, $text) {
        $line++;
        next if /<!-- (?:quote|setting) -->/;
        print "$page:$line: the typed number $1\n" while /((?<![\w.])\d*\.\d+)(?![\w.]*\d*\/\d)/g;
      }
    }
  ' "$@"
}

check_tree() {
  local found
  found=$(
    checksums
    typed_decimals vignettes/*.Rmd vignettes/*/*.Rmd
  )
  local count
  count=$(older | wc -l)
  if [ "$count" -gt 0 ]; then
    echo "check-numbers: an older core computed $count of $(wc -l <vignettes/results/VERSIONS)" \
      "results files: tools/check-numbers.sh --older" >&2
  fi
  if [ -z "$found" ]; then return; fi
  printf '%s\n' "$found"
  echo "check-numbers: $(wc -l <<<"$found") number(s) or file(s) without a source" >&2
  return 1
}

# --- self-test ---------------------------------------------------------------------------------

self_test() {
  local copy found missed=0 known
  copy_tree
  cd "$copy"
  known=$(cut -c35- vignettes/results/MD5SUMS | head -n 1)
  echo '9,9' >>"vignettes/results/$known"
  echo 'a' >vignettes/results/zz.csv
  # shellcheck disable=SC2016 # the backticks and dollar signs are those of the page
  printf '%s\n' '---' 'title: "1.5"' '---' '' 'The error is 0.31 here,' 'in the paper .42 <!-- quote -->' \
    'with noise 0.01. <!-- setting -->' '`r x` and `control(0.1)`, $0.5$, version' '' '```{r}' \
    'results("none.csv")' 'x <- 0.7' '```' 'Another .99' >vignettes/zz.Rmd
  found=$(found_in_planted tools/check-numbers.sh) || return 1
  local planted=(
    "vignettes/results/$known:1: is not what its script stored"
    'vignettes/results/zz.csv:1: has no checksum in MD5SUMS'
    'vignettes/results/zz.csv:1: has no version in VERSIONS'
    'vignettes/results/zz.csv:1: no vignette reads it'
    'vignettes/zz.Rmd:11: no file results/none.csv'
    'vignettes/zz.Rmd:5: the typed number 0.31'
    'vignettes/zz.Rmd:14: the typed number .99'
  )
  all_reported "$found" "${planted[@]}" || missed=1
  if [ "$(wc -l <<<"$found")" -ne "${#planted[@]}" ]; then
    echo "self-test: more was reported than was planted:" >&2
    printf '%s\n' "$found" >&2
    missed=1
  fi
  # A core with another line makes all results older.
  echo '// other' >>src/core/base/types.h
  if [ "$(older | wc -l)" -ne "$(grep -cv '^none  ' vignettes/results/VERSIONS)" ]; then
    echo "self-test: results of another core do not count as older" >&2
    missed=1
  fi
  [ "$missed" -eq 0 ] || return 1
  echo "check-numbers: all ${#planted[@]} planted faults found"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh
if [ "${1:-}" = --older ]; then older; else run_check "$@"; fi
