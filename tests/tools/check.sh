#!/usr/bin/env bash
# check.sh [--with-tests]: format, lint, types and documentation side by side; with the tests that need no Neovim, but
# for those that take long.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
python=.venv/bin/python
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
names=() pids=()

run() {
  local name=$1
  shift
  "$@" >"$out/$name" 2>&1 &
  names+=("$name") pids+=($!)
}

unit() { # name, folders and options
  local name=$1
  shift
  run "$name" "$python" -m pytest -q -p no:cacheprovider -m "not (alone or slow)" "$@"
}

# In two halves that take as long as each other, with few examples: `make test` runs them as one, with more of them and
# with what is slow. Without compiled files pytest would rewrite every assertion again, which takes a third of the time.
if [ "${1:-}" = --with-tests ]; then
  unset PYTHONDONTWRITEBYTECODE
  export ACP_HYPOTHESIS=glance
  half=(protocol chat session)
  unit "unit tests" "${half[@]/#/tests/unit/}"
  unit "more unit tests" tests/unit "${half[@]/#/--ignore=tests/unit/}"
fi
run types "$python" -m mypy
run format "$python" -m ruff format --check .
run lint "$python" -m ruff check --quiet --output-format concise .
stylua=$(ls .cache/stylua-*/stylua 2>/dev/null || command -v stylua)
if [ -n "$stylua" ]; then
  run "lua format" "$stylua" --check --output-format summary .
else
  echo "check: no stylua (npm brings it), the Lua format is not looked at"
fi
run "lua names" "$(tests/tools/find-nvim.sh)" --clean -l tests/tools/undefined_names.lua lua plugin ftplugin
run messages "$python" tests/tools/messages.py --check
run documentation "$python" tests/tools/docs.py --check
run "help pages" "$python" tests/tools/help_pages.py --check

failed=0
for i in "${!pids[@]}"; do
  if wait "${pids[$i]}"; then
    [[ ${names[$i]} != *"unit tests" ]] || tail -n 1 "$out/${names[$i]}"
  else
    failed=1
    printf '\ncheck: %s\n' "${names[$i]}"
    cat "$out/${names[$i]}"
  fi
done
[ $failed = 1 ] || echo "check: ${names[*]}: fine"
exit $failed
