"""Files as an agent meets them: an editor in memory, a disk, one session."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.file_snapshot import ChangeAuthor
from acp_nvim.files.service import Files
from acp_nvim.proposals.expected_writes import ExpectedWrites
from acp_nvim.protocol.errors import RpcError
from acp_nvim.protocol.jsonrpc import Request
from acp_nvim.session.question import Question
from acp_nvim.session.session import Session
from tests.fakes.files import FileEditor


class _Asked:
    """What a service gets, as far as it looks."""

    def __init__(self, **params: Any) -> None:
        self.request = Request(0, "fs", params)


class Agent:
    """An agent's requests, their answers, and the user who is asked meanwhile."""

    def __init__(self, root: Path, editor: FileEditor | None = None) -> None:
        self.root = root
        self.editor = editor or FileEditor()
        self.expected = ExpectedWrites(lambda session, text: None)
        self.files = Files(self.editor, self, self.expected)
        self.editor.tell = self.files.documents.modified
        self.editor.unlocked = self.files.documents.unlocked
        self.session = self.new_session(root)
        self.answers: list[str | None] = []  # of the user, in order
        self.asked: list[Question] = []
        self.merged: str | None = None
        self.told: list[tuple[Any, ...]] = []

    def new_session(self, cwd: Path, *roots: Path) -> Session:
        session = Session(1, "mine", str(cwd), tuple(map(str, roots)))
        session.ready("s-1")
        return session

    # --- what the files tell

    def touch(self, session: Session) -> None:
        for question in session.questions:
            if question not in self.asked:
                self.asked.append(question)
                self._answer(session, question)

    def _answer(self, session: Session, question: Question) -> None:
        if self.answers:
            answer = self.answers.pop(0)
            if answer == "merge" and self.merged is not None:
                self.files.conflicts.open[question.id].take(self.merged, None)
            session.questions.end(question, question.option(answer) if answer else None, "user")

    def on_read(self, session: Session, path: str, line: int | None) -> None:
        self.told.append(("read", os.path.basename(path), line))

    def on_written(
        self, by: ChangeAuthor, path: str, before: str | None, after: str, is_others: bool
    ) -> None:
        self.told.append(("written", os.path.basename(path), before, after))

    def on_broken(self, path: str) -> None:
        self.told.append(("broken", os.path.basename(path)))

    def known(self, session: Session, path: str) -> None:
        """Nobody has looked at the disk."""

    # --- requests

    async def read(self, path: Path | str, session: Session | None = None, **params: Any) -> str:
        asked = _Asked(path=str(path), **params)
        return str((await self.files.read(asked, session or self.session))["content"])  # type: ignore[arg-type]

    async def write(self, path: Path | str, content: Any, session: Session | None = None) -> None:
        asked = _Asked(path=str(path), content=content)
        assert await self.files.write(asked, session or self.session) == {}  # type: ignore[arg-type]

    async def code(self, request: Any) -> int:
        """Of the error that the request is answered with."""
        with pytest.raises(RpcError) as caught:
            await request
        return caught.value.code

    def begin_turn(self, *loaded: Path) -> None:
        began = disk.clock()
        while disk.clock() == began:  # files made so far are older than the turn
            time.sleep(0)
        at_start = {str(path): file_snapshot.text(str(path)) for path in loaded}
        self.files.baselines.begin_turn(self.session, disk.clock(), at_start)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)
