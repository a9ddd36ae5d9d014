#!/usr/bin/env bash
# Fails while the tree holds something that only the maintainer of a release can fill in, or that
# differs between the files that name the release. RELEASING.md has the list with the commands.
#
#   tools/release-check.sh               check this tree
#   tools/release-check.sh --self-test   a tree that is filled in passes, and each kind of fault is
#                                        reported
set -euo pipefail
export LC_ALL=C

field() { sed -n "s/^$1: *//p" DESCRIPTION; }

# "file:line: what" for everything that stands in the way of a release.
faults() {
  local version placeholder file
  version=$(field Version)
  # Brackets keep the pattern from matching its own definition.
  placeholder='example[.]org|The gpsieve auth[o]rs|HOLDER: gpsieve auth[o]rs|\(c\) 2[0-9]+ gpsieve auth[o]rs'
  for file in DESCRIPTION LICENSE LICENSE.md CITATION.cff CODE_OF_CONDUCT.md inst/CITATION; do
    if [ -f "$file" ]; then
      { grep -nE "$placeholder" "$file" || true; } | cut -d : -f 1 |
        sed "s|.*|$file:&: a placeholder|"
    else
      echo "$file:1: is missing"
    fi
  done
  if [ "$(sed -n 's/^version: *//p' CITATION.cff)" != "$version" ]; then
    echo "CITATION.cff:1: its version is not $version, that of DESCRIPTION"
  fi
  if [ "$(sed -n 's/^# gpsieve *//p' NEWS.md | head -n 1)" != "$version" ]; then
    echo "NEWS.md:1: its first heading is not 'gpsieve $version', the version of DESCRIPTION"
  fi
  { grep -nE 'gpsieve_[0-9.]+\.tar\.gz|!\[version ' README.md || true; } |
    { grep -vE "gpsieve_$version\.tar|version $version\]" || true; } | cut -d : -f 1 |
    sed "s|.*|README.md:&: its version is not $version, that of DESCRIPTION|"
  if ! grep -qF ">$version<" man/figures/version.svg; then
    echo "man/figures/version.svg:1: its version is not $version, that of DESCRIPTION"
  fi
  if [[ "$version" == *.9* ]]; then echo "DESCRIPTION:1: $version is the version of a tree in work"; fi
}

check_tree() {
  local found
  found=$(faults)
  if [ -n "$found" ]; then
    printf '%s\n' "$found"
    echo "release-check: RELEASING.md says what to do" >&2
    return 1
  fi
}

self_test() {
  local copy found
  copy_tree
  cd "$copy"
  sed -i 's/example\.org/gpsieve.net/; s/gpsieve authors/Ann Example/; s/^Version:.*/Version: 1.2.3/' \
    DESCRIPTION LICENSE LICENSE.md CITATION.cff CODE_OF_CONDUCT.md inst/CITATION
  sed -i 's/^version:.*/version: 1.2.3/' CITATION.cff
  sed -i '1,/^# gpsieve/s/^# gpsieve.*/# gpsieve 1.2.3/' NEWS.md
  sed -i -E 's/gpsieve_[0-9.]+\.tar/gpsieve_1.2.3.tar/; s/!\[version [0-9.]+/![version 1.2.3/' README.md
  sed -i -E 's/>[0-9.]+</>1.2.3</' man/figures/version.svg
  tools/release-check.sh || {
    echo "self-test: a tree that is filled in does not pass" >&2
    return 1
  }
  echo "URL: https://example.org/a" >>DESCRIPTION
  sed -i 's/^version:.*/version: 1.2.2/' CITATION.cff
  sed -i '1,/^# gpsieve/s/^# gpsieve.*/# gpsieve 1.2.2/' NEWS.md
  sed -i 's/gpsieve_1\.2\.3\.tar/gpsieve_1.2.2.tar/' README.md
  sed -i 's/>1\.2\.3</>1.2.2</' man/figures/version.svg
  rm LICENSE
  found=$(found_in_planted tools/release-check.sh) || return 1
  all_reported "$found" "a placeholder" "LICENSE:1: is missing" "CITATION.cff:1: its version" \
    "NEWS.md:1: its first heading" "README.md:" "man/figures/version.svg:1: its version"
  echo "release-check: every kind of fault found"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/tree.sh
. tools/tree.sh
run_check "$@"
