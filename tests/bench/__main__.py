"""`make bench`: our column beside the limits, as ratios within one run, against the bars.

    python tests/bench NVIM [--reps 3] [--loads a,b] [--adapters limit,pylimit,acp_nvim]

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

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MANY, SCROLL, PACED = "chunks:20000:20", "after:5000:80:paced:3:50", "paced:5:200"
LOADS = [MANY, PACED, SCROLL, "tools:500", "diff:10000", "bigline:16", "replay:5000", "cold", "startup"]

# load, figure, what it is compared with (a column or nothing), the bar, True if more is better
BARS = [
    (MANY, "quiet", "pylimit", 1.5, False),
    (MANY, "p99", None, 15, False),
    (PACED, "p99", None, 4, False),
    (SCROLL, "p99", None, 10, False),
    (SCROLL, "flushes", None, 90, True),
    ("tools:500", "quiet", None, 0.13, False),
    ("tools:500", "p99", None, 20, False),
    ("diff:10000", "permission_shown", None, 0.1, False),
    ("bigline:16", "quiet", None, 0.2, False),
    ("replay:5000", "quiet", None, 0.06, False),
    ("cold", "ready", None, 0.11, False),
    ("startup", "startup_ms", "nothing", 1.0, False),
]


def measure(options: argparse.Namespace, out: Path, source: Path) -> None:
    command = [sys.executable, HERE / "bench.py", "--nvim", options.nvim, "--src", source, "--out", out]
    command += ["--reps", str(options.reps), "--loads", options.loads, "--adapters", options.adapters]
    subprocess.run(list(map(str, command)), check=True)


def median(rows: list[dict], load: str, adapter: str, figure: str) -> float | None:
    found = [
        row[figure] for row in rows if (row["load"], row["adapter"]) == (load, adapter) and figure in row
    ]
    return statistics.median(found) if found else None


def report(rows: list[dict]) -> bool:
    """The table; True if every bar that was measured holds."""
    print("\n| load | figure | ours | beside it | bar | |\n|---|---|---|---|---|---|")
    fine = True
    for load, figure, beside, bar, more in BARS:
        ours = median(rows, load, "acp_nvim", figure)
        other = median(rows, load, beside, figure) if beside else None
        if ours is None or (beside and other is None):
            continue
        value = ours - other if beside == "nothing" else ours / other if other else ours
        held = value >= bar if more else value <= bar
        fine = fine and held
        against = f"{other:.3f} ({beside})" if beside else ""
        word = "held" if held else "NOT HELD"
        print(
            f"| {load} | {figure} | {ours:.3f} | {against} | {'≥' if more else '≤'} {bar} | {word} ({value:.2f}) |"
        )
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("nvim")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--loads", default=",".join(LOADS))
    parser.add_argument("--adapters", default="nothing,limit,limit_nots,pylimit,acp_nvim")
    options = parser.parse_args()
    options.nvim = str(Path(options.nvim).absolute())
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "acp_nvim").symlink_to(ROOT)
        out = Path(folder) / "results.jsonl"
        measure(options, out, Path(folder))
        subprocess.run([sys.executable, HERE / "bench.py", "--report", str(out)], check=True)
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    return 0 if report(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
