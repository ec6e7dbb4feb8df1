"""The model of a random story: what must stand in a file's buffer, whatever happens.

The rows of a file are shared out, so that no two hands are at neighbouring lines: below every sixth the user types,
two rows further down the agent edits, and two more other programs do. Each line that is written has its own number.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

ROWS = [f"row {n:03}" for n in range(1, 181)]
WHOLE = "".join(f"{row}\n" for row in ROWS)


class ExpectedText:
    def __init__(self, chance: random.Random, numbers: Iterator[int]) -> None:
        self._chance = chance
        self._numbers = numbers
        self.lines = list(ROWS)
        self.refused: set[str] = set()  # the agent's lines that must be nowhere, from now on
        self.origin: dict[
            str, str
        ] = {}  # the agent's lines, and what stood there before the agent, or was kept
        self.below: dict[str, str] = {}  # the agent's lines, and what stood there before their turn
        self.kept: set[str] = set()
        self.turn: list[str] = []  # the agent's lines of the newest turn that has any
        self._unused = {"agent": ROWS[1::6], "other": ROWS[3::6]}

    def mark(self, who: str) -> str:
        """Return a line that is nowhere else."""
        return f"{who} {next(self._numbers):03}"

    def users_row(self) -> str:
        return self._chance.choice(ROWS[5::6])

    def take_rows(self, who: str, many: int = 1) -> list[str]:
        """Return neighbours among the rows of the agent or of another program that nobody has touched."""
        rows = self._unused[who]
        at = self._chance.randrange(len(rows) - many)
        taken = rows[at : at + many]
        del rows[at : at + many]
        return taken

    def has_rows(self, who: str) -> bool:
        return len(self._unused[who]) > 8

    def users_lines(self) -> list[str]:
        return [line for line in self.lines if line.startswith(("mine", "edited"))]

    def pending(self) -> list[str]:
        """Return the agent's lines that are to be reviewed."""
        return [line for line in self.lines if line in self.origin and line not in self.kept]

    # --- what happens

    def insert(self, row: str, line: str) -> None:
        self.lines.insert(self.lines.index(row) + 1, line)

    def replace(self, row: str, line: str) -> None:
        self.lines[self.lines.index(row)] = line

    def agent_writes(self, lines: dict[str, str]) -> None:
        """Put these lines in the place of the rows, by one turn."""
        for line, row in lines.items():
            self.replace(row, line)
            self.origin[line] = row if row in self.kept else self.origin.get(row, row)
            self.below[line] = row
        self.turn = list(lines)

    def undo(self, line: str) -> None:
        self.replace(line, self.origin[line])

    def undo_turn(self) -> None:
        for line in self.turn:
            self.replace(line, self.below[line])
