"""The pictures of README and help are there, small enough, and shown by a forge; and frames become a film."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.tools.cells import Cell, Look
from tests.tools.svg import Frame, Sheet, animation, spans_of

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "doc" / "acp_nvim.txt"]
PICTURES = sorted((ROOT / "doc" / "pictures").iterdir())
MOST = 2_000_000  # bytes of the film, which everybody loads who looks at the page


def named() -> set[Path]:
    return {ROOT / name for page in PAGES for name in re.findall(r"doc/pictures/[\w.-]+", page.read_text())}


def test_the_pages_name_the_pictures_that_are_there():
    assert named() == set(PICTURES)


def test_the_film_is_soon_there():
    assert (ROOT / "doc" / "pictures" / "cast.svg").stat().st_size < MOST


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_is_whole_loads_nothing_and_runs_nothing(picture: Path):
    names, used, tags = set(), set(), set()
    for element in ElementTree.parse(picture).iter():
        tags.add(element.tag.partition("}")[2])
        names.add(element.get("id"))
        used |= {value for key, value in element.items() if key.endswith("href")}
    assert tags <= {"svg", "style", "defs", "clipPath", "g", "path", "rect", "use"}
    assert used
    assert used <= {f"#{name}" for name in names if name}
    assert set(re.findall(r"url\(([^)]*)\)|@import", picture.read_text())) <= {"#edge"}


def look(*rows: str) -> Look:
    return Look(
        tuple(tuple(Cell(char, "#fff", "#000") for char in row) for row in rows),
        (0, 0),
        False,
        "#fff",
        "#000",
    )


def test_a_row_is_kept_once_and_shown_when_it_was_there():
    sheet = Sheet()
    frames = [
        Frame(100, look(" ", "a")),
        Frame(50, look(" ", "b")),
        Frame(30, look(" ", "a")),
        Frame(20, look(" ", "a")),
    ]
    shown = spans_of(sheet, frames, 0)
    a, b = sheet.part(sheet.row(look("a").rows[0], "#000")), sheet.part(sheet.row(look("b").rows[0], "#000"))
    down = 1320
    assert shown[a, down] == [(0, 100), (150, 200)]
    assert shown[b, down] == [(100, 150)]
    assert len(sheet.outlines) == 2


def test_what_is_shown_at_the_end_stands_also_without_animation():
    last = animation("k0", ((0, 100), (150, 200)), 200)
    assert last == (
        ".k0{animation:k0 200ms step-end infinite}"
        "@keyframes k0{0%,75%{visibility:visible}50%{visibility:hidden}}"
    )
    before = animation("k1", ((100, 150),), 200)
    assert before == (
        ".k1{visibility:hidden;animation:k1 200ms step-end infinite}"
        "@keyframes k1{50%{visibility:visible}0%,75%{visibility:hidden}}"
    )
