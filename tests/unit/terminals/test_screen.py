"""What of a terminal the chat and the terminal buffer are given."""

import pytest

from acp_nvim import limits
from acp_nvim.session.session import Session
from acp_nvim.terminals.colours import Colours
from acp_nvim.terminals.screen import Screen


def screen(*output: bytes) -> Screen:
    made = Screen(Session(1, "agent", "/"), "t")
    for data in output:
        made.write(data)
    return made


def taken(screen: Screen) -> list[str]:
    pieces = []
    while screen.has_news:
        pieces.append(screen.take())
    return pieces


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[1;31mred\x1b[0m\n", "\x1b[1;31mred\x1b[0m\r\n"),
        ("50%\r100%\x1b[K", "50%\r100%\x1b[K"),
        ("a\r\nb\n", "a\r\nb\r\n"),
        ("\x1b]52;c;ZXZpbA==\x07x\x1b]0;title\x1b\\y", "xy"),
        ("\x1b[?1049h\x1b[6n\x1bPq#0\x1b\\\x1bc\x1b(B\x9b31m\x07z", "31mz"),
        ("\x1b]8;;http://evil\x1bmore", "ore"),
    ],
)
def test_a_terminal_buffer_gets_colours_and_nothing_that_reaches_further(text: str, left: str):
    assert Colours().feed(text) == left
    bytewise = Colours()
    assert "".join(map(bytewise.feed, text)).replace("\r\r\n", "\r\n") == left


def test_a_sequence_without_an_end_does_not_swallow_all():
    colours = Colours()
    assert colours.feed("\x1b]" + "x" * 5000) == ""
    assert colours.feed("seen") == "seen"


@pytest.mark.statement(113)
def test_a_buffer_gets_all_that_is_kept_then_what_comes_then_the_end():
    shown = screen("é".encode()[:1])
    shown.show_in(7)
    assert taken(shown) == [""]
    shown.write("é\n".encode()[1:])
    assert taken(shown) == ["é\r\n"]
    shown.status = "exit 0"
    assert taken(shown) == ["\x1b[0m\r\n\x1b[0;2m[exit 0]\x1b[0m\r\n"]
    shown.show_in(8)
    assert "".join(taken(shown)).startswith("é\r\n")


def test_of_a_flood_the_newest_is_shown_and_the_gap_is_said():
    shown = screen(b"first\n")
    shown.show_in(7)
    assert taken(shown) == ["first\r\n"]
    for number in range(100_000):
        shown.write(b"%09d\n" % number)
    pieces = taken(shown)
    left_out = 1_000_000 - limits.TERMINAL_SCREEN_BYTES
    assert pieces[0].startswith(f"\x1b[0m\r\n\x1b[0;2m… {left_out:,} bytes left out\x1b[0m\r\n")
    lines = "".join(pieces).split("\r\n")[2:-1]
    assert lines == [f"{number:09}" for number in range(100_000 - len(lines), 100_000)]
    assert len(lines) == limits.TERMINAL_SCREEN_BYTES // 10
    assert max(map(len, pieces)) < 20_000


def test_the_chat_sees_what_a_screen_would_show():
    assert screen(b"10%\r50%\r100%\r\ndone\r").text() == "100%\ndone"
