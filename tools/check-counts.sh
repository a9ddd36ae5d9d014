#!/usr/bin/env bash
# Counts that documents state are those of the code. Prints every one that is not as file:line:
# what, and exits 1 when there is one.
#
#   tools/check-counts.sh               check this tree
#   tools/check-counts.sh --list        the counts that can be stated, with what they are now
#   tools/check-counts.sh --self-test   plant faults of every kind in a copy of the tree and see
#                                       each one reported
#
# A count of arguments, settings, functions, files or lines of code in a document bears, on its line
# and after it, a mark that the page does not show:
#
#   <!-- count NAME -->   the number before it is what --list says of NAME
#   <!-- then -->         what the code had when the line was written, as in DECISIONS.md
#
# The numbers by which gpsieve() decides, `thresholds`, stand in one file: a number with a name in
# another file of the choice is found too, but for those of time, costs and words.
#
# arguments(f) and settings(f) take the function f; without (f) settings are those of all
# control_*() together.
set -euo pipefail
export LC_ALL=C

documents='^[A-Za-z-]*\.md$|^\.ci/README\.md$|^bench/README\.md$'

# Name and number of every count, one a line.
counts() {
  Rscript -e '
    formals_of <- list()
    for (file in Sys.glob("R/*.R")) for (x in parse(file, keep.source = FALSE)) {
      if (!is.call(x) || !identical(x[[1L]], as.name("<-")) || !is.name(x[[2L]])) next
      f <- x[[3L]]
      if (is.call(f) && identical(f[[1L]], as.name("function"))) {
        formals_of[[as.character(x[[2L]])]] <- setdiff(names(f[[2L]]), "...")
      }
    }
    exported <- grep("^export\\(", readLines("NAMESPACE"), value = TRUE)
    exported <- gsub("^export\\(|\\)$", "", exported)
    methods <- grep("^S3method\\(", readLines("NAMESPACE"))
    of <- lengths(formals_of[intersect(exported, names(formals_of))])
    settings <- of[grepl("^control_|^learn_on_blocks$|^prior_weak$", names(of))]
    lines <- function(files) sum(lengths(lapply(files, readLines, warn = FALSE)))
    core <- list.files("src/core", "[.](h|cpp)$", recursive = TRUE, full.names = TRUE)
    own <- Sys.glob("R/*.R")
    say <- function(name, number) cat(paste(name, number), sep = "\n")
    say(paste0("arguments(", names(of), ")"), of)
    say(paste0("settings(", names(settings), ")"), settings)
    say("settings", sum(settings[grepl("^control_", names(settings))]))
    rules <- grep("^[a-z_]+ <- ", readLines("R/choose-thresholds.R"))
    say("thresholds", length(rules))
    say(c("exported", "methods", "files-R", "files-core", "lines-R", "lines-core"),
      c(length(exported), length(methods), length(own), length(core), lines(own), lines(core)))'
}

check_tree() {
  local known
  known=$(counts)
  # shellcheck disable=SC2046 # one word per file
  nothing_found "$(KNOWN=$known perl -ne '
    BEGIN { %count = map { split " " } split "\n", $ENV{KNOWN} }
    my $marks = 0;
    while (/([0-9][0-9,]*)[^0-9]*?<!-- count ([^ ]+) -->/g) {
      my ($said, $name) = ($1, $2);
      $marks++;
      $said =~ tr/,//d;
      if (!exists $count{$name}) { print "$ARGV:$.: no count has the name $name\n" }
      elsif ($said != $count{$name}) { print "$ARGV:$.: $name is $count{$name}, not $said\n" }
    }
    my $text = s/<!-- (count [^ ]+|then) -->/ /gr;
    my @stated = $text =~ /\b[0-9][0-9,]*\s+(?:arguments|settings|exported|lines of (?:R|C\+\+|code)|files of (?:R|C\+\+))\b/g;
    print "$ARGV:$.: a count without a mark\n" if @stated > $marks && !/<!-- then -->/;
    close ARGV if eof' $(list_files | grep -E "$documents")
    numbers_elsewhere)"
}

numbers_elsewhere() {
  list_files | grep -E '^R/choose-' | grep -vE 'choose-(thresholds|control|time-needs|report)\.R$' |
    xargs grep -nE '^[a-z_]+ <- -?[0-9.]+(e[-0-9]+)?L? *$' /dev/null |
    sed 's|^\([^:]*:[0-9]*\):\(.*\) <-.*|\1: \2 decides, and is not in R/choose-thresholds.R|' || true
}

self_test() {
  local copy found
  copy_tree
  cat >>"$copy/CONTRIBUTING.md" <<'END'
There are 999 settings <!-- count settings --> and 12 arguments.
There are 1 of these <!-- count no-such-thing -->, and there were 93 settings <!-- then -->.
END
  echo 'enough_rows <- 12' >>"$copy/R/choose-stage.R"
  found=$(found_in_planted "$copy/tools/check-counts.sh") || return 1
  all_reported "$found" "not 999" "a count without a mark" "the name no-such-thing" \
    "enough_rows decides"
  none_reported "$found" "93" || return 1
  echo "check-counts: every kind of fault found"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh
if [ "${1:-}" = --list ]; then counts; else run_check "$@"; fi
