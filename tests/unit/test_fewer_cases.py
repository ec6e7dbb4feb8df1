"""`make test` runs each test on the newest Neovim, and on the others a part that each module has a share in."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.fewer_cases import cases_to_leave


@dataclass(eq=False)
class Case:
    """As much of pytest's item as is asked for."""

    module: str
    originalname: str
    case: int = 0
    program: str | None = "0.12"
    marks: tuple[str, ...] = ()
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        self.path = Path(self.module)
        if self.program:
            index = ["0.10", "0.11", "0.12"].index(self.program)
            self.callspec = SimpleNamespace(params={"program": self.program}, indices={"program": index})

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


def on_both(*cases: dict[str, Any]) -> list[Case]:
    """As pytest orders them: one Neovim after the other."""
    return [Case(program=program, **case) for program in ("0.10", "0.12") for case in cases]


def kept(items: list[Case], program: str) -> list[tuple[str, int]]:
    left = cases_to_leave(items)
    return [(item.originalname, item.case) for item in items if item.program == program and item not in left]


def test_an_older_one_runs_the_first_case_of_every_sixteenth_function_of_each_module():
    functions = [f"test_{n}" for n in range(18)]
    cases = [{"module": m, "originalname": f, "case": c} for m in "ab" for f in functions for c in range(2)]
    items = on_both(*cases)
    assert kept(items, "0.10") == 2 * [("test_0", 0), ("test_16", 0)]
    assert len(kept(items, "0.12")) == 2 * len(functions)


def test_what_depends_on_the_version_runs_on_all_of_them():
    about_versions = [
        {"module": "a", "originalname": "test_1", "case": c, "marks": ("every_nvim",)} for c in range(6)
    ]
    items = on_both({"module": "a", "originalname": "test_0"}, *about_versions)
    assert cases_to_leave(items) == set()


def test_what_runs_on_one_neovim_or_on_none_stays():
    """tests/chaos has the newest one alone."""
    items = on_both({"module": "a", "originalname": "test_0"}, {"module": "a", "originalname": "test_1"})
    newest_alone = [Case("chaos", f"test_{n}") for n in range(3)]
    for case in newest_alone:
        case.callspec.indices["program"] = 0
    without = [Case("unit", f"test_{n}", program=None) for n in range(3)]
    left = {(item.originalname, item.program) for item in cases_to_leave(newest_alone + items + without)}
    assert left == {("test_1", "0.10")}
    assert cases_to_leave(newest_alone) == cases_to_leave(without) == set()
