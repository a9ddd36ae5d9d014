#!/usr/bin/env bash
# Every citation of the theory in code, tests and the theory itself names something that exists.
# Prints every dead citation as file:line: what, and exits 1 when there is one.
#
#   tools/check-citations.sh               check this tree
#   tools/check-citations.sh --self-test   plant dead citations of every kind in a copy of the tree
#                                          and see each one reported (and living ones pass)
#
# The theory stands in src/core/notation.md and in files theory.md below src/core. A citation is
#
#   theory.md                     the file
#   theory.md#the-e-step          a heading of the file, as GitHub turns it into an anchor
#   theory.md (12)                an equation: a line of the file that ends in (12);
#                                 several as (3), (4) or (3) and (4) or (3) to (5)
#
# with the file named as in an #include: from the folder of the citing file, the folders above it,
# or src/core. Files outside src/core therefore write models/rvm/theory.md (12). Sections and
# equations without a file ("section 4.4", "eq. 7") are dead unless a year beside them shows that a
# publication is cited.
set -euo pipefail
export LC_ALL=C

# Prints "file:line: what" for every dead citation of the files named on standard input.
dead_citations() {
  perl -CSD -e '
    use strict;
    use warnings;

    sub text_of {
      my ($path) = @_;
      open my $in, "<:encoding(UTF-8)", $path or return undef;
      local $/;
      return scalar <$in>;
    }

    # The anchors and the equation numbers of a file of theory, read once.
    my %known;
    sub targets {
      my ($path) = @_;
      return $known{$path} //= do {
        my (%anchors, %equations, %seen, $fenced);
        for my $line (split /\n/, text_of($path) // "") {
          if ($line =~ /^\s*(```|~~~)/) { $fenced = !$fenced; next; }
          $equations{$1} = 1 if $line =~ /\((\d+[a-z]?)\)[.,;]?\s*\$*\s*$/ || $line =~ /\\tag\{(\d+[a-z]?)\}/;
          $anchors{$1} = 1 while $line =~ /<a (?:id|name)="([^"]+)"/g;
          next if $fenced || $line !~ /^#{1,6}\s+(.*?)\s*#*\s*$/;
          my $slug = lc $1;
          $slug =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
          $slug =~ s/[^\p{L}\p{M}\p{N}_ -]//g;
          $slug =~ s/ /-/g;
          my $copies = $seen{$slug}++;
          $anchors{$copies ? "$slug-$copies" : $slug} = 1;
        }
        { anchors => \%anchors, equations => \%equations };
      };
    }

    # The file that a name means in a file of the given folder.
    sub resolve {
      my ($folder, $name) = @_;
      $name =~ s{^src/core/}{};
      while ($name =~ s{^\.\./}{}) { $folder =~ s{/?[^/]*$}{}; }
      my @above = $folder =~ m{^src/core(?:/|$)} ? ($folder) : ();
      push @above, $above[-1] =~ s{/[^/]*$}{}r while @above && $above[-1] ne "src/core";
      for my $place (@above, "src/core") { return "$place/$name" if -f "$place/$name"; }
      return undef;
    }

    # Space, the end of a line within a comment included.
    my $gap = qr{(?:[ \t]*\n[ \t]*(?://+|\x23+\x27?|\*)?[ \t]*|[ \t]+)};
    my $number = qr{\((?:\d+[a-z]?)\)};
    my $numbers = qr{$number(?:(?:,$gap?|$gap(?:and|or|to)$gap|-|\x{2013})$number)*};
    my $dead = 0;

    while (my $file = <STDIN>) {
      chomp $file;
      my $text = text_of($file) // next;
      my ($folder) = $file =~ m{^(.*)/[^/]*$};
      my $say = sub {
        my ($position, $what) = @_;
        my $line = 1 + (substr($text, 0, $position) =~ tr/\n//);
        print "$file:$line: $what\n";
        $dead++;
      };

      while ($text =~ m{((?:[\w.-]+/)*)\b(theory|notation)\.md(?:\x23([\p{L}\p{N}_-]+)|,?$gap?(?:eqs?\.|equations?)?$gap?($numbers))?}g) {
        my ($at, $name, $anchor, $list) = ($-[0], "$1$2.md", $3, $4);
        my $path = resolve($folder // "", $name);
        if (!defined $path) { $say->($at, "no file $name"); next; }
        if (defined $anchor && !targets($path)->{anchors}{$anchor}) {
          $say->($at, "$path has no heading with the anchor \x23$anchor");
        }
        for my $equation (defined $list ? $list =~ /\((\w+)\)/g : ()) {
          $say->($at, "$path has no equation ($equation)") unless targets($path)->{equations}{$equation};
        }
      }

      next if $file =~ /\.md$/;
      while ($text =~ m{\b(math:|(?i:sections?|sec\.|eqs?\.|equations?)$gap?\(?\d[\w.]*)}g) {
        my ($at, $what, $after) = ($-[0], $1, $+[0]);
        my $from = $at > 160 ? $at - 160 : 0;
        my $around = substr($text, $from, $after + 80 - $from);
        next if $what ne "math:" && $around =~ /\b(?:19|20)\d\d\b/;
        next if substr($text, $from, $at - $from) =~ /(?:theory|notation)\.md,?$gap?$/;
        $what =~ s/\s+(?:\/\/+|\x23+\x27?|\*)?\s*/ /g;
        $say->($at, "\"$what\" names no file of the theory and no publication");
      }
    }
    exit($dead > 0);
  '
}

check_tree() {
  local found count
  if found=$(list_files | grep -E '^(src|R|tests)/.*\.(h|cpp|R|md)$' | grep -v '/_snaps/' | dead_citations); then
    return
  fi
  printf '%s\n' "$found"
  count=$(wc -l <<<"$found")
  echo "check-citations: $count dead citation(s)" >&2
  return 1
}

# --- self-test ---------------------------------------------------------------------------------

self_test() {
  local copy found missed=0 m="ma" s="sec"
  copy_tree
  mkdir -p "$copy/src/core/models/zz/inner"
  # shellcheck disable=SC2016 # the backticks are Markdown's
  printf '%s\n' '# The E-step: `q`, and why' '' 'Words.' '' '    a = b      (1)' '' '## Twice' '' \
    '## Twice' '' '```' '# no heading' 'b = c      (2a)' '```' >"$copy/src/core/models/zz/theory.md"
  printf '%s\n' '# Symbols' >"$copy/src/core/notation.md"

  printf '%s\n' '// theory.md#twice-2' '// theory.md (3)' '// models/yy/theory.md' \
    '// see theory.md#the-e-step-q-and-why and theory.md (1),' '// (4) of the text' \
    "// ${m}th: EP, ${s}tion 4.2" "// ${s}tion" '// 7' '// eq'". 7" '// notation.md#none' \
    '// theory.md#no-heading' >"$copy/src/core/models/zz/a.h"
  printf '%s\n' '# theory.md#twice' '# models/zz/theory.md (9)' >"$copy/R/zz.R"
  printf '%s\n' '[x](../models/zz/theory.md#gone)' >"$copy/src/core/math/theory.md"
  printf '%s\n' '// theory.md#the-e-step-q-and-why, theory.md#twice-1, theory.md (1) and (2a)' \
    '// theory.md, equations (1), (2a); notation.md#symbols; Minka (2001),' "// ${s}tion 3" \
    '// src/core/models/zz/theory.md' '// (1) to (2a), theory.md' >"$copy/src/core/models/zz/inner/living.h"

  found=$(found_in_planted "$copy/tools/check-citations.sh") || return 1
  local planted=(
    'src/core/models/zz/a.h:1: src/core/models/zz/theory.md has no heading with the anchor #twice-2'
    'src/core/models/zz/a.h:2: src/core/models/zz/theory.md has no equation (3)'
    'src/core/models/zz/a.h:3: no file models/yy/theory.md'
    'src/core/models/zz/a.h:4: src/core/models/zz/theory.md has no equation (4)'
    "src/core/models/zz/a.h:6: \"${m}th:\" names"
    "src/core/models/zz/a.h:6: \"${s}tion 4.2\" names"
    "src/core/models/zz/a.h:7: \"${s}tion 7\" names"
    'src/core/models/zz/a.h:9: "eq'". 7\" names"
    'src/core/models/zz/a.h:10: src/core/notation.md has no heading with the anchor #none'
    'src/core/models/zz/a.h:11: src/core/models/zz/theory.md has no heading with the anchor #no-heading'
    'R/zz.R:1: no file theory.md'
    'R/zz.R:2: src/core/models/zz/theory.md has no equation (9)'
    'src/core/math/theory.md:1: src/core/models/zz/theory.md has no heading with the anchor #gone'
  )
  all_reported "$found" "${planted[@]}" || missed=1
  none_reported "$found" 'living[.]h' || missed=1
  [ "$missed" -eq 0 ] || return 1
  echo "check-citations: all ${#planted[@]} planted dead citations found"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh
run_check "$@"
