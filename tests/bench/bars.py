"""What is measured and how good it has to be: the bars, and what other clients took for the same.

A bar is a number, or held against the same figure elsewhere in the same run where its `of` says so. The peers were
measured on another day: beside our figures they tell an order of magnitude, and no more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

MANY, PACED, SCROLL = "chunks:20000:20", "paced:5:200", "after:5000:80:paced:3:50"
SMALL, MIDDLE, LARGE = "chunks:2500:20", "chunks:10000:20", "chunks:40000:20"
GIT = "repository:5000:200"
KEYS, TEN, FLOOD = "keys:50000", "many:10:paced:3:50", "flood:50"
TOOLS = "mcp:200"
LONG, MERGE, HUNKS = "lines:100000:1000:5", "unsaved:lines:200000:2:1", "hunks:lines:20000:2:1"
TURNS = "turns:20000:10"
OLDER = 2  # times a bar are granted to a Neovim that parses synchronously
Peers = tuple[str, str, str]  # codecompanion, avante, zenodea
Median = Callable[[str, str, str], float | None]  # of a load, an adapter and a figure
NOBODY: Peers = ("", "", "")


@dataclass(frozen=True, slots=True)
class Bar:
    load: str
    figure: str  # of the results of bench.py
    what: str
    unit: str
    bar: float
    peers: Peers = NOBODY
    of: Literal["", "pylimit", "nothing", "shorter"] = (
        ""  # times the one, above the other, times that of MIDDLE
    )
    more: bool = False  # is better
    scale: float = 1.0  # from the result to the unit

    def value(self, median: Median) -> float | None:
        """What the bar is held against; None: not measured, or nothing to compare with."""
        ours = median(self.load, "acp_nvim", self.figure)
        if ours is None or not self.of:
            return None if ours is None else ours * self.scale
        if self.of == "shorter":
            beside = median(MIDDLE, "acp_nvim", self.figure)
            return None if beside is None else ours / int(self.load.split(":")[1]) / (beside / 10_000)
        beside = median(self.load, self.of, self.figure)
        if beside is None:
            return None
        return ours - beside if self.of == "nothing" else ours / beside

    def shown(self, median: Median) -> float | None:
        if self.of == "nothing":
            return self.value(median)
        ours = median(self.load, "acp_nvim", self.figure)
        return None if ours is None else ours * self.scale

    def holds(self, value: float, times: float = 1) -> bool:
        return value >= self.bar / times if self.more else value <= self.bar * times

    @property
    def wanted(self) -> str:
        sign = "≥" if self.more else "≤"
        return {
            "": f"{sign} {self.bar:g}",
            "pylimit": f"{sign} {self.bar:g} x pylimit",
            "nothing": f"{sign} +{self.bar:g}",
            "shorter": f"{sign} {self.bar:g} x that of 10,000",
        }[self.of]


def per_chunk(load: str, what: str, bar: float, peers: Peers, of: Literal["", "shorter"] = "") -> Bar:
    return Bar(load, "quiet", what, "µs", bar, peers, of, scale=1e6 / int(load.split(":")[1]))


WAITS = "… another client waits, p99"
BARS = [
    Bar(MANY, "quiet", "20,000 chunks of 20 bytes", "s", 1.5, ("0.94", "1.26", "32.8"), "pylimit"),
    Bar(MANY, "p99", WAITS, "ms", 12, ("653", "765", "10,787")),
    Bar(MANY, "rss_helpers", "… memory of the backend at its peak", "MB", 160),
    per_chunk(SMALL, "a chunk of 2,500", 25, ("52", "22", "230")),
    per_chunk(MIDDLE, "a chunk of 10,000", 15, ("48", "36", "813")),
    per_chunk(LARGE, "a chunk of 40,000: flat", 1.2, ("47", "161", "gave up"), "shorter"),
    Bar(PACED, "p99", "200 chunks/s: another client waits, p99", "ms", 4, ("8.3", "13.2", "4.2")),
    Bar(PACED, "cpu_both", "… CPU of Neovim and the backend in 5 s", "s", 0.4, ("2.76", "1.25", "2.44")),
    Bar(SCROLL, "p99", "50 chunks/s onto 16,500 lines: another client waits, p99", "ms", 5, ("416", "165", "8")),
    Bar(SCROLL, "flushes", "… screen updates in 3 s", "", 120, ("3", "60", "3"), more=True),
    Bar(SCROLL, "cpu", "… CPU of Neovim in 3 s", "s", 0.3, ("3.6", "4.6", "3.1")),
    Bar("tools:500", "quiet", "500 tool calls, 60 lines and 3 updates each", "s", 0.13, ("0.13", "0.35", "0.13")),
    Bar("tools:500", "p99", WAITS, "ms", 20, ("94", "110", "21")),
    Bar("diff:10000", "permission_shown", "diff of 10,000 lines: the question is there", "s", 0.1, ("0.99", "0.87", "0.02 (no diff)")),
    Bar("diff:10000", "p99", WAITS, "ms", 20, ("960", "789", "-")),
    Bar("bigline:16", "quiet", "one line of 16 MB", "s", 0.2, ("1.19", "1.76", "0.35")),
    Bar("bigline:16", "p99", WAITS, "ms", 15, ("1,065", "775", "95")),
    Bar("bigline:16", "rss_peak", "… memory of Neovim at its peak", "MB", 60, ("1,816", "1,047", "611")),
    Bar("bigline:16", "rss_helpers", "… memory of the backend at its peak", "MB", 160),
    Bar("read:200", "req_median_ms", "fs read, 2,000 lines", "ms", 1.5, ("1.75", "0.61", "0.73")),
    Bar("write:50", "req_median_ms", "fs write, 2,000 lines", "ms", 3, ("2.4", "5.9", "1.34")),
    Bar(TOOLS, "req_initialize_ms", "the editor's tools: from the start of their server to its first answer", "ms", 150),
    Bar(TOOLS, "req_median_ms", "… a call of read_buffer, 1,000 lines", "ms", 8),
    Bar(TOOLS, "req_server_mb", "… memory of the server at its peak", "MB", 20),
    Bar(LONG, "max", "fs write of a loaded file of 100,000 lines: the editor waits", "ms", 60),
    Bar(HUNKS, "undo", "10,000 pending hunks: from the key that undoes one to the screen", "ms", 10),
    Bar(HUNKS, "typing_p99", "… from a key in the file to the screen, p99", "ms", 15),
    Bar(TURNS, "rss_grown", "10,000 pending hunks of ten turns: what Neovim has grown by", "MB", 100),
    Bar(MERGE, "max", "a merge of 200,000 lines, every second one changed: the editor waits", "ms", 200),
    Bar(GIT, "departure_median", "5,000 files in git, 200 of them changed: from `:Acp prompt` to the agent", "ms", 150),
    Bar(GIT, "departure_p99", "… p99", "ms", 350),
    Bar(GIT, "typing_p99", "… from a key in the prompt meanwhile to the screen, p99", "ms", 15),
    Bar("replay:5000", "quiet", "replay of 5,000 updates", "s", 0.08, ("0.077", "0.17", "0.23")),
    Bar("replay:5000", "p99", WAITS, "ms", 20, ("35", "70", "106")),
    Bar(KEYS, "typing_p99", "a chat of 50,000 lines: from a key in the prompt to the screen, p99", "ms", 8),
    Bar(KEYS, "scrolling_p99", "… from `<C-u>` or `<C-d>` in the chat, p99", "ms", 8),
    Bar(KEYS, "folding_p99", "… from `zo` or `zc` on a tool call, p99", "ms", 16),
    Bar(TEN, "p99", "ten sessions, 50 chunks/s each: another client waits, p99", "ms", 5),
    Bar(TEN, "cpu", "… CPU of Neovim in 3 s", "s", 0.4),
    Bar(TEN, "cpu_helpers", "… CPU of the backend in 3 s", "s", 0.4),
    Bar(FLOOD, "p99", "a command that writes 50 MB to its terminal: another client waits, p99", "ms", 8),
    Bar(FLOOD, "cpu", "… CPU of Neovim", "s", 0.1),
    Bar("cold", "ready", "first start to usable, beside an agent that starts at once", "s", 0.35, ("0.052", "0.051", "0.048")),
    Bar("cold", "command", "… the editor is kept", "s", 0.03),  # 270 small modules, 0.09 ms each, are read once
    Bar("cold", "rss_helpers", "… memory of the backend at rest", "MB", 70),
    Bar("startup", "startup_ms", "added to Neovim's start", "ms", 1.0, ("+10", "+15.3", "+5.3"), "nothing"),
]  # fmt: skip
LOADS = list(dict.fromkeys(bar.load for bar in BARS))
OURS_ONLY = {
    KEYS,
    TEN,
    FLOOD,
    TOOLS,
    LONG,
    MERGE,
    HUNKS,
    TURNS,
    GIT,
}  # what plain Lua and a bare Python process have no code for
RATIOS = {bar.load for bar in BARS if bar.of == "pylimit"}
