#!/usr/bin/env bash
# The layering rule of ARCHITECTURE.md, checked on the text of the tree. Prints every violation as
# file:line: what, and exits 1 when there is one.
#
#   tools/check-layers.sh               check this tree
#   tools/check-layers.sh --self-test   plant a violation of every rule in a copy of the tree and
#                                       see each one reported (and a permitted file pass)
set -euo pipefail
export LC_ALL=C

# Which folder of src/core may include which: the whole table. A folder inside a folder
# (kernel/families, models/rvm) has the rights of the outer one.
allowed_folders() {
  case "$1" in
    base) echo "base" ;;
    simd) echo "simd base" ;;
    math) echo "math simd base" ;;
    linalg) echo "linalg math simd base" ;;
    likelihood) echo "likelihood math simd base" ;;
    kernel) echo "kernel linalg math simd base" ;;
    partition) echo "partition math simd base" ;;
    posterior) echo "posterior partition kernel likelihood linalg math simd base" ;;
    sparse_ep) echo "sparse_ep posterior partition kernel likelihood linalg math simd base" ;;
    exact) echo "exact posterior partition kernel linalg math simd base" ;;
    learning) echo "learning base" ;;
    models) echo "models learning sparse_ep exact posterior partition kernel likelihood linalg math simd base" ;;
  esac
}

# No folder of src/core may hold more source files than this.
most_files=25

# No function of the core, and none of C++ that R calls, may have more arguments than this: what
# belongs together is a struct, or a list.
most_arguments=8

# The only files that may include an R or Rcpp header.
may_include_r='^src/(bind_[a-z0-9_]+\.cpp|convert(_[a-z]+)?\.(h|cpp)|context_r\.(h|cpp)|RcppExports\.cpp)$'
r_header='^(R|Rinternals|Rmath|Rdefines|Rconfig|Rversion|Rembedded|Rinterface|Rcpp|RcppEigen|RcppCommon)(\.h)?$|^(R_ext|Rcpp|RcppEigen)/'

# The one file of the core that asks the system for something: large pages, where it is Linux.
asks_system=src/core/base/large_pages.cpp

# Brackets keep these patterns from matching their own definition.
leftover='\<(T[O]DO|F[I]XME)\>|^(<{7}|>{7}) '
machine_path='(^|[^A-Za-z0-9_.~}])/(w[o]rk|t[m]p|h[o]me|r[o]ot|f[a]rm|U[s]ers)/'
outside='(\.\.|file\.path\("\.\.",|")/? *"?sh[a]red["/]'

violations=0
report() { # file, line, what
  printf '%s:%s: %s\n' "$@"
  violations=$((violations + 1))
}

