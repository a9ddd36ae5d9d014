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
#   tools/lane.sh libcxx        clang with libc++ (Debian packages clang, libc++-dev, libc++abi-dev)
#                               reads every file of C++ by itself; the tests of the core, and the
#                               package and Rcpp built and tested
#   tools/lane.sh gnu20         the same by g++ in C++20, the language of R 4.6, with R's own Rcpp
#   tools/lane.sh incoming      R CMD check --as-cran as CRAN's machines and R-devel make it
#                               without tests and vignettes, which `make check` runs
#   tools/lane.sh gctorture     every function of C++ that R calls, with garbage collected at each
#                               allocation
#
# TESTS=<regular expression> chooses other test files than the lane's own choice.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
lane=${1:-}
folder=$PWD/build/lanes/$lane
tests='^(contract|contract-storage|kernel|kernel-algebra|kernel-matrix|likelihood|query|damaged-fit)$'
quick_tests='^(kernel|kernel-matrix|likelihood|query)$' # for code that is not optimised
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
  libcxx)
    tests=$quick_tests
    compiler="clang++ -stdlib=libc++" standard=c++17
    needs="clang with libc++ (Debian packages clang, libc++-dev and libc++abi-dev)"
    # Clang's OpenMP is another Debian package.
    makevars="CXX17 = $compiler
SHLIB_OPENMP_CXXFLAGS =
CXX17FLAGS += -O0 -Wall"
    ;;
  gnu20)
    tests=$quick_tests
    compiler=g++ standard=gnu++20 needs="g++ 10 or newer"
    core_flags=-Wno-maybe-uninitialized # at -O1 g++ warns of empty vectors of Eigen
    makevars="CXX17STD = -std=$standard
CXX17FLAGS += -O0 -Wall"
    ;;
  depends-only | gctorture | incoming) ;;
  *)
    sed -n 's/^#   \(tools.lane.*\)/\1/p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac

# `make install` of this lane: its own objects, its own library, its own flags.
install() {
  mkdir -p "$folder/library"
  make --no-print-directory install BUILD="$folder" INSTALL_FLAGS="$install_flags" \
    MAKEVARS="$makevars" CORE_WARNINGS= R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}"
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

# Rcpp by the lane's compiler, in the lane's library. An error that is thrown in a package ends R
# where Rcpp's own shared object, which makes the condition of it, has another library of C++.
install_rcpp() {
  if [ -d "$folder/library/Rcpp" ]; then return; fi
  mkdir -p "$folder/library"
  printf '%s\n' "CXX = $compiler" "CXX11 = $compiler" "CXX14 = $compiler" "CXX17 = $compiler" \
    >"$folder/Makevars.Rcpp"
  R_MAKEVARS_USER=$folder/Makevars.Rcpp Rscript -e '
    mirror <- Sys.getenv("CRAN_MIRROR", "https://cloud.r-project.org")
    library <- commandArgs(TRUE)[1]
    install.packages("Rcpp", lib = library, repos = mirror, type = "source", quiet = TRUE)
    quit(status = !nzchar(system.file(package = "Rcpp", lib.loc = library)))' "$folder/library"
}

# Ends the lane where its compiler or that one's library is missing.
require_compiler() {
  # shellcheck disable=SC2086 # several words
  if ! $compiler "-std=$standard" -fsyntax-only -x c++ - 2>/dev/null <<<'#include <vector>'; then
    echo "lane $lane needs $needs" >&2
    exit 2
  fi
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

# The tests of the core by another compiler, in the standard of the lane, warnings as errors.
core_tests() {
  make -C tests/core --no-print-directory -s -j"${JOBS:-2}" run BUILD="build-$lane" \
    CXX="$compiler" STANDARD="$standard" OPT="-O1 ${core_flags:-}" TESTS=
}

# A warning about a file of the package fails, one about a header of Eigen or Rcpp does not.
refuse_warnings() {
  if grep -E '^(\.\./|core/|units/|[a-zA-Z0-9_]+\.(cpp|h))[^ ]*: warning:' "$folder/install.log"; then
    return 1
  fi
}

tests=${TESTS:-$tests}
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that called
export TZ=${TZ:-UTC} # or R asks the system for it, with warnings where there is none
if [ "${compiler:-}" ]; then
  require_compiler
  # shellcheck disable=SC2086 # several words
  read_files $compiler "-std=$standard"
fi
if [ "$lane" = incoming ]; then
  make --no-print-directory install
  library=$(Rscript -e 'cat(dirname(find.package("gpsieve")))')
else
  if [ "$lane" = libcxx ]; then install_rcpp; fi
  install
fi
case "$lane" in
  libcxx | gnu20)
    refuse_warnings
    core_tests
    run_tests
    ;;
  gctorture) run_r tools/gctorture.R ;;
  depends-only)
    # Tests and vignettes need packages in Suggests.
    _R_CHECK_DEPENDS_ONLY_=true tools/check-package.sh "$folder/library" --no-tests \
      --ignore-vignettes --no-build-vignettes
    ;;
  incoming)
    for check in BOGUS_RETURN BROWSER_NONINTERACTIVE CODE_ASSIGN_TO_GLOBALENV CODE_ATTACH \
      CODE_CLASS_IS_STRING CODE_DATA_INTO_GLOBALENV DEPRECATED_DEFUNCT DOC_SIZES2 DONTTEST_EXAMPLES \
      FF_DUP INTERNALS2 OVERWRITE_REGISTERED_S3_METHODS RD_LINE_WIDTHS RD_STYLE RD_VALIDATE_RD2HTML \
      REPLACING_IMPORTS SERIALIZATION STOP_ON_INVALID_NUMERIC_VERSION_INPUTS SUBDIRS_STRICT \
      SUGGESTS_ONLY THINGS_IN_CHECK_DIR THINGS_IN_OTHER_DIRS THINGS_IN_TEMP_DIR TOPLEVEL_FILES \
      UNSAFE_CALLS VC_DIRS VIGNETTE_TITLES; do
      export "_R_CHECK_${check}_=true"
    done
    export _R_CHECK_RD_CHECKRD_MINLEVEL_=-Inf
    tools/check-package.sh "$library" --no-tests --ignore-vignettes --no-build-vignettes
    ;;
  *) run_tests ;;
esac
echo "lane $lane: clean"
