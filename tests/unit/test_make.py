"""Whoever is told to call make finds what they call."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
# at the begin of a command, or as code in a sentence; `make` alone is the first target
CALL = re.compile(
    r"(?:^(?:[ #]*|.*run: |ACP_\w+=\S+ )|[`&;|] *|timeout \S+ )make ([a-z][a-z-]+)", re.MULTILINE
)
CALLERS = [".github/workflows/ci.yml", ".ci/run", "Makefile", "README.md", "CONTRIBUTING.md", "SECURITY.md"]


@pytest.mark.parametrize("caller", CALLERS)
def test_what_is_called_is_a_target(caller: str):
    called = CALL.findall((ROOT / caller).read_text())
    assert called or caller == "SECURITY.md"
    assert set(called) - TARGETS == set()


def test_no_target_is_taken_for_a_file():
    (phony,) = re.findall(r"^\.PHONY: (.*)", MAKEFILE, re.MULTILINE)
    assert set(phony.split()) == TARGETS


def test_the_forge_and_the_gate_run_what_proves_the_project():
    assert "make test-all" in (ROOT / ".ci/run").read_text()
    forge = (ROOT / ".github/workflows/ci.yml").read_text()
    assert {"check", "check-types-lua", "test"} <= set(CALL.findall(forge))
