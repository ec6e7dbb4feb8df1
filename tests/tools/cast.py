"""The film at the top of the README: two questions answered, one hunk refused, one change undone.

    python -m tests.tools.cast [--nvim NVIM] [OUT.svg]

`play` types the keys into a real Neovim, and a scripted agent answers. Each frame is what the screen showed; how long
it stays is decided here, for somebody who sees it for the first time.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.fakes.script import (
    Rule,
    Step,
    on,
    on_prompt,
    permission,
    request,
    result,
    say,
    tool,
    wait,
    wait_file,
)
from tests.tools import svg
from tests.tools.stage import ROOT, Stage, stage

OUT = ROOT / "doc" / "pictures" / "cast.svg"
SIZE = (104, 30)
ABOUT = (
    "A coding agent beside a file in Neovim: one key answers its question, a hunk of its proposal is refused in a diff,"
    " and a change that it made without asking is undone in the file"
)
PATH = "{cwd}/tax.py"
BEFORE = """\
TAX = 0.19


def gross(order):
    return order.net * (1 + TAX)


def total(orders):
    result = 0
    for order in orders:
        result += gross(order)
    return result


def discount(net, share):
    return net * share
"""
ROUNDED = BEFORE.replace("net * share", "round(net * share)")
LOOP = """\
    result = 0
    for order in orders:
        result += gross(order)
    return result
"""
AFTER = ROUNDED.replace("TAX = 0.19", "TAX = 0.2").replace(LOOP, "    return sum(map(gross, orders))\n")
YES_OR_NO = (
    ("once", "Yes", "allow_once"),
    ("always", "Yes, always", "allow_always"),
    ("no", "No", "reject_once"),
)


class Cues:
    """Where the agent waits for the one who films it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._given, self._taken = folder, 0, 0

    def wait(self) -> Step:
        self._taken += 1
        return wait_file(str(self._folder / f"cue-{self._taken}"))

    def give(self) -> None:
        self._given += 1
        (self._folder / f"cue-{self._given}").touch()

    def say(self, text: str) -> Iterator[Step]:
        """Word by word."""
        for word in words(text):
            yield from (self.wait(), say(word))


def words(text: str) -> list[str]:
    return [f"{word} " for word in text.split(" ")]


FIRST = "First I run the tests."
ASIDE = "Green. The discount is rounded now, too."
SECOND = "\n\nAnd the loop:"
LAST = "The tax stays as it is, then. `total()` is one line."


def rules(cues: Cues) -> list[Rule]:
    """Claude, who takes words into a running turn, as it does with the adapters of today."""
    info = {"name": "claude", "title": "Claude", "version": "1.0"}
    steering = {"steering": {"supported": True}}
    return [
        on("initialize", result({"protocolVersion": 1, "agentInfo": info, "_meta": steering})),
        on("_session/steering", result({"outcome": "injected"})),
        on_prompt(
            "", *cues.say(FIRST), *run(cues), *write(cues), *cues.say(ASIDE), *propose(cues), *cues.say(LAST)
        ),
    ]


def run(cues: Cues) -> Iterator[Step]:
    call = {"kind": "execute", "title": "pytest -q", "rawInput": {"command": "pytest -q"}}
    text = "......\n6 passed in 0.02s"
    yield cues.wait()
    yield permission("pytest -q", YES_OR_NO, id="run", **{key: call[key] for key in ("kind", "rawInput")})
    content = [{"type": "content", "content": {"type": "text", "text": text}}]
    yield tool("run", known=True, status="completed", content=content)


def write(cues: Cues) -> Iterator[Step]:
    """An edit that nobody was asked about."""
    yield cues.wait()
    yield tool("aside", kind="edit", title="Edit tax.py", status="in_progress", locations=[{"path": PATH}])
    yield request("fs/write_text_file", {"sessionId": "{session}", "path": PATH, "content": ROUNDED})
    content = [{"type": "diff", "path": PATH, "oldText": BEFORE, "newText": ROUNDED}]
    yield tool("aside", known=True, status="completed", content=content)


