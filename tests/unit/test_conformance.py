"""The table of conformance is complete: every statement of the protocol is there, and a test holds it."""

from pathlib import Path

import pytest

from tests.tools import conformance


def test_all_statements_are_there_in_their_order() -> None:
    numbers = [number for texts in conformance.statements().values() for number in texts]
    assert numbers == sorted(set(numbers))
    assert numbers[:125] == list(range(1, 126))


def test_the_page_is_what_the_tests_say_and_nothing_is_missing() -> None:
    written = conformance.PAGE.read_text(encoding="utf-8")
    assert list(conformance.problems(conformance.statements(), conformance.marks(), written)) == []


def test_marks_are_found_wherever_they_stand(tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_a.py").write_text(
        "import pytest\n\npytestmark = pytest.mark.statement(3)\n\n\n"
        "@pytest.mark.statement(1, 2)\nasync def test_one():\n    pass\n\n\n"
        "class TestAll:\n    @pytest.mark.other(9)\n    def test_two(self):\n        pass\n\n\n"
        "@pytest.mark.statement(4)\ndef no_test():\n    pass\n"
    )
    one, two = "tests/test_a.py::test_one", "tests/test_a.py::test_two"
    assert conformance.marks(tmp_path) == {3: [one, two], 1: [one], 2: [one]}


@pytest.mark.parametrize(
    ("found", "written", "words"),
    [
        ({2: ["t::b"]}, None, ["no test holds statement 1: one"]),
        ({1: ["t::a"], 2: ["t::b"], 7: ["t::c"]}, None, ["there is no statement 7: t::c"]),
        ({1: ["t::a"], 2: ["t::b"]}, "old", ["doc/CONFORMANCE.md is not what the tests say"]),
        ({1: ["t::a"], 2: ["t::b"]}, None, []),
    ],
)
def test_what_is_wrong_is_said(found: dict[int, list[str]], written: str | None, words: list[str]) -> None:
    parts = {"All": {1: "one", 2: "a | b"}}
    wrong = list(conformance.problems(parts, found, written or conformance.page(parts, found)))
    assert len(wrong) == len(words)
    assert all(said.startswith(word) for said, word in zip(wrong, words, strict=True))
    assert "| 2 | a \\| b |" in conformance.page(parts, found)
