"""`make bench`: ours beside the limits and the peers, against the bars, in every Neovim given; the first is the newest.

    python -m tests.bench NVIM… [--seconds 350] [--loads a,b]
    python -m tests.bench NVIM… --write     the table goes to doc/PERFORMANCE.md
    python -m tests.bench NVIM --where      where a chunk spends its time, from the agent's write to the screen

A bar is held or not by the medians of this run; seconds of another day or machine say nothing.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.bench import chunk_latency, page, rounds
from tests.bench.bars import LOADS

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("nvims", nargs="+")
    parser.add_argument("--seconds", type=float, default=350, help="no round is begun that would end later")
    parser.add_argument("--loads", default=",".join(LOADS))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--where", action="store_true")
    options = parser.parse_args()
    nvims = [str(Path(nvim).absolute()) for nvim in options.nvims]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        (source / "acp_nvim").symlink_to(ROOT)
        if options.where:
            chunk_latency.measure(nvims[0], source)
            return 0
        rows = rounds.run(nvims, options.loads.split(","), source, options.seconds)
    found, versions = page.lines(rows, nvims), [page.version(nvim) for nvim in nvims]
    print(f"\n{page.table(found, versions)}\n\n{page.verdict(found, versions)}")
    if options.write:
        many = 1 + max(row["round"] for row in rows)
        page.PAGE.write_text(page.text(found, versions, many))
    return 1 if any(line.missed for line in found) else 0


if __name__ == "__main__":
    sys.exit(main())
