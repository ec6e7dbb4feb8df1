"""The fonts that pictures are drawn with, which `make fonts` fetches: the same ones everywhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from fontTools.ttLib import TTFont

FOLDER = Path(__file__).resolve().parents[2] / ".cache" / "fonts"


class Face(NamedTuple):
    is_bold: bool = False
    is_italic: bool = False


PLAIN = Face()
FACES = {
    PLAIN: "JetBrainsMonoNL-Regular.ttf",
    Face(is_bold=True): "JetBrainsMonoNL-Bold.ttf",
    Face(is_italic=True): "JetBrainsMonoNL-Italic.ttf",
    Face(is_bold=True, is_italic=True): "JetBrainsMonoNL-BoldItalic.ttf",
}
OTHERS = ("DejaVuSansMono.ttf", "DejaVuSans.ttf")  # for what the first lacks: boxes to tick, the spinner


def path_of(name: str) -> Path:
    if not (FOLDER / name).exists():
        raise SystemExit(f"no {FOLDER / name}: make fonts brings it")
    return FOLDER / name


@cache
def opened(name: str) -> TTFont:
    return TTFont(path_of(name))


def name_for(char: str, face: Face) -> str:
    """The first font that has the character; for what none has the plain one, which draws a box."""
    names = (name for name in (FACES[face], *OTHERS) if ord(char) in opened(name).getBestCmap())
    return next(names, FACES[face])
