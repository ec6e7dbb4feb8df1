# The one door: make install | demo | test | check | bench | clean
PY := .venv/bin/python

.PHONY: check test
check:
	$(PY) -m ruff format --check . && $(PY) -m ruff check . && $(PY) -m mypy && $(PY) -m pytest -q tests/unit
test:
	$(PY) -m pytest -n 2