# "line:header" for every #include of a file; a quoted header keeps its opening quote.
includes() {
  { grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' "$1" || true; } |
    sed -E 's/^([0-9]+):[^"<]*(["<])([^">]*).*/\1:\2\3/; s/:</:/'
}

# "line:text" for every line of C++ that matches a pattern, line comments removed.
code_lines() { # file, pattern
  sed -E 's|//.*$||' "$1" | { grep -nE "$2" || true; }
}

# The model that a path below src/core belongs to: models/rvm/active.h -> rvm; empty for the files
# that all models share (models/fit_result.h) and for all other folders.
model_of() {
  case "$1" in
    models/*/*)
      local inner=${1#models/}
      echo "${inner%%/*}"
      ;;
  esac
}

check_core_include() { # file, line, header as printed by includes()
  local file=$1 line=$2 header=$3 folder target model
  folder=$(cut -d / -f 3 <<<"$file")
  if [[ "$header" != \"* ]]; then
    if [[ "$header" =~ $r_header ]]; then
      report "$file" "$line" "R header <$header> in the core"
    elif [[ "$folder" == simd && "$header" == Eigen/* ]]; then
      report "$file" "$line" "Eigen in simd/, whose code is compiled for several instruction sets"
    elif ! [[ "$header" =~ ^[a-z_]+$ || "$header" == Eigen/* ||
      ("$folder" == simd && "$header" =~ ^(immintrin|arm_neon)\.h$) ||
      ("$file" == "$asks_system" && "$header" == sys/mman.h) ]]; then
      report "$file" "$line" "<$header> is neither Eigen nor the C++ standard library"
    fi
    return
  fi
  header=${header#\"}
  if [[ "$header" == *..* ]]; then
    report "$file" "$line" "\"$header\" climbs; write \"folder/file.h\""
    return
  fi
  if [[ "$header" =~ $r_header ]]; then
    report "$file" "$line" "R header \"$header\" in the core"
    return
  fi
  if [[ "$header" != */* ]]; then header=$(dirname "${file#src/core/}")/$header; fi
  target=${header%%/*}
  if [[ " $(allowed_folders "$folder") " != *" $target "* ]]; then
    report "$file" "$line" "$folder may not include \"$header\" ($folder sees: $(allowed_folders "$folder"))"
  else
    model=$(model_of "$header")
    if [[ -n "$model" && "$model" != "$(model_of "${file#src/core/}")" ]]; then
      report "$file" "$line" "includes \"$header\", which belongs to model $model alone"
    fi
  fi
}

# A header outside the models that only one model includes belongs into that model's folder. What
# glue, benchmarks or another common file include is common.
check_shared() {
  local file user
  while IFS=: read -r file user; do
    report "$file" 1 "only model $user uses this file: it belongs to models/$user"
  done < <(grep -E '^(src|bench/core)/.*\.(h|cpp)$' <<<"$files" | perl -ne '
    chomp;
    my $user = $_;
    my ($folder) = $user =~ m{^src/core/(.*)/[^/]*$};
    my $who = $user =~ m{^src/core/models/([^/]+)/} ? $1 : "common";
    open my $in, "<", $user or next;
    while (<$in>) {
      next unless /^\s*#\s*include\s*"([^"]+)"/;
      my $header = $1;
      if ($header !~ m{/}) { $header = defined $folder ? "$folder/$header" : next; }
      (my $own = "src/core/$header") =~ s/\.h$/.cpp/;
      $users{$header}{$who} = 1 unless $own eq $user;
    }
    END {
      for my $header (sort keys %users) {
        my @who = keys %{$users{$header}};
        next if $header =~ m{^models/} || @who > 1 || $who[0] eq "common";
        print "src/core/$header:$who[0]\n";
      }
    }')
}

check_folder_sizes() {
  local count folder
  while read -r count folder; do
    if [ "$count" -gt "$most_files" ]; then
      report "$folder" 1 "holds $count source files; at most $most_files"
    fi
  done < <(grep -E '^src/core/.*\.(h|cpp)$' <<<"$files" | sed 's|/[^/]*$||' | sort | uniq -c)
}

check_core() {
  local file folder line header
  while IFS= read -r file; do
    folder=$(cut -d / -f 3 <<<"$file")
    if [[ "$file" != src/core/*/* || -z "$(allowed_folders "$folder")" ]]; then
      report "$file" 1 "not in one of the folders the table of tools/check-layers.sh knows"
      continue
    fi
    while IFS=: read -r line header; do
      check_core_include "$file" "$line" "$header"
    done < <(includes "$file")
    while IFS=: read -r line _; do
      report "$file" "$line" "the core prints (use Context)"
    done < <(code_lines "$file" 'std::(cout|cerr|clog)|(^|[^A-Za-z0-9_])(f|v|vf)?(printf|puts|putchar)[[:space:]]*\(')
    while IFS=: read -r line _; do
      report "$file" "$line" "the core mentions R"
    done < <(code_lines "$file" '(^|[^A-Za-z0-9_])(Rcpp::|SEXP([^A-Za-z0-9_]|$)|R_CheckUserInterrupt)')
  done < <(grep -E '^src/core/.*\.(h|cpp)$' <<<"$files")
}

