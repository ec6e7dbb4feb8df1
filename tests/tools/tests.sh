#!/usr/bin/env bash
# tests.sh [arguments of pytest]: all tests, six at a time; then, with nothing beside them, those that measure by the
# clock. Tests that failed are looked at again, alone, unless they are many: then it is no accident.
# ACP_FEWER_CASES=1 leaves out what tests/fewer_cases.py says.
#
#   beside others   alone                        verdict
#   fails           passes                       NOT STEADY: a race, named so that it is mended
#   fails           fails, then passes twice     NOT STEADY: it fails alone, too, at times
#   fails           fails, and fails again       failed
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
# Without compiled files each of the processes would rewrite every assertion again.
unset PYTHONDONTWRITEBYTECODE
python=.venv/bin/python
few=20
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT

# Nothing to do (5) is fine: the arguments may choose.
look() {
  "$python" -m pytest -o cache_dir="$cache" "$@"
  local status=$?
  [ $status = 5 ] || return $status
}

failed=$cache/v/cache/lastfailed
failures() { "$python" -c 'import json, sys; print(len(json.load(open(sys.argv[1]))))' "$failed"; }
# All that failed: which case is the first of its function is not to be judged by those alone.
look_again() { ACP_FEWER_CASES="" look --last-failed --last-failed-no-failures none -rA -q "$@"; }

again() { # arguments of pytest
  local count
  count=$(failures) || return 1
  [ "$count" -gt 0 ] && [ "$count" -le $few ] || return 1
  printf '\ntests: %s failed; they are looked at again, alone\n' "$count"
  if look_again "$@"; then
    printf '\ntests: NOT STEADY: what has just passed failed beside others; each is a race to be mended\n'
    return
  fi
  printf '\ntests: %s failed alone, too; they have to pass twice now\n' "$(failures)"
  cp "$failed" "$cache/alone"
  look_again "$@" || return 1
  cp "$cache/alone" "$failed"
  look_again "$@" || return 1
  printf '\ntests: NOT STEADY: what has just passed twice failed alone before; that is to be mended first\n'
}

status=0
look -n 6 -m "not alone" "$@" || again -m "not alone" "$@" || status=1
# Only what has the mark is read: all modules take seconds, in which nothing else runs.
modules=("$@")
[ $# -gt 0 ] || IFS=$'\n' read -r -d "" -a modules < <(grep -rl --include="test_*.py" "mark\.alone" tests)
look -m alone "${modules[@]}" || again -m alone "${modules[@]}" || status=1
exit $status
