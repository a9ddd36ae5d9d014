#!/bin/sh
# Usage: tools/check-isa.sh <object file, shared object or program, not stripped>
#
# Fails if an AVX instruction stands outside the functions made for it: those in namespaces
# kernels_avx2 and kernels_avx512. Anywhere else it would kill R on an older processor.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 <shared object>" >&2; exit 2; }

objdump -d --no-show-raw-insn "$1" | awk '
  /^[0-9a-f]+ <.*>:$/ { symbol = $2; marked = symbol ~ /_avx(2|512)/; functions += marked; next }
  # A VEX or EVEX mnemonic starts with v (verr and verw do not count) or works on mask registers.
  !marked && ($2 ~ /^v/ && $2 !~ /^ver[rw]$/ || /%[yz]mm[0-9]/ || /%k[0-7]/) { print symbol, $0; bad++ }
  END {
    if (bad) { print bad " AVX instructions outside marked functions" > "/dev/stderr"; exit 1 }
    if (!functions) print "note: no function made for AVX found" > "/dev/stderr"
  }'
