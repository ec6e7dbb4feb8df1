"""What a file holds after an agent has written it while the editor saved it."""

import pytest

from acp_nvim.text.collisions import collisions


@pytest.mark.parametrize(
    ("agents", "saved", "found"),
    [
        ("a\nB\nc\n", "a\nB\nmine\nc\n", ("a\nB\nc\nne\nc\n", "a\nB\nmi")),
        ("a\nB\nc\n", "a\nB\n", ("a\nB\n\0\0",)),
        ("A\nB\nc\n", "a\nb\n", ("a\nb\n\0\0", "a\nb\nc\n")),
        ("a\n", "a\nmine\n", ()),  # each is one of both
        ("a\n", "b\n", ()),
        ("a", "é\n", ()),  # half a character is no text
        ("ab", "é\n", ("ab\n", "é")),
    ],
)
def test_the_texts_that_are_neither_of_both(agents: str, saved: str, found: tuple[str, ...]) -> None:
    assert collisions(agents, saved) == found
