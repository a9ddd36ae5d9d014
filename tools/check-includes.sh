#!/usr/bin/env bash
# Every file of the core includes the standard headers of what it uses: another standard library
# includes less by way of other headers. Prints every one that is missing as file:line: what, and
# exits 1 when there is one.
#
#   tools/check-includes.sh               check this tree
#   tools/check-includes.sh --self-test   plant a missing header of every kind in a copy of the tree
#                                         and see each one reported (and permitted files pass)
#
# A file may rely on what the headers of the tree that it includes include. Comments are passed over.
set -euo pipefail
export LC_ALL=C

# "file:line: what" for the files named on standard input.
missing() {
  perl -e '
    use strict;
    use warnings;
    my %uses = (
      algorithm => "max|min|clamp|sort|stable_sort|partial_sort|nth_element|transform|fill|fill_n|copy|copy_n|swap_ranges|find|find_if|any_of|all_of|none_of|count|count_if|lower_bound|upper_bound|binary_search|max_element|min_element|minmax_element|reverse|rotate|shuffle|unique|remove|remove_if|equal|set_difference|push_heap|pop_heap|make_heap|partition|for_each|is_sorted",
      cmath => "sqrt|exp|log|log1p|expm1|log2|pow|abs|isfinite|isnan|isinf|floor|ceil|round|lround|fma|hypot|cos|sin|tan|tanh|erf|erfc|lgamma|ldexp|frexp|copysign|nextafter|cbrt",
      utility => "move|forward|pair|make_pair|swap|exchange",
      cstddef => "size_t|ptrdiff_t|nullptr_t",
      cstdint => "u?int(?:8|16|32|64|ptr)_t",
      limits => "numeric_limits",
      numeric => "accumulate|iota|inner_product|partial_sum",
      functional => "function|less|greater|hash",
      memory => "unique_ptr|shared_ptr|make_unique|make_shared",
      vector => "vector",
      string => "string|to_string",
      array => "array",
      map => "map",
      mutex => "mutex|lock_guard|unique_lock",
      atomic => "atomic",
      thread => "thread",
      chrono => "chrono",
      cstring => "memcpy|memset|memmove|strcmp",
      exception => "exception_ptr|current_exception|rethrow_exception",
      stdexcept => "runtime_error|logic_error|invalid_argument|out_of_range",
    );
    sub text_of {
      my ($path) = @_;
      open my $in, "<", $path or return "";
      local $/;
      my $text = <$in>;
      $text =~ s{//[^\n]*}{}g;
      return $text;
    }
    # The standard headers of a file and of the headers of the tree that it includes.
    my %known;
    sub headers_of {
      my ($path) = @_;
      return $known{$path} if $known{$path};
      my $found = $known{$path} = {};
      my $text = text_of($path);
      $found->{$1} = 1 while $text =~ /^\s*#\s*include\s*<([a-z_]+)>/mg;
      my ($folder) = $path =~ m{(.*)/};
      for my $name ($text =~ /^\s*#\s*include\s*"([^"]+)"/mg) {
        my $header = $name =~ m{/} ? "src/core/$name" : "$folder/$name";
        $found->{$_} = 1 for keys %{headers_of($header)};
      }
      return $found;
    }
    while (my $file = <STDIN>) {
      chomp $file;
      my $text = text_of($file);
      my %there = %{headers_of($file)};
      for my $header (sort keys %uses) {
        next if $there{$header};
        next unless $text =~ /\bstd::($uses{$header})\b(?!::)/;
        my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
        print "$file:$line: std::$1 without <$header>\n";
      }
    }'
}

check_tree() {
  # Parts of simd/ without include guards belong to the file that includes them.
  nothing_found "$(list_files | grep -E '^src/core/.*\.(h|cpp)$' |
    grep -vE '^src/core/simd/.*_body\.h$' | missing)"
}

self_test() {
  local copy found
  copy_tree
  printf '#include <vector>\nstd::vector<int> a;\nint b = std::max(1, 2);\n' >"$copy/src/core/math/zz1.cpp"
  printf '// std::max\nstd::unique_ptr<int> c;\n' >"$copy/src/core/math/zz2.h"
  printf '#include <cmath>\n' >"$copy/src/core/math/yy.h"
  printf '#include "math/yy.h"\ndouble d = std::sqrt(2.0);\n' >"$copy/src/core/math/yy.cpp"
  found=$(found_in_planted "$copy/tools/check-includes.sh") || return 1
  all_reported "$found" "math/zz1.cpp:3: std::max without <algorithm>" \
    "math/zz2.h:2: std::unique_ptr without <memory>"
  none_reported "$found" '/yy\.|zz2.h:1'
  echo "check-includes: every kind of missing header found"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh
run_check "$@"
