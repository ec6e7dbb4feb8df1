"""Where a chunk spends its time, from the agent's write to the screen: `make bench ARGS=--where`.

All processes read one clock. A chunk's moment at each station is the first stamp there after its last one.
"""

import os
import statistics
import sys
import tempfile
import time
from bisect import bisect_left
from pathlib import Path

from tests.bench import bench, rounds

HERE = Path(__file__).resolve().parent
STATIONS = {
    "read": "the pipe, until the backend reads it",
    "applied": "split, decoded, put into the transcript",
    "drawn": "pooled, until the next frame is due",
    "sent": "view: what changes in the buffer",
    "flushed": "the editor carries the frame out and draws the screen",
}


class Watched(bench.Rpc):
    """A user interface that notes when its screen was drawn."""

    moments: list[float]

    def __setattr__(self, name: str, value: object) -> None:
        if name == "flushes":
            self.__dict__.setdefault("moments", []).append(time.monotonic())
        super().__setattr__(name, value)


def stations(stamps: Path, moments: list[float]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in STATIONS}
    for line in stamps.read_text().splitlines():
        name, seconds = line.split()
        found[name].append(float(seconds))
    return {**found, "flushed": moments}


def spent(written: list[float], found: dict[str, list[float]]) -> dict[str, list[float]]:
    """Of each chunk the seconds up to each station, from the one before."""
    spans: dict[str, list[float]] = {name: [] for name in STATIONS}
    for began in written:
        now = began
        for name in STATIONS:
            at = bisect_left(found[name], now)
            if at == len(found[name]):
                break
            spans[name].append(found[name][at] - now)
            now = found[name][at]
    return spans


def show(spans: dict[str, list[float]]) -> None:
    print("| until it is | ms, median | ms, 95 % | what happens |\n|---|---|---|---|")
    for name, seconds in spans.items():
        ordered = sorted(each * 1000 for each in seconds)
        middle, late = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
        print(f"| {name} | {middle:.2f} | {late:.2f} | {STATIONS[name]} |")
    print(f"| in all | {1000 * sum(map(statistics.median, spans.values())):.2f} | | |")


def measure(nvim: str, source: Path, load: str = "paced:3:40") -> None:
    with tempfile.TemporaryDirectory() as folder:
        stamps, python = Path(folder) / "stamps", Path(folder) / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{HERE / "stamps.py"}"\n')
        python.chmod(0o700)
        os.environ.update(BENCH_STAMPS=str(stamps), BENCH_ACP_PYTHON=str(python), BENCH_LINES="1")
        bench.Rpc = Watched
        editor = bench.Editor(rounds.options(nvim, source), "acp_nvim", load)
        try:
            editor.run()
            written = [event["t"] for event in bench.read_log(editor.log) if event["ev"] == "line"]
            show(spent(written, stations(stamps, editor.rpc.moments)))
        finally:
            editor.close()
