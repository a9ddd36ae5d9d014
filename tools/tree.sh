# shellcheck shell=bash
# What the checks of the tree share; sourced, with the top of the tree as the working directory.

# Tracked files and new ones not ignored; in a copy that is no repository, everything.
list_files() {
  if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
    git ls-files --cached --others --exclude-standard
  else
    find . -type f -not -path './.git/*' | sed 's|^\./||'
  fi | sort -u | while IFS= read -r file; do
    if [ -f "$file" ]; then printf '%s\n' "$file"; fi
  done
}

# Copies the tree into a new temporary folder, which goes when the script ends, and names it in
# `copy`.
copy_tree() {
  copy=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder's name now, not at exit
  trap "rm -rf '$copy'" EXIT
  list_files | tar -cf - -T - | tar -xf - -C "$copy"
}

# Prints what a check found; fails if that is anything.
nothing_found() { # lines
  if [ -n "$1" ]; then
    printf '%s\n' "$1"
    return 1
  fi
}

# What a check says of a tree with planted faults; fails if the check passes it.
found_in_planted() { # check...
  if "$@" 2>/dev/null; then
    echo "self-test: the planted tree passed" >&2
    return 1
  fi
}

# Shows the lines of `found` about places that are permitted; fails if there is one.
none_reported() { # found, regular expression
  if grep -E -- "$2" <<<"$1" >&2; then
    echo "self-test: a permitted place was reported" >&2
    return 1
  fi
}

# Names every planted fault that the lines `found` do not report; fails if there is one.
all_reported() { # found, planted fault...
  local found=$1 missed=0 wanted
  for wanted in "${@:2}"; do
    if ! grep -qF -- "$wanted" <<<"$found"; then
      echo "self-test: not reported: $wanted" >&2
      missed=1
    fi
  done
  return "$missed"
}

# Runs check_tree, or with --self-test self_test, both of which the check defines.
run_check() { # the arguments of the check
  case "${1:-}" in
    --self-test) self_test ;;
    "") check_tree ;;
    *)
      echo "usage: $0 [--self-test]" >&2
      exit 2
      ;;
  esac
}
