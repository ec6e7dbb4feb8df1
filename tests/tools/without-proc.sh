#!/usr/bin/env bash
# without-proc.sh COMMAND...: run a command of Linux where there is no /proc and ps is that of BSD, as on macOS.
#
#   tests/tools/without-proc.sh .venv/bin/python -m pytest tests/functional/test_process_lifetimes.py
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hidden=$(mktemp -d)
trap 'rm -rf "$hidden"' EXIT
mkdir "$hidden/proc" "$hidden/bin"
printf '#!/bin/sh\nexec "%s" -I -S "%s" "%s" "$@"\n' \
  "$(command -v python3)" "$here/bsd_ps.py" "$hidden/proc" >"$hidden/bin/ps"
chmod +x "$hidden/bin/ps"
user=()
[ "$(id -u)" = 0 ] || user=(-r)
# the mounts are gone with the command
# shellcheck disable=SC2016 # for the inner shell
unshare -m ${user[@]+"${user[@]}"} sh -c '
  mount --rbind /proc "$0/proc" && mount -t tmpfs none /proc && PATH=$0/bin:$PATH && export PATH && exec "$@"
' "$hidden" "$@"
