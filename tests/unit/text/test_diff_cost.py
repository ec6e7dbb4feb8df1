"""What Neovim may compare: ordinary files however long, and nothing over which it would stand still."""

import random

import pytest

from acp_nvim.text.diff_cost import stands_still

NUMBERS = random.Random(1)


def text(lines: list[str]) -> str:
    return "\n".join(lines)


def file(count: int) -> list[str]:
    """Half of its lines stand in it many times."""
    return [line for n in range(count // 2) for line in (f"    call_{n}()", "}")]


def some(letters: str, count: int) -> list[str]:
    return NUMBERS.choices(letters, k=count)


@pytest.mark.slow
@pytest.mark.parametrize("count", [100, 10_000, 40_000])
def test_an_ordinary_change_is_compared(count: int):
    old = file(count)
    new = [f"changed {n}" if n % 100 == 50 else line for n, line in enumerate(old)]
    assert not stands_still(text(old), text(new))
    assert not stands_still(text(old), text(old[100:] + old[:100]))
    assert not stands_still(text(["first", *old]), text([*old, "last"]))


@pytest.mark.slow
def test_a_file_that_is_indented_anew_is_compared():
    old = [f"{n} {''.join(some('abcdefgh ', 40))}" for n in range(10_000)]
    assert not stands_still(text(old), text([f"    {line}" for line in old]))
    assert not stands_still(text([f"\t{line}" for line in old]), text([f"    {line}" for line in old]))


def test_what_is_on_one_side_alone_is_compared():
    whole = text(some("ab", 80_000))
    assert not stands_still("", whole)
    assert not stands_still(whole, "")
    assert not stands_still(f"first\n{whole}\nlast", "first\nlast")


@pytest.mark.parametrize("count", [1000, 40_000])
def test_many_lines_out_of_their_place_are_not(count: int):
    is_dear = count > 1000
    assert stands_still(text(some("ab", count)), text(some("abc", count))) == is_dear
    ours, theirs = (
        text([line for n, letter in enumerate(some(letters, count)) for line in (f"line {n}", letter)])
        for letters in ("ab", "abc")
    )
    assert stands_still(ours, theirs) == is_dear


@pytest.mark.parametrize("length", [1000, 160_000])
def test_long_changes_are_not(length: int):
    is_dear = length > 1000
    assert stands_still(text(some("ab", 1)) * length, "".join(some("abc", length))) == is_dear
    old, new = (["".join(some(letters, 80)) for _ in range(length // 80)] for letters in ("ab", "abc"))
    assert stands_still(text(old), text(new)) == is_dear
