"""What is measured and how good it has to be: the bars, and what other clients took for the same.

A bar is a number, or a multiple of the `pylimit` of the same run where its `of` says so. The peers were measured
elsewhere: beside our figures they tell an order of magnitude, and no more.
"""

from dataclasses import dataclass
from typing import Literal

MANY, PACED, SCROLL = "chunks:20000:20", "paced:5:200", "after:5000:80:paced:3:50"
PEERS = "codecompanion f1afd025 / avante a9334315 / zenodea/acp.nvim f7fd87d"


@dataclass(frozen=True, slots=True)
class Bar:
    load: str
    figure: str  # of the results of bench.py
    what: str
    unit: str
    bar: float
    peers: str = ""
    of: Literal["", "pylimit", "nothing"] = ""  # times the one, above the other
    more: bool = False  # is better

    def value(self, ours: float, beside: float | None) -> float | None:
        """What the bar is held against; None: nothing to compare with."""
        if not self.of:
            return ours
        if beside is None:
            return None
        return ours - beside if self.of == "nothing" else ours / beside

    def holds(self, value: float) -> bool:
        return value >= self.bar if self.more else value <= self.bar


BARS = [
    Bar(MANY, "quiet", "20,000 chunks of 20 bytes", "s", 1.3, "0.94 / 1.26 / 32.8", "pylimit"),
    Bar(MANY, "p99", "… another client waits", "ms", 15, "653 / 765 / 10,787"),
    Bar(PACED, "p99", "200 chunks/s: another client waits", "ms", 4, "8.3 / 13.2 / 4.2"),
    Bar(PACED, "cpu", "… CPU of Neovim in 5 s", "s", 0.4, "2.76 / 1.25 / 2.44"),
    Bar(SCROLL, "p99", "50 chunks/s onto 16,500 lines: another client waits", "ms", 10, "416 / 165 / 8"),
    Bar(SCROLL, "flushes", "… screen updates in 3 s", "", 90, "3 / 60 / 3", more=True),
    Bar(SCROLL, "cpu", "… CPU of Neovim in 3 s", "s", 0.3, "3.6 / 4.6 / 3.1"),
    Bar("tools:500", "quiet", "500 tool calls, 3 updates each", "s", 0.13, "0.13 / 0.35 / 0.13"),
    Bar("tools:500", "p99", "… another client waits", "ms", 20, "94 / 110 / 21"),
    Bar("diff:10000", "permission_shown", "diff of 10,000 lines: asked", "s", 0.1, "0.99 / 0.87 / 0.02"),
    Bar("diff:10000", "p99", "… another client waits", "ms", 30, "960 / 789 / -"),
    Bar("bigline:16", "quiet", "one line of 16 MB", "s", 0.2, "1.19 / 1.76 / 0.35"),
    Bar("bigline:16", "p99", "… another client waits", "ms", 20, "1,065 / 775 / 95"),
    Bar("read:200", "req_median_ms", "fs read, 2,000 lines", "ms", 1.2, "1.75 / 0.61 / 0.73", "pylimit"),
    Bar("write:50", "req_median_ms", "fs write, 2,000 lines", "ms", 1.5, "2.4 / 5.9 / 1.34", "pylimit"),
    Bar("replay:5000", "quiet", "replay of 5,000 updates", "s", 0.06, "0.077 / 0.17 / 0.23"),
    Bar("replay:5000", "p99", "… another client waits", "ms", 20, "35 / 70 / 106"),
    Bar("cold", "ready", "first start to usable", "s", 2.0, "0.052 / 0.051 / 0.048", "pylimit"),
    Bar("cold", "command", "… the editor is kept", "s", 0.02),
    Bar("startup", "startup_ms", "added to Neovim's start", "ms", 1.0, "+10 / +15.3 / +5.3", "nothing"),
]
LOADS = list(dict.fromkeys(bar.load for bar in BARS))
