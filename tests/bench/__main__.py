"""`make bench`: our column beside the limits, as ratios within one run, against the bars.

    python -m tests.bench NVIM [--reps 3] [--loads a,b] [--adapters limit,pylimit,acp_nvim]
    python -m tests.bench NVIM --write     the table goes to doc/PERFORMANCE.md
    python -m tests.bench NVIM --where     where a chunk spends its time, from the agent's write to the screen

`limit` is plain Lua inside Neovim, `pylimit` a bare Python process over RPC, `limit_nots` plain Lua without the
highlighter. A bar is held or not by the medians of this run; seconds of another day or machine say nothing.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench import where
from tests.bench.bars import BARS, LOADS, PEERS, Bar

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "doc" / "PERFORMANCE.md"
HEAD = f"""# Performance

Made by `make bench ARGS=--write`: medians of one run of `tests/bench`, a screen attached, a fresh Neovim for each.
`limit` is plain Lua inside Neovim, `pylimit` a bare Python process that does the same over RPC: the bound of what a
backend in Python can do. Seconds of two runs cannot be compared, ratios within one can. The peers, {PEERS},
were measured elsewhere with the same loads.

"""


def measure(options: argparse.Namespace, out: Path, source: Path) -> None:
    command = [sys.executable, HERE / "bench.py", "--nvim", options.nvim, "--src", source, "--out", out]
    command += ["--reps", str(options.reps), "--loads", options.loads, "--adapters", options.adapters]
    subprocess.run(list(map(str, command)), check=True)


def median(rows: list[dict], load: str, adapter: str, figure: str) -> float | None:
    found = [
        row[figure] for row in rows if (row["load"], row["adapter"]) == (load, adapter) and figure in row
    ]
    return statistics.median(found) if found else None


def line(bar: Bar, rows: list[dict]) -> tuple[str, bool] | None:
    """Of the table, and if the bar holds; None: not measured."""
    ours = median(rows, bar.load, "acp_nvim", bar.figure)
    limits = [median(rows, bar.load, name, bar.figure) for name in ("limit", "pylimit")]
    beside = median(rows, bar.load, bar.of, bar.figure) if bar.of else None
    value = None if ours is None else bar.value(ours, beside)
    if ours is None or value is None:
        return None
    sign = "≥" if bar.more else "≤"
    wanted = {
        "": f"{sign} {bar.bar:g}",
        "pylimit": f"{sign} {bar.bar:g} x pylimit",
        "nothing": f"{sign} +{bar.bar:g}",
    }[bar.of]
    shown = value if bar.of == "nothing" else ours
    ratio = ours / limits[1] if limits[1] else None
    cells = [bar.what, bar.unit, f"{shown:.3g}", *map(_number, limits), _number(ratio), wanted]
    held = bar.holds(value)
    return " | ".join(["", *cells, "held" if held else "**missed**", bar.peers, ""]).strip(), held


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def table(rows: list[dict]) -> tuple[str, bool]:
    """All that was measured; True if every bar of it holds."""
    lines = [found for bar in BARS if (found := line(bar, rows))]
    head = "| load | unit | ours | limit | pylimit | ours ÷ pylimit | bar | | peers |\n" + "|---" * 9 + "|\n"
    return head + "".join(f"{text}\n" for text, _ in lines), all(held for _, held in lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("nvim")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--loads", default=",".join(LOADS))
    parser.add_argument("--adapters", default="nothing,limit,limit_nots,pylimit,acp_nvim")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--where", action="store_true")
    options = parser.parse_args()
    options.nvim = str(Path(options.nvim).absolute())
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "acp_nvim").symlink_to(ROOT)
        if options.where:
            where.measure(options.nvim, Path(folder))
            return 0
        out = Path(folder) / "results.jsonl"
        measure(options, out, Path(folder))
        subprocess.run([sys.executable, HERE / "bench.py", "--report", str(out)], check=True)
        rows = [json.loads(text) for text in out.read_text().splitlines()]
    text, held = table(rows)
    print(f"\n{text}")
    if options.write:
        PAGE.write_text(HEAD + text)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
