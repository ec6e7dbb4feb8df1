"""Nothing an agent writes on a line of ours can hide or act."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.text.printable import one_line, prose, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "^[[31mred"),
        ("a\u202eb", "a<202E>b"),
        ("\x7f\x9b\x00", "^?<9b>^@"),
        ("zero\u200bwidth\ufeff", "zero<200B>width<FEFF>"),
        ("grün 漢字 😀", "grün 漢字 😀"),
    ],
)
def test_controls_are_shown_as_vim_shows_them(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_line_of_ours_is_one_line() -> None:
    assert one_line("  a\n\tb\r\n c ") == "a b c"


@given(st.text())
def test_nothing_unprintable_is_left(text: str) -> None:
    shown = one_line(text)
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028\u2029"
    )


# Default_Ignorable_Code_Point of Unicode 16, as DerivedCoreProperties.txt has it
IGNORABLE = """00AD 034F 061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0
FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"""
WITHOUT_INK = "\u2800\U00016fe4\U0001d159"


def ignorable() -> set[str]:
    ends = [span.partition("-") for span in IGNORABLE.split()]
    return {chr(code) for low, _, high in ends for code in range(int(low, 16), int(high or low, 16) + 1)}


def test_every_character_that_nobody_sees_is_shown() -> None:
    kinds = ("Cc", "Cf", "Zl", "Zp", "Zs")
    unseen = {chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in kinds}
    for char in unseen - {" "} | ignorable() | set(WITHOUT_INK):
        assert visible(f"a{char}b") not in ("ab", "a b", f"a{char}b"), f"U+{ord(char):04X}"


def test_letters_and_marks_stay() -> None:
    for text in ("e\u0301", "क्षि", "ไทย", "한글", "عربى", "\ue0b0", "\U0001f600"):
        assert visible(text) == text


def test_no_two_paths_look_the_same() -> None:
    paths = ["a b", "a  b", "a\u00a0b", "a\u3000b", "ab", "a\ufe0fb", "a\u2800b", "a\tb"]
    assert len({visible(path) for path in paths}) == len(paths)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Later   2 ✗ No   3 ✗ Never", "Later 2 ✗ No 3 ✗ Never"),
        ("Later\u00a0\u00a0\u2003 2 ✗ No", "Later 2 ✗ No"),
        ("Later\u3000\u3000No", "Later No"),
        ("Later \u2800 \u3164 No", "Later <2800> <3164> No"),
        ("Oui\u202f!", "Oui !"),
    ],
)
def test_a_name_has_no_gaps(name: str, shown: str) -> None:
    assert one_line(name) == shown


def test_sentences_and_output_keep_their_blanks_and_emoji() -> None:
    assert prose("⚠\ufe0f  実行\u3000する\u00a0!") == "⚠\ufe0f  実行\u3000する\u00a0!"
    assert prose("a\u202eb\u2800") == "a<202E>b<2800>"
