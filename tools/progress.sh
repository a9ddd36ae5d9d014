#!/usr/bin/env bash
# Says what a long command is doing, from its output on standard input: which file is compiled, and
# after fifteen seconds without news what was begun last.
#
#   command 2>&1 | tools/progress.sh              every line of the output as it is
#   command 2>&1 | tools/progress.sh --compiled   the compiled files and the steps of R CMD INSTALL
set -uo pipefail

compiled=no
if [ "${1:-}" = --compiled ]; then compiled=yes; fi

doing="starting"
since=$SECONDS
while true; do
  if IFS= read -r -t 15 line; then
    if [[ "$line" =~ \ -c\ ([^ ]+\.cpp)\  ]]; then
      line="compiling ${BASH_REMATCH[1]##*/}"
    elif [ "$compiled" = yes ] && [[ "$line" != "** "* ]]; then
      continue
    fi
    echo "$line"
    doing=$line
    since=$SECONDS
  elif [ "$?" -gt 128 ]; then # no line in time
    echo "... $doing ($((SECONDS - since)) seconds)"
  else
    exit 0
  fi
done
