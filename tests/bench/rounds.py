"""Runs in rounds: every load once for every column, then again, for as long as there is time.

A round takes turns among the columns, so that whatever else the machine does meets all of them alike. Later rounds
leave out what only tells an order of magnitude.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench import bench
from tests.bench.bars import OURS_ONLY, RATIOS

HERE = Path(__file__).resolve().parent
LEAST = 1  # rounds, whatever they take
BAD = ("skip", "fail", "timeout")


def options(nvim: str, source: Path) -> argparse.Namespace:
    return argparse.Namespace(
        nvim=nvim,
        src=str(source),
        python=os.path.realpath(sys.executable),
        host_python=sys.executable,
        adapter_dir=str(HERE / "adapters"),
        timeout=60.0,
    )


def cells(nvims: list[str], loads: list[str], number: int) -> Iterator[tuple[str, str, str]]:
    """Of a round: Neovim, load, column."""
    for load in loads:
        for place, nvim in enumerate(nvims):
            columns = ["acp_nvim"]
            if load == "startup":
                columns += ["nothing"]
            elif load not in OURS_ONLY and load != "cold":
                columns += ["pylimit"] if load in RATIOS or place + number == 0 else []
                columns += ["limit"] if place + number == 0 else []
            elif load == "cold":
                columns += ["pylimit"]
            yield from ((nvim, load, column) for column in columns)


def run(nvims: list[str], loads: list[str], source: Path, seconds: float) -> list[dict]:
    began, rows, given_up = time.monotonic(), [], set()
    longest, number = 0.0, 0
    while number < LEAST or time.monotonic() + longest < began + seconds:
        start = time.monotonic()
        for cell in cells(nvims, loads, number):
            if cell not in given_up:
                row = _measured(*cell, source, number)
                rows.append(row)
                given_up |= {cell} if any(key in row for key in BAD) else set()
        longest, number = time.monotonic() - start, number + 1
    return rows


def _measured(nvim: str, load: str, column: str, source: Path, number: int) -> dict:
    began = time.monotonic()
    row = bench.one(options(nvim, source), column, load)
    row.update(nvim=nvim, load=load, adapter=column, round=number)
    told = {key: round(value, 3) for key, value in row.items() if isinstance(value, float)}
    said = {key: row[key] for key in BAD if key in row}
    took = time.monotonic() - began
    name = Path(nvim).parents[1].name
    print(f"{number} {name} {load:26} {column:9} {took:4.1f} s {json.dumps(said or told)}", flush=True)
    return row
