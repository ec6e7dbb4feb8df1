"""The table of bars, and the page that it stands on."""

import statistics
import subprocess
from pathlib import Path

from tests.bench.bars import BARS, OLDER, Bar, Median

PAGE = Path(__file__).resolve().parents[2] / "doc" / "PERFORMANCE.md"
PEERS = ("codecompanion f1afd025", "avante a9334315", "zenodea/acp.nvim f7fd87d")
TEXT = """# Performance

Made by `make bench ARGS=--write`, which takes some six minutes.
This run: {rounds} rounds, {versions}.
In a round every load is played once for every column, each in a fresh Neovim with a screen of 120x40 attached and
with a scripted agent that sends as fast as its pipe takes it, or at the rate named. The figures are medians.

- **ours** is this plugin in Neovim {newest}{older}.
- **limit** is plain Lua inside Neovim without a client around it: decode, pool, append to a buffer with treesitter.
- **pylimit** is a bare Python process that does the same over RPC: the bound of what a backend in Python can do.
- **codecompanion**, **avante**, **zenodea**: three peers, measured with the same loads in Neovim 0.12.4 on another day
  and machine ({peers}).
- **p99** is what another RPC client waits that asks every 5 ms, which is what a user feels who types meanwhile. A time
  in seconds ends when the editor answers again as quickly as before.

Seconds of two runs cannot be compared; ratios within one can. The columns do not show the same: `limit` and `pylimit`
put all text on the screen as Markdown, we fold what tool calls bring, and some peers show one line of it or no diff.

{table}

{verdict}
"""


def medians(rows: list[dict], nvim: str) -> Median:
    def median(load: str, adapter: str, figure: str) -> float | None:
        wanted = (nvim, load, adapter)
        found = [
            row[figure]
            for row in rows
            if (row["nvim"], row["load"], row["adapter"]) == wanted and row.get(figure) is not None
        ]
        return statistics.median(found) if found else None

    return median


class Line:
    """One bar, held against what was measured in each Neovim; the first is the one that counts whole."""

    def __init__(self, bar: Bar, columns: list[Median]) -> None:
        self.bar, self.columns = bar, columns
        self.missed = [place for place in range(len(columns)) if not self._holds(place)]

    def _holds(self, place: int) -> bool:
        value = self.bar.value(self.columns[place])
        return value is not None and self.bar.holds(value, OLDER if place else 1)

    def __str__(self) -> str:
        bar, first = self.bar, self.columns[0]
        limits = [_scaled(first(bar.load, name, bar.figure), bar) for name in ("limit", "pylimit")]
        if bar.of == "nothing":
            limits = [None, None]
        ours = bar.shown(first)
        ratio = ours / limits[1] if ours is not None and limits[1] else None
        figures = [self._cell(place) for place in range(len(self.columns))]
        cells = [bar.what, bar.unit, *figures, *map(_number, [*limits, ratio]), bar.wanted]
        verdict = "**missed**" if self.missed else "held"
        return "| " + " | ".join([*cells, verdict, *bar.peers]) + " |"

    def _cell(self, place: int) -> str:
        value = self.bar.shown(self.columns[place])
        text = "failed" if value is None else _number(value)
        return f"**{text}**" if place in self.missed else text


def _scaled(value: float | None, bar: Bar) -> float | None:
    return None if value is None else value * bar.scale


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def lines(rows: list[dict], nvims: list[str]) -> list[Line]:
    loads, columns = {row["load"] for row in rows}, [medians(rows, nvim) for nvim in nvims]
    return [Line(bar, columns) for bar in BARS if bar.load in loads]


def table(found: list[Line], versions: list[str]) -> str:
    names = [f"in {version}" for version in versions]
    names[0] = "ours"
    peers = [name.split()[0].removesuffix("/acp.nvim") for name in PEERS]
    heads = ["load", "unit", *names, "limit", "pylimit", "ours ÷ pylimit", "bar", "", *peers]
    rule = "|---" * len(heads) + "|"
    return "\n".join(["| " + " | ".join(heads) + " |", rule, *map(str, found)])


def version(nvim: str) -> str:
    said = subprocess.run([nvim, "--version"], capture_output=True, text=True, check=True).stdout
    return said.split("\n", 1)[0].removeprefix("NVIM v")


def verdict(found: list[Line], versions: list[str]) -> str:
    missed = [(line.bar, place) for line in found for place in line.missed]
    if not missed:
        return "Every bar holds."
    held = sum(not line.missed for line in found)
    named = [f"- {_whole(bar)}, in Neovim {versions[place]}" for bar, place in missed]
    return "\n".join([f"{held} of {len(found)} bars hold. These do not:", "", *named])


def _whole(bar: Bar) -> str:
    """Its name, with that of its load where it goes on from the bar above it."""
    first = next(each for each in BARS if each.load == bar.load)
    return bar.what if bar is first else f"{first.what.split(':')[0]}: {bar.what.removeprefix('… ')}"


def text(found: list[Line], versions: list[str], rounds: int) -> str:
    later = f" and, beside it, in {versions[1]}, where twice a bar is granted" if versions[1:] else ""
    return TEXT.format(
        rounds=rounds,
        versions=" and ".join(f"Neovim {name}" for name in versions),
        newest=versions[0],
        older=later,
        peers=", ".join(PEERS),
        table=table(found, versions),
        verdict=verdict(found, versions),
    )
