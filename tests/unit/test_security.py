"""SECURITY.md promises nothing that no test holds."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text()
PROMISES = PAGE.split("## What is promised")[1].split("## What is not promised")[0]
EACH = [" ".join(text.split()) for text in re.split(r"^- ", PROMISES, flags=re.MULTILINE)[1:]]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@pytest.mark.parametrize("promise", EACH, ids=lambda text: text[:40])
def test_a_promise_names_tests_that_exist(promise: str):
    named = NAMED.findall(promise)
    assert named
    for file, test in named:
        assert re.search(rf"^(async )?def {test}\(", (ROOT / file).read_text(), re.MULTILINE), test


def test_there_are_promises():
    assert len(EACH) > 20
