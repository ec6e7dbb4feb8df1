"""The pictures of the README: scenes of the gallery in tokyonight, dark and light.

python -m tests.tools.pictures [--nvim NVIM] [--out FOLDER] [NAME]...
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.tools import svg
from tests.tools.gallery import EDITED, FILES, OPENED, SEND, rules
from tests.tools.stage import ROOT, stage

PICTURES = ROOT / "doc" / "pictures"
SCHEMES = {"dark": "tokyonight-moon", "light": "tokyonight-day"}

# name -> what is to be seen, its size, keys
SCENES: dict[str, tuple[str, tuple[int, int], list[str]]] = {
    "proposal": (
        "A proposal as a diff across the top: its right side is the decision",
        (112, 34),
        [*OPENED, "gg]c"],
    ),
    "review": (
        "Two changes that wait for review in the file, with the keys that keep and undo them",
        (112, 26),
        [*EDITED, ":Acp review<CR>", "gg]h"],
    ),
    "report": (
        "One of two hunks refused, and what the agent was told about it",
        (112, 34),
        [
            *(*OPENED, "gg]cdo", ":w<CR>", "wait:Done:", ":Acp<CR>"),
            *("iAnd a test for it.", SEND, "wait:Hello."),
            *("<C-w>kgg", "/reported<CR>", "za", ":noh<CR>", "<C-w>j"),
        ],
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nvim", type=Path, default=ROOT / ".nvim/0.12/bin/nvim")
    parser.add_argument("--out", type=Path, default=PICTURES)
    parser.add_argument("names", nargs="*", default=list(SCENES))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for name in asked.names:
        about, size, scene = SCENES[name]
        with stage(asked.nvim, SCHEMES["dark"], size) as shown:
            shown.start(FILES, rules(shown.folder))
            shown.play(scene)
            for ground, scheme in SCHEMES.items():
                frame = svg.Frame(0, shown.put_on(scheme))
                (asked.out / f"{name}-{ground}.svg").write_text(svg.film([frame], about))


if __name__ == "__main__":
    main()
