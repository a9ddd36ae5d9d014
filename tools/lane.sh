#!/usr/bin/env bash
# Builds the package in an unusual way and runs tests of it, apart from the usual build: objects and
# library of a lane are in build/lanes/<lane>. Ends with status 0 when every test passed and nothing
# was reported.
#
#   tools/lane.sh asan          the address and undefined-behaviour sanitizers, inside R
#   tools/lane.sh assertions    the assertions of libstdc++ and Eigen
#   tools/lane.sh no-openmp     a compiler without OpenMP
#   tools/lane.sh lto           link-time optimisation; one definition that differs is an error
#   tools/lane.sh valgrind      R itself under valgrind, whose long double has 64 bits
#   tools/lane.sh depends-only  R CMD check where the packages in Suggests are not installed
#   tools/lane.sh libcxx        every file of C++ by itself, read by clang with its own library libc++
#   tools/lane.sh gnu20         the same by g++ in C++20, the language of R 4.6
#   tools/lane.sh gctorture     every function that R calls in C++, a garbage collection at each
#                               allocation
#
# TESTS=<regular expression> chooses other test files than the lane's own choice.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
lane=${1:-}
folder=$PWD/build/lanes/$lane
tests='^(contract|contract-storage|kernel|kernel-algebra|kernel-matrix|likelihood|query|damaged-fit)$'
sanitizers='-fsanitize=address,undefined -fno-omit-frame-pointer'
makevars="" install_flags="" runner=(Rscript)

case "$lane" in
  asan)
    makevars="CXX17FLAGS += -O1 -U_FORTIFY_SOURCE $sanitizers -g1
LDFLAGS += $sanitizers"
    # The sanitizers' libraries must be there before R is. R leaks by design at its exit.
    install_flags=--no-test-load
    runner=(env LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)"
      ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 Rscript)
    ;;
  assertions)
    # Without NDEBUG Rcpp ends the process where it otherwise throws: no tests of damaged values.
    tests='^(contract|contract-storage|kernel|kernel-algebra|kernel-matrix|likelihood|query)$'
    makevars="CXX17FLAGS += -O1 -UNDEBUG -D_GLIBCXX_ASSERTIONS"
    ;;
  no-openmp) makevars="SHLIB_OPENMP_CXXFLAGS =" ;;
  lto)
    makevars="CXX17FLAGS += -flto -Werror=odr -Werror=lto-type-mismatch
LDFLAGS += -O2 -flto=${JOBS:-2} -Werror=odr -Werror=lto-type-mismatch"
    ;;
  valgrind)
    tests='^(kernel-matrix|query)$'
    runner=(R --vanilla --no-echo -d "valgrind -q --error-exitcode=9")
    ;;
  depends-only | gctorture | libcxx | gnu20) ;;
  *)
    sed -n 's/^#   \(tools.lane.*\)/\1/p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac

# `make install` of this lane: its own objects, its own library, its own flags.
install() {
  mkdir -p "$folder/library"
  make --no-print-directory install BUILD="$folder" INSTALL_FLAGS="$install_flags" \
    MAKEVARS="$makevars" R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}"
}

# Runs a file of R with the lane's library before all others.
run_r() {
  export R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}"
  if [ "${runner[0]}" = R ]; then "${runner[@]}" -f "$1"; else "${runner[@]}" "$1"; fi
}

# The chosen tests; the machine's real data are left out.
run_tests() {
  cat >"$folder/tests.R" <<END
Sys.setenv(NOT_CRAN = "true")
results <- testthat::test_dir("tests/testthat",
  package = "gpsieve", load_package = "installed", reporter = "check", filter = "$tests",
  stop_on_failure = FALSE
)
counts <- as.data.frame(results)
if (!sum(counts\$passed) || any(counts\$failed > 0 | counts\$error)) quit(status = 1)
END
  GPSIEVE_DATA='' run_r "$folder/tests.R"
}

# Reads every file of the package as a unit of its own, warnings as errors; no code is generated.
read_files() { # compiler and its options
  local include
  include=$(Rscript -e 'cat(sprintf("-isystem %s", c(R.home("include"),
    system.file("include", package = "Rcpp"), system.file("include", package = "RcppEigen"))))')
  # shellcheck disable=SC2086 # several words
  find src -name '*.cpp' ! -path 'src/units/*' ! -name RcppExports.cpp | sort |
    xargs -P "${JOBS:-2}" -n 1 "$@" -fsyntax-only -Wall -Wextra -Werror -Isrc/core $include \
      -DEIGEN_DONT_PARALLELIZE -DRCPP_NO_SUGAR -DRCPP_NO_MODULES -DRcppEigen__RcppEigen__h
}

tests=${TESTS:-$tests}
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that called
export TZ=${TZ:-UTC} # or R asks the system for it, with warnings where there is none
case "$lane" in libcxx | gnu20) ;; *) install ;; esac
case "$lane" in
  libcxx) read_files clang++ -std=c++17 -stdlib=libc++ ;;
  gnu20) read_files g++ -std=gnu++20 ;;
  gctorture) run_r tools/gctorture.R ;;
  depends-only)
    # Tests and vignettes need packages in Suggests.
    _R_CHECK_DEPENDS_ONLY_=true tools/check-package.sh "$folder/library" --no-tests \
      --ignore-vignettes --no-build-vignettes
    ;;
  *) run_tests ;;
esac
echo "lane $lane: clean"