check_glue() {
  local file line header
  while IFS= read -r file; do
    if [[ "$file" =~ $may_include_r ]]; then continue; fi
    while IFS=: read -r line header; do
      if [[ "${header#\"}" =~ $r_header ]]; then
        report "$file" "$line" "R header outside bind_*.cpp, convert*.*, context_r.*"
      fi
    done < <(includes "$file")
  done < <(grep -E '^src/[^/]+\.(h|hpp|cpp|c)$' <<<"$files")
}

# One R function reaches C++: core_*() symbols only as the first argument of call_core(). What
# R/base-core.R itself defines is an R function, whatever its name.
check_r() {
  local file line what own=""
  if [ -f R/base-core.R ]; then own=$(sed -nE 's/^(core_[A-Za-z0-9_]+) *(<-|=).*/\1/p' R/base-core.R | xargs); fi
  while IFS= read -r file; do
    case "$file" in R/base-core.R | R/RcppExports.R) continue ;; esac
    while IFS=: read -r line what; do
      report "$file" "$line" "$what"
    done < <(OWN=$own perl -0777 -ne '
      BEGIN { %own = map { $_ => 1 } split " ", $ENV{OWN} }
      s/#[^\n]*//g;
      while (/(?<![\w.])(core_\w+|\.(?:Call|External)(?=\())/g) {
        my ($symbol, $before) = ($1, substr($_, 0, $-[0]));
        next if $own{$symbol};
        next if $symbol =~ /^core_/ && $before =~ /(?<![\w.])call_core\(\s*$/;
        my $line = 1 + ($before =~ tr/\n//);
        print $symbol =~ /^core_/ ? "$line:$symbol is not the first argument of call_core()\n"
                                  : "$line:$symbol() outside RcppExports.R\n";
      }' "$file")
  done < <(grep -E '^R/.*\.[Rr]$' <<<"$files")
}

check_arguments() {
  local file line what
  while IFS=: read -r file line what; do
    report "$file" "$line" "$what"
  done < <(grep -E '^src/core/.*\.(h|cpp)$' <<<"$files" |
    xargs -r perl tools/count-arguments.pl "$most_arguments")
  if [ ! -f R/RcppExports.R ]; then return; fi
  while IFS=: read -r line what; do
    report R/RcppExports.R "$line" "$what"
  done < <(MOST=$most_arguments perl -ne '
    next unless /^(core_\w+) <- function\((.*)\)/;
    my ($name, $arguments) = ($1, $2);
    my $count = 1 + ($arguments =~ tr/,//);
    print "$.:$name() has $count arguments; at most $ENV{MOST}\n" if $count > $ENV{MOST};' R/RcppExports.R)
}

# Lines of any text file that match a pattern; -I passes over binary files.
grep_tree() { # pattern
  tr '\n' '\0' <<<"$files" | { xargs -0 grep -nIE -e "$1" -- /dev/null || true; }
}

check_text() {
  local file line text
  while IFS=: read -r file line text; do
    report "$file" "$line" "leftover: ${text:0:60}"
  done < <(grep_tree "$leftover")
  while IFS=: read -r file line text; do
    report "$file" "$line" "path of one machine"
  done < <(grep_tree "$machine_path")
  while IFS=: read -r file line text; do
    if [[ "$text" != *GPSIEVE_DATA* ]]; then
      report "$file" "$line" "data outside the tree, reached other than by GPSIEVE_DATA"
    fi
  done < <(grep_tree "$outside")
}

# The layers of R, by the words with which the names of its files begin.
check_r_layers() {
  local file line what
  while IFS=: read -r file line what; do
    report "$file" "$line" "${what# }"
  done < <(Rscript tools/check-r-layers.R)
}

check_tree() {
  files=$(list_files)
  check_core
  check_shared
  check_folder_sizes
  check_glue
  check_r
  check_r_layers
  check_arguments
  check_text
  if [ "$violations" -gt 0 ]; then
    echo "check-layers: $violations violation(s)" >&2
    return 1
  fi
}

# --- self-test ---------------------------------------------------------------------------------

planted=()
plant() { # expected message, file, text: the violation stands on the last line of the text
  mkdir -p "$copy/$(dirname "$2")"
  printf '%b\n' "$3" >"$copy/$2"
  planted+=("$2:$(wc -l <"$copy/$2"): $1")
}

self_test() {
  local copy found missed=0 t="TO" f="FIX"
  copy_tree

  plant "R header <Rcpp.h> in the core" src/core/base/zz1.h '// a\n#include <Rcpp.h>'
  plant "R header \"Rmath.h\" in the core" src/core/math/zz1.h '#include "Rmath.h"'
  plant "<boost/any.hpp> is neither" src/core/base/zz2.h '#include <boost/any.hpp>'
  plant "<sys/mman.h> is neither" src/core/base/zz10.cpp '#include <sys/mman.h>'
  plant "Eigen in simd/" src/core/simd/zz1.cpp '#include <Eigen/Core>'
  plant "the core prints" src/core/base/zz3.cpp '#include <string>\nvoid f() { std::cout << 1; }'
  plant "the core prints" src/core/base/zz4.cpp '// printf(x)\nvoid f() { printf("x"); }'
  plant "the core mentions R" src/core/base/zz5.cpp 'SEXP f();'
  plant "base may not include \"math/normal.h\"" src/core/base/zz6.h '#include "math/normal.h"'
  plant "math may not include \"linalg/views.h\"" src/core/math/zz2.h '#include "linalg/views.h"'
  plant "kernel may not include \"likelihood/likelihood.h\"" src/core/kernel/zz1.h \
    '#include "likelihood/likelihood.h"'
  plant "linalg may not include \"kernel/kernel.h\"" src/core/linalg/zz1.h \
    '#include "kernel/kernel.h"'
  plant "posterior may not include \"models/ivm/ivm.h\"" src/core/posterior/zz1.h \
    '#include "models/ivm/ivm.h"'
  plant "kernel may not include \"models/ivm/ivm.h\"" src/core/kernel/families/zz1.h \
    '#include "models/ivm/ivm.h"'
  plant "\"../base/types.h\" climbs" src/core/models/zz1.h '#include "../base/types.h"'
  plant "includes \"models/ivm/ivm.h\", which belongs to model ivm alone" src/core/models/zz/b.cpp \
    '#include "zz.h"\n#include "models/fit_result.h"\n#include "models/zz/state.h"\n#include "models/ivm/ivm.h"'
  plant "includes \"models/zz/zz.h\", which belongs to model zz alone" src/core/models/zz2.h '#include "models/zz/zz.h"'
  plant "only model zz uses this file" src/core/math/zz3.h '// for one model'
  echo '#include "math/zz3.h"' >"$copy/src/core/models/zz/c.cpp"
  mkdir -p "$copy/src/core/math/crowd"
  touch "$copy/src/core/math/crowd/"{a..z}.cpp
  planted+=("src/core/math/crowd:1: holds 26 source files")
  plant "not in one of the folders" src/core/extra/zz1.h '#include <string>'
  plant "R header outside" src/zz1.cpp '#include <RcppEigen.h>'
  plant "R header outside" src/zz2.h '#include "Rinternals.h"'
  plant "core_fit_ivm is not the first argument" R/zz1.R 'f <- function(x)\n  core_fit_ivm(x)'
  plant "core_b is not the first argument" R/zz2.R '# core_a(x)\ncall_core(core_a, core_b)'
  plant ".Call() outside" R/zz3.R 'f <- function(x) .Call("f", x)'
  plant "begins with no word of the table of layers" R/zz.R 'zz_f <- function(x) x'
  plant "zz_up uses zz_down of R/choose-zz.R, a layer above" R/base-zz1.R \
    '# zz_down(x)\n\nzz_up <- function(x) zz_down(x)'
  plant "zz_value uses zz_down of R/choose-zz.R, a layer above" R/rows-zz1.R \
    'zz_value <- function(x) lapply(x, zz_down)'
  echo 'zz_down <- function(x) x' >"$copy/R/choose-zz.R"
  local i
  for i in {10..20}; do
    echo "zz_round_$i <- function() zz_round_$((i == 20 ? 10 : i + 1))()" >"$copy/R/draw-zz$i.R"
  done
  planted+=("R/draw-zz10.R:1: one of 11 files that call each other in a circle")
  plant "many() has 9 arguments" src/core/base/zz7.h \
    '// nine\nvoid many(int a, const std::pair<int, int>& b, int, int d, int e, int f, int g, int h, int i = 2);'
  plant "Many() has 9 arguments" src/core/base/zz8.h \
    'struct Many {\n  explicit Many(int a, int b, int c, int d, int e, int f, int g, int h, int i) : a_(a) {}'
  plant "many() has 9 arguments" src/core/base/zz9.h \
    'bool (*many)(int a, int b, int c, int d, int e, int f, int g, int h, int i);'
  plant "core_many() has 9 arguments" R/RcppExports.R \
    'core_few <- function(a, b, c, d, e, f, g, h) {\n}\ncore_many <- function(a, b, c, d, e, f, g, h, i) {'
  plant "leftover" tools/zz1.sh "# ${t}DO later"
  plant "leftover" R/zz4.R "# ${f}ME"
  plant "leftover" R/zz5.R "<<<<""<<< HEAD"
  plant "path of one machine" bench/zz1.R 'x <- readRDS("/ho'"me/ann/x.rds\")"
  plant "data outside the tree" bench/zz2.R 'x <- "../sh'"ared/data/x.csv\""
  plant "data outside the tree" bench/zz3.R 'x <- file.path("..", "sh'"ared\", \"data\")"

  # Permitted, however alike: nothing may be said about these.
  mkdir -p "$copy/src/core/kernel" "$copy/R" "$copy/src"
  printf '%s\n' '#include <Eigen/Core>' '#include <vector>' '#include "linalg/products.h"' \
    '#include "base/types.h"' '// std::cout' 'int f() { return snprintf(0, 0, "x"); }' \
    >"$copy/src/core/kernel/yy1.cpp"
  printf '%s\n' 'void few(int a, std::pair<int, int> b, int c, int d, int e, int f, int g, int h);' \
    'int x = many(a, b, c, d, e, f, g, h, i);' 'many(a * b, 1, c, d, e, f, g, h, "i");' \
    >"$copy/src/core/base/yy2.h"
  printf '%s\n' 'call_core(' '  core_a,' '  x' ')' 'hardcore_a(1)' 'call_core(core_b, 1)' \
    >"$copy/R/base-yy2.R"
  # shellcheck disable=SC2016 # the dollar signs are R's
  printf '%s\n' 'yy_f <- function(zz_down) zz_down' 'yy_g <- function(x) x$zz_down' \
    'yy_h <- quote(zz_down(1))' >"$copy/R/base-yy4.R"
  printf '%s\n' '#include <Rcpp.h>' '#include "models/ivm/ivm.h"' >"$copy/src/bind_yy.cpp"
  echo "core_own <- function() 1" >>"$copy/R/base-core.R"
  echo "core_own()" >"$copy/R/base-yy3.R"
  echo "GPSIEVE_DATA ?= ../sh""ared/data" >"$copy/yy4.mk"

  found=$(found_in_planted "$copy/tools/check-layers.sh") || return 1
  all_reported "$found" "${planted[@]}" || missed=1
  none_reported "$found" '(^|/)(bind_|base-)?yy[0-9]*\.' || missed=1
  [ "$missed" -eq 0 ] || return 1
  echo "check-layers: all ${#planted[@]} planted violations found"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh
run_check "$@"
