"""Screens as SVG: one is a picture, several one after the other are a film.

Every character is drawn as the outline that its font has for it. So a picture needs no font where it is shown, columns
stand where they stood, and it is sharp in every size. Nothing is loaded and nothing is run, so that a forge shows it.

What stands on a row is written once, however often and wherever it is shown. What is shown for a while only is made
visible by a CSS animation. Without animation, and for readers who have asked for less motion, the last frame stands.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen

from tests.tools import fonts
from tests.tools.cells import Cell, Look
from tests.tools.fonts import PLAIN, Face

CREDIT = (
    "Outlines of characters: JetBrains Mono (SIL Open Font License 1.1) and DejaVu (Bitstream Vera licence)"
)

# Lengths are those of the font, of which a thousand are its size.
WIDTH, HEIGHT, BASE = 600, 1320, 1020  # of a cell, and where its letters stand
MARGIN, ROUND = 900, 600
CAPTION, ENLARGED = 3300, 1.2  # the height of its strip, and how much larger it is written
PIXELS = 0.016  # a length in the size that the picture asks for

Span = tuple[int, int]  # milliseconds from the beginning


class Frame(NamedTuple):
    ms: int
    look: Look
    keys: tuple[str, ...] = ()  # those that have led to it, for the caption
    words: str = ""  # and what they do


def outline(text: str, face: Face) -> str:
    """The path of characters beside each other, from the upper left corner of the first cell."""
    parts = []
    for place, char in enumerate(text):
        font = fonts.opened(fonts.name_for(char, face))
        glyphs = font.getGlyphSet()
        glyph = glyphs[font.getBestCmap().get(ord(char), ".notdef")]
        size = min(1000 / font["head"].unitsPerEm, WIDTH / glyph.width)
        pen = SVGPathPen(glyphs, ntos=lambda length: str(round(length)))
        glyph.draw(TransformPen(pen, (size, 0, 0, -size, place * WIDTH, BASE)))
        parts.append(pen.getCommands())
    return "".join(parts)


class Sheet:
    """What a file is made of, each thing once: colours, outlines, and parts made of these."""

    def __init__(self) -> None:
        self.colours: dict[str, str] = {}
        self.outlines: dict[tuple[str, Face], str] = {}
        self.parts: dict[str, str] = {}

    def part(self, markup: str) -> str:
        return self.parts.setdefault(markup, f"r{len(self.parts)}")

    def colour(self, value: str) -> str:
        return self.colours.setdefault(value, f"c{len(self.colours)}")

    def letters(self, text: str, ink: str, left: int, top: int = 0, face: Face = PLAIN) -> str:
        name = self.outlines.setdefault((text, face), f"o{len(self.outlines)}")
        return use(name, left, top, self.colour(ink))

    def box(self, colour: str, left: int, top: int, width: int, height: int) -> str:
        """Neighbours of the same colour show no seam: their edges are on whole pixels."""
        return f'<path class="{self.colour(colour)} b" d="M{left} {top}h{width}v{height}h-{width}z"/>'

    def row(self, cells: Sequence[Cell], paper: str) -> str:
        return "".join((*self._grounds(cells, paper), *self._words(cells), *self._lines(cells)))

    def _grounds(self, cells: Sequence[Cell], paper: str) -> Iterator[str]:
        for ground, left, run in runs(cells, lambda cell: cell.paper):
            if ground != paper:
                yield self.box(ground, left * WIDTH, 0, len(run) * WIDTH, HEIGHT)

    def _words(self, cells: Sequence[Cell]) -> Iterator[str]:
        def look(cell: Cell) -> Any:
            return cell.text.strip() and (cell.ink, Face(cell.is_bold, cell.is_italic))

        for found, left, run in runs(cells, look):
            if found:
                ink, face = found
                yield self.letters("".join(cell.text for cell in run), ink, left * WIDTH, face=face)

    def _lines(self, cells: Sequence[Cell]) -> Iterator[str]:
        for ink, left, run in runs(cells, lambda cell: cell.is_underlined and cell.ink):
            if ink:
                yield self.box(ink, left * WIDTH, BASE + 120, len(run) * WIDTH, 60)
        for ink, left, run in runs(cells, lambda cell: cell.is_struck and cell.ink):
            if ink:
                yield self.box(ink, left * WIDTH, BASE - 300, len(run) * WIDTH, 60)

    def cursor(self, look: Look) -> str:
        row, column = look.cursor
        left, top, cell = column * WIDTH, row * HEIGHT, look.rows[row][column]
        if look.is_bar:
            return self.box(look.ink, left, top, 120, HEIGHT)
        face = Face(cell.is_bold, cell.is_italic)
        letter = self.letters(cell.text, look.paper, left, top, face) if cell.text.strip() else ""
        return self.box(look.ink, left, top, WIDTH, HEIGHT) + letter

    def caption(self, frame: Frame) -> str:
        """The keys, each as one that can be pressed, and what they do."""
        left, parts = 0, []
        for key in frame.keys:
            width = (len(key) + 1) * WIDTH
            shape = f'x="{left}" y="-180" width="{width}" height="{HEIGHT + 360}" rx="300"'
            parts.append(f'<rect class="{self.colour(frame.look.ink)}" {shape}/>')
            parts.append(self.letters(key, frame.look.paper, left + WIDTH // 2, face=Face(is_bold=True)))
            left += width + WIDTH
        for word in frame.words.split():
            parts.append(self.letters(word, frame.look.ink, left))
            left += (len(word) + 1) * WIDTH
        return f'<g transform="scale({ENLARGED})">{"".join(parts)}</g>'


def runs(cells: Sequence[Cell], key: Callable[[Cell], Any]) -> Iterator[tuple[Any, int, list[Cell]]]:
    """Neighbours with the same key: it, the column where they begin, and they."""
    column = 0
    for value, run in itertools.groupby(cells, key):
        found = list(run)
        yield value, column, found
        column += len(found)


def use(name: str, left: int = 0, top: int = 0, colour: str = "") -> str:
    at = (f' x="{left}"' if left else "") + (f' y="{top}"' if top else "")
    return f'<use href="#{name}"{at}' + (f' class="{colour}"/>' if colour else "/>")


def film(frames: Sequence[Frame], about: str) -> str:
    """The file that shows the frames one after the other, again and again; a single one stands."""
    sheet, look = Sheet(), frames[-1].look
    right, bottom = len(look.rows[0]) * WIDTH + 2 * MARGIN, len(look.rows) * HEIGHT + 2 * MARGIN
    has_caption = any(frame.keys or frame.words for frame in frames)
    strip = sheet.box(shade(look.paper), 0, bottom, right, CAPTION) if has_caption else ""
    body, rules = animated(
        spans_of(sheet, frames, bottom - MARGIN + round(CAPTION - HEIGHT * ENLARGED) // 2), frames
    )
    height = bottom + has_caption * CAPTION
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right} {height}"'
            f' width="{right * PIXELS:.0f}" height="{height * PIXELS:.0f}" role="img" aria-label="{escape(about)}">',
            f"<!-- {CREDIT} -->",
            "<style>",
            ".b{shape-rendering:crispEdges}",
            *(f".{name}{{fill:{value}}}" for value, name in sheet.colours.items()),
            *rules,
            "@media(prefers-reduced-motion:reduce){g{animation:none!important}}",
            "</style>",
            "<defs>",
            f'<clipPath id="edge"><rect width="{right}" height="{height}" rx="{ROUND}"/></clipPath>',
            *(
                f'<path id="{name}" d="{outline(text, face)}"/>'
                for (text, face), name in sheet.outlines.items()
            ),
            *(f'<g id="{name}">{markup}</g>' for markup, name in sheet.parts.items()),
            "</defs>",
            f'<g clip-path="url(#edge)"><rect width="{right}" height="{height}" fill="{look.paper}"/>{strip}</g>',
            f'<g transform="translate({MARGIN} {MARGIN})">',
            *body,
            "</g>",
            "</svg>",
            "",
        )
    )


def spans_of(sheet: Sheet, frames: Sequence[Frame], caption_at: int) -> dict[tuple[str, int], list[Span]]:
    """When each part is shown, and how far down."""
    shown: dict[tuple[str, int], list[Span]] = defaultdict(list)
    at = 0
    for frame in frames:
        for place in drawn(sheet, frame, caption_at):
            spans = shown[place]
            begin = spans.pop()[0] if spans and spans[-1][1] == at else at
            spans.append((begin, at + frame.ms))
        at += frame.ms
    return shown


def drawn(sheet: Sheet, frame: Frame, caption_at: int) -> Iterator[tuple[str, int]]:
    for number, row in enumerate(frame.look.rows):
        if markup := sheet.row(row, frame.look.paper):
            yield sheet.part(markup), number * HEIGHT
    yield sheet.part(sheet.cursor(frame.look)), 0
    if frame.keys or frame.words:
        yield sheet.part(sheet.caption(frame)), caption_at


def animated(
    shown: dict[tuple[str, int], list[Span]], frames: Sequence[Frame]
) -> tuple[list[str], list[str]]:
    """The parts, those that come and go together in one group, and the rules of these groups."""
    length = sum(frame.ms for frame in frames)
    groups: dict[tuple[Span, ...], list[str]] = defaultdict(list)
    for (name, top), spans in shown.items():
        groups[tuple(spans)].append(use(name, top=top))
    body = ["".join(groups.pop(((0, length),), []))]
    rules = []
    for number, (spans, uses) in enumerate(groups.items()):
        body.append(f'<g class="k{number}">{"".join(uses)}</g>')
        rules.append(animation(f"k{number}", spans, length))
    return body, rules


def animation(name: str, spans: tuple[Span, ...], length: int) -> str:
    begins = [share(begin, length) for begin, _ in spans]
    ends = [share(end, length) for _, end in spans if end < length]
    if spans[0][0] > 0:
        ends.insert(0, share(0, length))
    at_rest = "" if spans[-1][1] == length else "visibility:hidden;"
    return (
        f".{name}{{{at_rest}animation:{name} {length}ms step-end infinite}}"
        f"@keyframes {name}{{{','.join(begins)}{{visibility:visible}}{','.join(ends)}{{visibility:hidden}}}}"
    )


def share(time: int, length: int) -> str:
    return f"{round(100 * time / length, 3):g}%"


def shade(colour: str) -> str:
    """The same colour, a little darker."""
    return "#" + "".join(f"{round(int(colour[at : at + 2], 16) * 0.85):02x}" for at in (1, 3, 5))
