#!/usr/bin/env bash
# Installs what is missing to build and run the package, and nothing else.
#
#   tools/setup.sh              R, a C++17 compiler, the packages in Imports and LinkingTo, and
#                               those tools/demo.R uses (Config/Needs/demo)
#   tools/setup.sh --test       also Suggests, and Eigen for the standalone core tests
#   tools/setup.sh --check      also what R CMD check --as-cran wants
#   tools/setup.sh --document   also what regenerates the help pages (Config/Needs/document)
#   tools/setup.sh --lint       also what checks the style of R, C++ and shell
#   tools/setup.sh --site       also what makes the site (Config/Needs/site)
#   tools/setup.sh --coverage   also what counts the lines that tests reach
#   tools/setup.sh --cluster    also what makes clusters and servers for tests: Config/Needs/cluster,
#                               Open MPI, Slurm, PostgreSQL
#
# The package lists are those of DESCRIPTION. Debian binaries where Debian has a version new
# enough, CRAN otherwise. Silent, and done in a fraction of a second, when nothing is missing.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
cran=${CRAN_MIRROR:-https://cloud.r-project.org}

fields="Depends Imports LinkingTo Config/Needs/demo"
tools="R:r-base-core g++:g++ make:make"
headers=""
for argument in "$@"; do
  case "$argument" in
    --test | --check | --coverage | --cluster)
      fields="$fields Suggests"
      headers="/usr/include/eigen3/Eigen/Core:libeigen3-dev"
      tools="$tools pandoc:pandoc"
      if [ "$argument" = --check ]; then tools="$tools qpdf:qpdf tidy:tidy"; fi
      if [ "$argument" = --coverage ]; then fields="$fields Config/Needs/coverage"; fi
      if [ "$argument" = --cluster ]; then
        fields="$fields Config/Needs/cluster"
        tools="$tools mpirun:openmpi-bin slurmctld:slurm-wlm munged:munge pg_createcluster:postgresql"
      fi
      ;;
    --lint)
      fields="$fields Config/Needs/lint"
      tools="$tools clang-format:clang-format shellcheck:shellcheck"
      ;;
    --document) fields="$fields Config/Needs/document" ;;
    --site)
      fields="$fields Config/Needs/site"
      tools="$tools pandoc:pandoc"
      ;;
    *)
      echo "usage: tools/setup.sh [--test] [--check] [--document] [--lint] [--site] [--coverage] [--cluster]" >&2
      exit 2
      ;;
  esac
done

say() { printf 'setup: %s\n' "$*"; }
die() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

# Runs a noisy command; shows what it said only when it fails.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
can_apt() {
  command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }
}

apt_updated=no
apt_update() {
  if [ "$apt_updated" = yes ]; then return; fi
  quietly "${as_root[@]}" apt-get update -qq ||
    say "apt-get update failed (see above); going on with the lists there are."
  apt_updated=yes
}
apt_install() {
  say "apt: $*"
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" || die "apt-get could not install: $*"
}

# Programs and headers that are absent, as the Debian packages that bring them.
missing_system() {
  local pair
  for pair in $tools; do command -v "${pair%%:*}" >/dev/null || echo "${pair#*:}"; done
  for pair in $headers; do [ -e "${pair%%:*}" ] || echo "${pair#*:}"; done
}

# R packages named in the given fields of DESCRIPTION, and R itself, that are absent or too old:
# "name version" lines, version 0 when any will do.
missing_packages() {
  # shellcheck disable=SC2016 # the dollar signs are R's
  Rscript -e '
    fields <- strsplit(commandArgs(TRUE), " ")[[1]]
    text <- stats::na.omit(read.dcf("DESCRIPTION", fields)[1, ])
    entries <- trimws(unlist(strsplit(text, ",")))
    names <- sub("[[:space:]]*[(].*", "", entries)
    needed <- ifelse(grepl("[(]", entries), gsub(".*>=[[:space:]]*|[)].*", "", entries), "0")
    installed <- function(name) {
      if (name == "R") return(as.character(getRversion()))
      suppressWarnings(utils::packageDescription(name, fields = "Version"))
    }
    for (i in which(!duplicated(names))) {
      found <- installed(names[i])
      if (is.na(found) || utils::compareVersion(found, needed[i]) < 0) {
        cat("missing", names[i], needed[i], "\n")
      }
    }
  ' "$fields" | sed -n 's/^missing //p' # a profile may print, too
}

# The Debian package of an R package, when apt has one that is new enough.
debian_package() {
  local package candidate
  package=r-cran-$(printf '%s' "$1" | tr '[:upper:]' '[:lower:]')
  candidate=$(apt-cache show --no-all-versions "$package" 2>/dev/null |
    sed -n 's/^Version: *//p' | head -n 1) || return 1
  [ -n "$candidate" ] && dpkg --compare-versions "${candidate#*:}" ge "$2" && echo "$package"
}

install_from_cran() {
  say "CRAN: $*"
  # Sources may need the Fortran compiler and the BLAS headers that Debian's R leaves out, and a
  # bare machine has no certificates to trust the mirror by.
  if can_apt && ! dpkg -s r-base-dev ca-certificates >/dev/null 2>&1; then
    apt_update
    apt_install r-base-dev ca-certificates
  fi
  # shellcheck disable=SC2016
  quietly Rscript -e '
    args <- commandArgs(TRUE)
    writable <- .libPaths()[file.access(.libPaths(), 2) == 0]
    library <- if (length(writable)) writable[1] else path.expand(Sys.getenv("R_LIBS_USER"))
    dir.create(library, showWarnings = FALSE, recursive = TRUE)
    install.packages(args[-1], lib = library, repos = args[1], quiet = TRUE)
    failed <- Filter(function(p) !nzchar(system.file(package = p, lib.loc = library)), args[-1])
    if (length(failed)) stop("not installed: ", toString(failed))
  ' "$cran" "$@" || die "install.packages failed (see above) for: $*"
}

system=$(missing_system | sort -u)
if [ -n "$system" ]; then
  can_apt || die "missing: $(echo "$system" | xargs)" \
    "Run again as root or where sudo and apt-get are available, or install these yourself."
  apt_update
  # shellcheck disable=SC2086 # one word per package
  apt_install $system
  hash -r
fi

packages=$(missing_packages)
if grep -q '^R ' <<<"$packages"; then
  die "R is $(Rscript -e 'cat(as.character(getRversion()))'); needed: $(grep '^R ' <<<"$packages")"
fi
if [ -n "$packages" ] && can_apt; then
  apt_update
  binaries=()
  while read -r name version; do
    if package=$(debian_package "$name" "$version"); then binaries+=("$package"); fi
  done <<<"$packages"
  if [ "${#binaries[@]}" -gt 0 ]; then
    apt_install "${binaries[@]}"
    packages=$(missing_packages)
  fi
fi
if [ -n "$packages" ]; then
  # shellcheck disable=SC2046 # one word per package
  install_from_cran $(echo "$packages" | cut -d ' ' -f 1)
  packages=$(missing_packages)
  [ -z "$packages" ] || die "still missing or too old:" "$packages"
fi
