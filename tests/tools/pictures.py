"""The pictures of the README and the help: the real plugin, the demo agent, keys typed, the screen photographed.

    python tests/tools/pictures.py [NVIM] [NAME]...

Needs what shot.py needs. Everything happens in a home of its own; the pictures go to doc/pictures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from shot import Picture, Terminal

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "doc" / "pictures"
COLUMNS, ROWS = 116, 32
PROJECT = {
    "reader.py": '''\
"""Reads settings: one `key = value` a line."""

from collections.abc import Iterator
from pathlib import Path


def parse(line: str) -> tuple[str, str]:
    key, _, value = line.partition("=")
    return key.strip(), value.strip()


def is_comment(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def settings(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text().splitlines():
        if not is_comment(line):
            yield parse(line)


if __name__ == "__main__":
    for key, value in settings(Path("demo.conf")):
        print(f"{key:>12}  {value}")
''',
    "demo.conf": "# what the demo reads\ncolour = green\n",
}


# <Esc> and <CR> that reach Neovim together are <M-CR>, which steers: this leaves insert mode without an <Esc>.
SEND = ("C-\\", "C-n", "Enter")


def said(text: str, until: str) -> list[str]:
    """The chat is opened, a prompt sent, and its effect waited for."""
    return [":Acp", "Enter", "wait:Demo ·", f"i{text}", *SEND, f"wait:{until}"]


def sent(text: str, until: str) -> list[str]:
    """Another prompt, from its window."""
    return [f"i{text}", *SEND, f"wait:{until}"]


# A rename in several places, its diff open; in the second scene one is refused and one edited.
BY_HAND = [
    ":let g:acp_nvim = {'review': {'auto_open': v:false}}",
    "Enter",
]  # it would open before the chat is drawn
PROPOSED = [
    *BY_HAND,
    *said("/rename parse read_line reader.py", "needs you"),
    ":Acp diff",
    "Enter",
    "wait::w send",
]
DECIDED = [*PROPOSED, "gg]cdo]c", ":s/read_line/read_pair/", "Enter", ":noh", "Enter"]
ALLOWED = [*PROPOSED, ":w", "Enter", "wait:± reader.py"]

# name -> background, keys
SCENES: dict[str, tuple[str, list[str]]] = {
    # the diff would open by itself, and stand before the chat
    "chat": (
        "dark",
        [
            *BY_HAND,
            *said("/tour", "1 ✓ Yes"),
        ],
    ),
    "unfolded": (
        "dark",
        [
            *said("/run wc -l reader.py demo.conf", "1 ✓ Yes"),
            *("look", ":Acp answer 1", "Enter", "wait:exit code", "C-w", "k", "gg[t]t", "za", "wait:total"),
        ],
    ),
    "follow": (
        "dark",
        [
            *(":set cursorline", "Enter", ":e demo.conf", "Enter", ":Acp", "Enter", "wait:Demo ·"),
            *("C-w", "h", ":Acp follow", "Enter", "wait:following", "C-w", "p"),
            *sent("/read reader.py:16", "I read"),
            *sent("/edit reader.py", "1 ✓ Yes"),
            *("look", ":Acp answer 1", "Enter", "wait:I edited"),
            *("C-w", "k", "G[tza", "wait:# edited by", "{jzt", "C-w", "j"),
        ],
    ),
    "terminal": (
        "dark",
        [
            *said("/run grep -n --color=always line reader.py", "1 ✓ Yes"),
            *(
                "look",
                ":Acp answer 1",
                "Enter",
                "wait:exit code",
                ":Acp terminals 1",
                "Enter",
                "wait:[exit 0]",
            ),
        ],
    ),
    "proposal": ("dark", [*PROPOSED, "gg]c"]),
    "report": (
        "dark",
        [
            *(*DECIDED, ":w", "Enter", "wait:I renamed", ":Acp", "Enter"),
            *sent("Now the tests.", "no answer of my own"),
            *("C-w", "k", "gg/told Demo", "Enter", "za", "wait:▾ told", "zt:noh", "Enter"),
        ],
    ),
    "review": ("dark", [*ALLOWED, ":Acp review", "Enter", "gg]h"]),
    "review-files": (
        "light",
        [
            *(*ALLOWED, ":Acp", "Enter", *sent("/write demo.conf", "demo.conf +")),
            *(":Acp review 1", "Enter", ":belowright copen 6", "Enter", "wait:demo.conf|", ":3cc", "Enter"),
        ],
    ),
    "sessions": (
        "dark",
        [
            *said("What is in reader.py?", "To talk to a real"),
            *(":Acp new", "Enter", "wait:Demo ·", *sent("/long 8000", "of 8000")),
            *(":Acp new", "Enter", "wait:Demo ·", *sent("/run wc -l reader.py", "1 ✓ Yes")),
            *(":Acp sessions", "Enter", "wait:reader.py?"),
        ],
    ),
    "announced": (
        "dark",
        [
            *said("/long 8000", "of 8000"),
            *sent("/rename parse read_line reader.py", "1 queued"),
            *("C-w", "t", ":Acp new", "Enter", "wait:asks: Rename"),
        ],
    ),
    "markdown": (
        "light",
        [*said("/markdown", "That is all"), "C-w", "k", "gg/^## Lists", "Enter", "zt:noh", "Enter"],
    ),
}


def photograph(nvim: str, name: str, background: str, keys: list[str]) -> None:
    command = [nvim, "--clean", "-n", "--cmd", "lua vim.opt.runtimepath:prepend(vim.env.ACP_ROOT)"]
    options = ["--cmd", f"set background={background} number signcolumn=no", "reader.py"]
    with Terminal([*command, *options], COLUMNS, ROWS) as terminal:
        terminal.wait_for("def parse")
        for key in keys:
            terminal.press(key)
        terminal.settle()
        picture = Picture(COLUMNS, ROWS)
        picture.paint(terminal.escaped(), terminal.cursor())
    picture.image.quantize(128).save(PICTURES / f"{name}.png", optimize=True)


def main() -> None:
    found = sys.argv[1:2] or [subprocess.check_output([ROOT / "tests/tools/find-nvim.sh"], text=True).strip()]
    nvim = os.path.abspath(found[0])
    os.environ.update(ACP_ROOT=str(ROOT), ACP_DEMO_SPEED="20")
    os.environ.pop("NVIM", None)
    for name in sys.argv[2:] or SCENES:
        with tempfile.TemporaryDirectory() as home:  # what one scene leaves is no other's business
            settle_in(Path(home))
            photograph(nvim, name, *SCENES[name])
            os.chdir(ROOT)


def settle_in(home: Path) -> None:
    folders = {f"XDG_{kind}_HOME": f"{home}/{kind}" for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    os.environ.update(folders, HOME=str(home))
    project = home / "reader"
    project.mkdir()
    os.chdir(project)
    for file, text in PROJECT.items():
        Path(file).write_text(text)


if __name__ == "__main__":
    main()