def propose(cues: Cues) -> Iterator[Step]:
    diff = {"type": "diff", "path": PATH, "oldText": ROUNDED, "newText": AFTER}
    call: Any = {"kind": "edit", "content": [diff], "locations": [{"path": PATH}]}
    yield from cues.say(SECOND)
    yield cues.wait()
    yield permission("Edit tax.py", YES_OR_NO, id="loop", **call)
    yield request("fs/write_text_file", {"sessionId": "{session}", "path": PATH, "content": AFTER})
    yield tool("loop", known=True, status="completed")
    yield wait("_session/steering")


class Film:
    """Frames of a stage, one after the other."""

    def __init__(self, shown: Stage, cues: Cues) -> None:
        self._stage, self._cues = shown, cues
        self._caption: tuple[tuple[str, ...], str] = ((), "")
        self.frames: list[svg.Frame] = []

    def caption(self, words: str, *keys: str) -> None:
        self._caption = (keys, words)

    def hold(self, seconds: float) -> None:
        """What is on the screen now is shown so long. While the agent works, its spinner turns."""
        ms = round(seconds * 1000)
        while ms > 0:
            look = self._stage.settle()
            step = min(ms, 100) if self._stage.is_running() else ms
            self.frames.append(svg.Frame(step, look, *self._caption))
            self._stage.advance(step / 1000)
            ms -= step

    def press(self, keys: str, seconds: float) -> None:
        self._stage.press(keys)
        self.hold(seconds)

    def type(self, text: str) -> None:
        for char in text:
            self.press(char, 0.04)

    def cue(self, seconds: float) -> None:
        """The agent goes on, and something of it is seen."""
        before = self._stage.settle()
        self._cues.give()
        self._stage.until(lambda: self._stage.look() != before)
        self.hold(seconds)

    def hear(self, text: str) -> None:
        for _ in words(text):
            self.cue(0.08)


def play(film: Film) -> None:
    film.caption("ask, beside your file")
    film.hold(1)
    film.type("Use sum() in total(), and run the tests.")
    film.hold(0.3)
    film.caption("sends it", "<C-s>")
    film.press("<C-s>", 0.4)
    film.hear(FIRST)
    film.cue(0.08)
    film.caption("the agent asks, in the bar above your prompt")
    film.hold(2)
    film.caption("answers, and you stay where you are", "<M-1>")
    film.press("<M-1>", 1)
    film.cue(0.08)
    film.hear(ASIDE)
    film.caption("what it changes is marked in your file")
    film.hold(1.2)
    film.hear(SECOND)
    film.cue(0.08)
    film.caption("a second question, with its change")
    film.hold(1.8)
    film.caption("opens it as a diff", "<M-d>")
    film.press("<M-d>", 1.8)
    film.caption("refuses this hunk", "do")
    film.press("do", 1.6)
    film.caption("sends what is left", ":w")
    film.type(":w")
    film.hold(0.3)
    film.press("<CR>", 0.4)
    film.caption("and the agent is told")
    film.hold(1)
    film.hear(LAST)
    film.hold(1)
    film.caption("to the change that nobody asked about", "<Esc>", "<C-w>h", "]h")
    film.press("<Esc><C-w>h", 0.3)
    film.press("]h", 1.6)
    film.caption("undoes it", "\\u")
    film.press("\\u", 4)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nvim", type=Path, default=ROOT / ".nvim/0.12/bin/nvim")
    parser.add_argument("out", type=Path, nargs="?", default=OUT)
    asked = parser.parse_args()
    with stage(asked.nvim, "tokyonight-moon", SIZE) as shown:
        cues = Cues(shown.folder)
        shown.start({"tax.py": BEFORE}, rules(cues))
        shown.play([":Acp<CR>", "wait:idle", "i"])
        film = Film(shown, cues)
        play(film)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(svg.film(film.frames, ABOUT))
    ms = sum(frame.ms for frame in film.frames)
    print(
        f"{asked.out}: {ms / 1000:.1f} s, {len(film.frames)} frames, {asked.out.stat().st_size // 1024} KiB"
    )


if __name__ == "__main__":
    main()
