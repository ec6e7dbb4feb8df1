"""Many bent inputs against what reads them. ACP_FUZZ says how many (`make chaos`: a million); a seed that has failed
once stands in cases.json, and is played first for ever."""

import json
import os
import random
import time
from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

HOW_MANY = int(os.environ.get("ACP_FUZZ", "2000"))
CASES: dict[str, list[int]] = json.loads(Path(__file__).with_name("cases.json").read_text())
SLICES = 4  # side by side


@pytest.mark.parametrize(("target", "seed"), [(name, seed) for name in CASES for seed in CASES[name]])
def test_what_has_failed_once(target: str, seed: int) -> None:
    TARGETS[target](random.Random(seed))


@pytest.mark.parametrize("part", range(SLICES))
@pytest.mark.parametrize("target", TARGETS)
def test_no_input_breaks_it(target: str, part: int) -> None:
    first = int.from_bytes(os.urandom(6), "big") if "ACP_FUZZ" in os.environ else part * 10**9
    slowest = 0.0
    for seed in range(first, first + HOW_MANY // (SLICES * len(TARGETS))):
        began = time.process_time()
        try:
            TARGETS[target](random.Random(seed))
        except Exception as error:
            raise AssertionError(f"add {seed} to '{target}' in cases.json: {error!r}") from error
        slowest = max(slowest, time.process_time() - began)
    assert slowest < 1, "one small input must not take a second"
