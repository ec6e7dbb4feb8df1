#!/usr/bin/env bash
# venv.sh [test]: the checkout's .venv with the package in it (editable) and, with `test`, the tools of the tests.
#
# Nothing is done, and no network asked, as long as the checkout's place and pyproject.toml are those it was made for.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/tools/apt.sh
. tests/tools/apt.sh

venv=.venv
python=$venv/bin/python
what=${1:-run}
key="$PWD $(cksum <pyproject.toml)"
log=$PWD/.cache/venv.log

works() { "$python" -I -S -c 'import sys; sys.version_info >= (3, 11) or sys.exit(1)' 2>/dev/null; }
made() { works && [ "$(cat "$venv/made-$1" 2>/dev/null)" = "$key" ]; }

# A shim of a version manager is resolved to the interpreter behind it.
base_python() {
  local name
  for name in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do
    "${name:-false}" -I -c 'import sys
sys.version_info >= (3, 11) or sys.exit(1)
print(getattr(sys, "_base_executable", sys.executable))' 2>/dev/null && return
  done
  return 1
}

quietly() { "$@" >>"$log" 2>&1; }

# pip out of Debian's own package of it, for a python3 that came without pip and ensurepip.
pip_from_debian() {
  local cache=.cache/pip wheel
  mkdir -p "$cache"
  private_apt trixie "$PWD/$cache" && quietly "${apt[@]}" update || return 1
  (cd "$cache" && quietly "${apt[@]}" download python3-pip-whl) || return 1
  dpkg-deb -x "$cache"/python3-pip-whl_*.deb "$cache" || return 1
  wheel=$(find "$cache" -name 'pip-*.whl' | head -n 1)
  quietly "$python" "$wheel/pip" install --no-index --no-deps "$wheel"
}

make_venv() {
  local base
  base=$(base_python) || die "Python 3.11 or newer is needed: install it, or name it: make PYTHON=/path/to/python3"
  rm -rf "$venv"
  if "$base" -I -c 'import ensurepip, venv' 2>/dev/null && quietly "$base" -I -m venv "$venv"; then return; fi
  rm -rf "$venv"
  if quietly "$base" -I -m venv --without-pip "$venv"; then
    ! quietly "$base" -I -m pip --python "$python" install pip || return 0
    ! pip_from_debian || return 0
  fi
  rm -rf "$venv"
  die "$base cannot make a virtual environment: install python3-venv (apt install python3-venv) or uv"
}

install_with_uv() {
  works || quietly uv venv --quiet --python ">=3.11" "$venv" || return 1
  quietly uv pip install --quiet --python "$python" --compile-bytecode "$@"
}

install_with_pip() {
  "$python" -I -c 'import pip, sys; sys.version_info >= (3, 11) or sys.exit(1)' 2>/dev/null || make_venv
  quietly "$python" -I -m pip --quiet --disable-pip-version-check install "$@"
}

mkdir -p .cache
exec 9>.cache/venv.lock
! command -v flock >/dev/null || flock 9 # make -j
extra=
[ "$what" = run ] || extra="[$what]"
if ! made "$what"; then
  : >"$log"
  echo "Making .venv ..." >&2
  if ! command -v uv >/dev/null || ! install_with_uv -e ".$extra"; then
    if ! install_with_pip -e ".$extra"; then
      tail -n 20 "$log" >&2
      die "the packages named in pyproject.toml could not be installed (see above)"
    fi
  fi
  for name in run "$what"; do echo "$key" >"$venv/made-$name"; done
fi
# without the byte code the first start is three times as slow; what is up to date is only looked at
"$python" -I -m compileall -q acp_nvim
