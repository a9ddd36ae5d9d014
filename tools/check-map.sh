#!/usr/bin/env bash
# ARCHITECTURE.md and the tree name the same files. Prints every difference as file:line: what, and
# exits 1 when there is one.
#
#   tools/check-map.sh               check this tree
#   tools/check-map.sh --self-test   plant every kind of difference in a copy of the tree and see
#                                    each one reported
#
# Compared are the files of R/, the folders of src/core that hold code, and src/*.cpp. <model> stands
# for the folders of src/core/models, <task> for any word; what tools write is not named.
set -euo pipefail
export LC_ALL=C

map=ARCHITECTURE.md
written='^(R/RcppExports\.R|R/gpsieve-package\.R|src/RcppExports\.cpp)$'

differences() {
  perl -e '
    use strict;
    use warnings;
    my ($map, $written) = @ARGV;
    chomp(my @files = <STDIN>);
    my (%models, %folders);
    for (@files) {
      $models{$1} = 1 if m{^src/core/models/([^/]+)/};
      $folders{$1} = 1 if m{^src/core/(.+)/[^/]+\.(h|cpp)$};
    }
    my $model = join "|", sort keys %models;

    # Every name of the map between backticks, as a pattern with the line that has it.
    my (@patterns, $core);
    open my $in, "<", $map or die "$map: $!\n";
    while (my $line = <$in>) {
      $core = 1 if $line =~ /^\| folder of `src\/core\/`/;
      $core = 0 if $line !~ /^\|/;
      my ($first) = $line =~ /^\| ([^|]*)\|/;
      if ($core && $first) {
        while ($first =~ /`([a-z_\/<>]+)`/g) { push @patterns, ["src/core/$1/", $.] unless $1 eq "src/core/"; }
      }
      while ($line =~ /`((?:R|src|bind_[*]|convert[*])[A-Za-z0-9_\/<>*.-]*)`/g) {
        my $name = $1;
        $name = "src/$name.cpp" if $name =~ /^(bind_|convert)/;
        next unless $name =~ m{^(R/|src/)[^*]*[*]?[^*]*\.(R|cpp)$};
        push @patterns, [$name, $.];
      }
    }
    my @named;
    for (@patterns) {
      my ($name, $line) = @$_;
      my $pattern = quotemeta $name;
      $pattern =~ s/\\<model\\>/(?:$model)/g;
      $pattern =~ s/\\<task\\>/[a-z-]+/g;
      $pattern =~ s/\\[*]/[a-z_]*/g;
      $pattern = qr/^$pattern$/;
      push @named, $pattern;
      my @there = grep { $_ =~ $pattern } @files, map { "src/core/$_/" } keys %folders;
      print "$map:$line: $name is not in the tree\n" unless @there;
    }
    for my $file ((grep { m{^R/[^/]+\.R$|^src/[^/]+\.cpp$} } @files),
                  map { "src/core/$_/" } sort keys %folders) {
      next if $file =~ $written;
      print "$file:1: not in the tables of $map\n" unless grep { $file =~ $_ } @named;
    }' "$map" "$written"
}

check_tree() {
  nothing_found "$(list_files | differences)"
}

self_test() {
  local copy found
  copy_tree
  touch "$copy/R/zz.R" "$copy/src/zz.cpp"
  mkdir -p "$copy/src/core/zz"
  touch "$copy/src/core/zz/zz.h"
  # shellcheck disable=SC2016 # the backticks are Markdown's
  printf '\n| a | `R/absent.R` |\n' >>"$copy/$map"
  found=$(found_in_planted "$copy/tools/check-map.sh") || return 1
  all_reported "$found" "R/zz.R:1: not in" "src/zz.cpp:1: not in" "src/core/zz/:1: not in" \
    "R/absent.R is not in the tree"
  echo "check-map: every kind of difference found"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh
run_check "$@"
