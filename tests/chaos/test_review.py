"""Stories over the review at random, in a real Neovim. Whoever types, saves, undoes, deletes or writes: no line of the
user's is lost or saved without their :w, and once everything is undone the disk is what it was before the agent."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fakes.script import (
    ScriptedAgent,
    delete_file,
    obey,
    on_prompt,
    script,
    tool,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.files import open_notes, read, write

CHAOS = "ACP_CHAOS" in os.environ
LINES = [f"line {n}" for n in range(1, 9)]
which = st.integers(0, 9)
_counter = itertools.count(1)

HEAR = """_G.said = {}
local notify = vim.notify
vim.notify = function(text, ...) table.insert(_G.said, text) return notify(text, ...) end"""
SAID = "local said = _G.said; _G.said = {}; return said"
SEEN = """local path = ...
local buf = require('acp_nvim.documents.find').find(path)
local hunks, questions, pending, deleted = {}, {}, {}, false
for _, file in ipairs(require('acp_nvim').changes({ all = true })) do
  for _, hunk in ipairs(file.path == path and file.hunks or {}) do
    if hunk.state == 'pending' then
      hunks[#hunks + 1] = hunk.id
      pending[#pending + 1] = { hunk.id, hunk.first - 1, hunk.last, hunk.old }
    end
  end
  deleted = deleted or file.path == path and file.deleted
end
for _, question in ipairs(require('acp_nvim').questions()) do questions[#questions + 1] = question.id end
local lines = buf and vim.api.nvim_buf_get_lines(buf, 0, -1, false)
if buf and require('acp_nvim.documents.text').is_void(buf) then lines = {} end
local modified = buf ~= nil and vim.bo[buf].modified
return { lines = lines or vim.NIL, modified = modified, hunks = hunks, questions = questions,
  pending = pending, deleted = deleted }"""
DECIDE = """local verb, ids = ...
local review, list = require('acp_nvim.review'), {}
for _, id in ipairs(ids) do list[#list + 1] = review.hunk(id) end
review.decide(verb, list, { aloud = true })"""

STATE = "return require('acp_nvim').status().state"
NAMES = {"edit!": "reload", "u": "back", "agent": "works"}
PAST = {"undo": "undone", "keep": "kept"}
Step = tuple[Any, ...]
_kinds = st.sampled_from(["change", "insert", "insert", "delete"])
_change = st.tuples(_kinds, which)
_steps = st.one_of(
    st.tuples(
        st.just("agent"), st.sampled_from(["through", "direct"]), st.lists(_change, min_size=1, max_size=3)
    ),
    st.tuples(
        st.just("agent"), st.sampled_from(["through", "direct"]), st.lists(_change, min_size=1, max_size=3)
    ),
    st.tuples(
        st.just("agent_turn"),
        st.sampled_from(["through", "direct"]),
        st.lists(_change, min_size=1, max_size=3),
    ),
    st.tuples(st.just("agent_deletes")),
    st.tuples(
        st.just("agent_makes_anew"),
        st.sampled_from(["through", "direct"]),
        st.lists(_change, min_size=1, max_size=2),
    ),
    st.tuples(st.just("type"), which),
    st.tuples(st.just("type"), which),
    st.tuples(
        st.sampled_from(["save", "u", "u", "redo", "edit!", "wipe", "open", "open", "end_turn", "delete"])
    ),
    st.tuples(st.sampled_from(["saveas", "file", "mv", "mv_back"])),
    st.tuples(st.just("undo"), st.one_of(st.none(), which, st.sampled_from(["all", "turn"]))),
    st.tuples(st.just("undo"), st.one_of(st.none(), which)),
    st.tuples(st.just("undo"), st.just("turn")),
    st.tuples(st.just("keep"), st.one_of(st.none(), which)),
)


class Story:
    def __init__(self, editor: Editor, agent: ScriptedAgent, orders: Path, starts: str) -> None:
        self.editor, self.agent, self.orders = editor, agent, orders
        self.path = editor.project / f"f{next(_counter)}.txt"
        self.other = self.path.with_suffix(".other")
        self.before = list(LINES) if starts != "new" else None
        if self.before:
            self.path.write_text(_text(self.before))
        self.saved: set[str] = set()  # the user has, or an agent's write through us
        self.made = self.obeyed = 0
        self.new: set[str] = set()
        self.turn_of: dict[str, int] = {}  # the agent's lines
        self.problem = self.apart = False
        self.in_turn = self.has_kept = False
        self.session = editor.lua("return require('acp_nvim').status().session")
        self.log: list[Any] = [starts]
        self.strict = True
        editor.lua(SAID)
        if starts != "closed":
            self.open()
        self.now = self.rest()

    # --- what is there

    @property
    def disk(self) -> list[str] | None:
        return self.path.read_text().split("\n")[:-1] if self.path.exists() else None

    def seen(self) -> dict[str, Any]:
        return dict(self.editor.lua(SEEN, str(self.path)))

    def rest(self) -> dict[str, Any]:
        """Once nothing moves any more."""
        last: Any = None
        same = 0
        while same < 12:
            self.keep_mine()
            now = self.seen(), self.disk
            same = same + 1 if now == last else 0
            last = now
            self.editor.screen.wait_for_anything(0.02)
        return dict(last[0])

    def token(self, who: str) -> str:
        self.made += 1
        line = f"{who} {self.made}"
        if who == "agent":
            self.new.add(line)
        return line

    def do(self, command: str) -> None:
        self.editor.lua("vim.cmd(...)", command)

    # --- the steps

    def take(self, step: Step) -> None:
        before = self.now
        mine = _mine(before["lines"] if before["lines"] is not None else self.disk)
        if self.disk is None and not before["modified"]:
            mine = set()  # the file is gone under an unmodified buffer, which takes up whatever is there next
        self.log.append((step, before, self.disk))
        name, *how = step
        users = getattr(self, NAMES.get(name) or name)(*how)
        now = self.now = self.rest()
        self.log.append(("->", now, self.disk, self.editor.lua(SAID)))
        live = now["lines"] if now["lines"] is not None else self.disk
        if not users:
            # of a file that an agent has deleted, and nobody has loaded, the review has the lines
            held = [line for hunk in now["pending"] for line in hunk[3]] if self.disk is None else []
            assert mine <= _mine(live) | _mine(self.disk) | _mine(held), self.told()
        assert _mine(self.disk) <= self.saved, self.told()
        assert not self.editor.mode()["blocking"]
        if name in ("u", "redo") and self.knows_all():
            shown = [range(first, last) for _, first, last, _ in now["pending"]]
            free = [
                line for at, line in enumerate(now["lines"] or []) if not any(at in rows for rows in shown)
            ]
            assert not [line for line in free if line.startswith("agent")], self.told()

    def knows_all(self) -> bool:
        """Nothing has made lines of the agent the user's."""
        names = {step[0][0] for step in self.log if isinstance(step[0], tuple)}
        return self.strict and not names & {"keep", "wipe", "saveas", "file", "edit!"}

    def told(self) -> str:
        return "\n".join(map(str, self.log))

    def obey(self, *steps: Any) -> None:
        """The agent takes these steps; its requests may have to wait for an answer of the user's."""
        if not self.in_turn:
            self.orders.unlink(missing_ok=True)
            self.orders.touch()
            self.editor.acp("prompt", "work")
            self.in_turn = True
            self.editor.expect_lua(STATE, "running")
        self.turn_of |= dict.fromkeys(self.new, self.editor.lua("return require('acp_nvim').status().turn"))
        self.new = set()
        count = len(self.agent.logged("mark")) + len(steps)
        self.obeyed += len(steps)
        with self.orders.open("a") as file:
            file.writelines(json.dumps(step) + "\n" for step in steps)

        def has_obeyed() -> bool:
            self.keep_mine()
            return len(self.agent.logged("mark")) >= count

        wait_until(has_obeyed, 20)

    def keep_mine(self) -> None:
        """Where both have changed the same lines; what the agent has on the disk is the user's to write over then."""
        if questions := self.seen()["questions"]:
            self.editor.acp("answer", questions[0], "mine")
            self.strict = False

    def agent_edit(self, *steps: Any) -> None:
        call = f"c{self.made}-{self.obeyed}"
        begins = tool(
            call, title="Edit", kind="edit", status="in_progress", locations=[{"path": str(self.path)}]
        )
        look = read(str(self.path)) if self.path.exists() else read(str(self.path.parent / "none"))
        self.obey(begins, look, *steps, tool(call, known=True, status="completed"))

    def agent_makes_anew(self, way: str, changes: list[tuple[str, int]]) -> None:
        self.works(way, changes, *([delete_file(str(self.path))] if self.path.exists() else []))

    def agent_turn(self, way: str, changes: list[tuple[str, int]]) -> None:
        self.works(way, changes)
        self.end_turn()

    def works(self, way: str, changes: list[tuple[str, int]], *first: Any) -> None:
        seen = self.seen()
        lines = self.disk if way == "direct" or seen["lines"] is None else seen["lines"]
        if way == "through" and self.disk is None and seen["lines"] is None:
            lines = []
        lines = list(lines or [])
        if way == "through" and self.disk is None and seen["modified"] and not seen["hunks"]:
            self.before = _others(
                lines
            )  # nothing waits of a file that an agent made and deleted: a buffer keeps its text
        for kind, place in changes:
            theirs = [at for at, line in enumerate(lines) if not line.startswith("mine")]
            at = theirs[place % len(theirs)] if theirs else 0
            if kind == "insert" or not theirs:
                lines.insert(at, self.token("agent"))
            elif kind == "change":
                lines[at] = self.token("agent")
            elif len(lines) > 1:
                del lines[at]
        self.agent_edit(*first, self.written(way, lines))

    def written(self, way: str, lines: list[str]) -> Any:
        if way == "direct":
            return write_file(str(self.path), _text(lines))
        self.saved |= _mine(lines)
        return write(str(self.path), _text(lines))

    def agent_deletes(self) -> None:
        if self.path.exists():
            self.agent_edit(delete_file(str(self.path)))

    def end_turn(self) -> None:
        if self.in_turn:
            with self.orders.open("a") as file:
                file.write('["end"]\n')
            self.in_turn = False
            self.editor.wait_event("AcpTurnEnded")

    def _is_current(self) -> bool:
        return bool(self.editor.lua("return vim.api.nvim_buf_get_name(0)") == str(self.path))

    def type(self, place: int) -> bool:
        if self._is_current():
            count = self.editor.lua("return vim.fn.line('$')")
            void = self.seen()["lines"] == []
            self.do(f"normal! {1 + place % count}G{'i' if void else 'o'}{self.token('mine')}")
        return True

    def save(self) -> bool:
        if self._is_current():
            self.saved |= _mine(self.seen()["lines"])
            self.before = self.before or []
            self.do("silent write!")
        return True

    def back(self) -> bool:
        if self._is_current():
            self.do("silent normal! u")
        return True

    def redo(self) -> bool:
        if self._is_current():
            self.do('silent exe "normal! \\<C-r>"')
        return True

    def reload(self) -> bool:
        if self._is_current():
            self.do("silent edit!")
        return True

    def wipe(self) -> bool:
        if self._is_current():
            self.do("enew | bwipeout! #")
        return True

    def open(self) -> bool:
        if not self._is_current():
            self.do(f"silent edit {self.path}")
        return True

    def delete(self) -> bool:
        """By the user, once the agent has nothing to do with it."""
        self.end_turn()
        self.rest()
        if self.path.exists():
            self.path.unlink()
            self.strict = False
        return True

    def saveas(self) -> bool:
        """What was the file's buffer is another one's from now on."""
        if self._is_current() and not self.editor.lua("return vim.fn.bufloaded(...)", str(self.other)):
            self.do(f"silent saveas! {self.other}")
        return True

    def file(self) -> bool:
        if self._is_current() and not self.other.exists():
            self.do(f"silent file {self.other}")
        return True

    def mv(self) -> bool:
        """Outside of the editor, as all that is done to a file there once the agent has nothing to do with it."""
        self.end_turn()
        self.rest()
        if self.path.exists():
            self.path.rename(self.path.with_suffix(".away"))
            self.strict = False
        return True

    def mv_back(self) -> bool:
        away = self.path.with_suffix(".away")
        if away.exists() and not self.path.exists():
            self.end_turn()
            self.rest()
            away.rename(self.path)
        return True

    def _decide(self, verb: str, what: int | str | None) -> list[Any]:
        """The hunks that were chosen."""
        pending = self.seen()["pending"]
        chosen = pending if isinstance(what, str | None) or not pending else [pending[what % len(pending)]]
        if not chosen:
            return []
        self.editor.lua(SAID)
        newest = self.editor.lua("return require('acp_nvim.review').newest_turn(...)", self.session)
        if isinstance(what, str):
            self.do(f"Acp {verb} {what}")
        else:
            self.editor.lua(DECIDE, verb, [each[0] for each in chosen])
        said: list[str] = []

        def has_said() -> list[str]:
            said.extend(self.editor.lua(SAID))
            return said

        wait_until(has_said)
        self.log.append(("said", said))
        self.apart = self.apart or "keeps its own lines" in said[0]
        self.problem = f" {PAST[verb]}" not in said[0] or ";" in said[0] or said[0].startswith("0")
        if what == "turn" and not self.problem and self.strict and not self.has_kept:
            seen = self.rest()
            live = seen["lines"] if seen["lines"] is not None else self.disk
            assert newest not in map(self.turn_of.get, live or []), self.told()
        self.has_kept = self.has_kept or verb == "keep"
        return list(chosen)

    def undo(self, what: int | str | None) -> None:
        self._decide("undo", what)

    def keep(self, what: int | None) -> None:
        """From now on the user wants to have that as well."""
        seen = self.seen()
        kept = self._decide("keep", what)
        if kept:
            self.strict = self.strict and not seen["deleted"]
            rest = [each for each in seen["pending"] if each not in kept]
            live = seen["lines"] if seen["lines"] is not None else self.disk or []
            for _, first, last, old in reversed(rest):
                live = [*live[:first], *old, *live[last:]]
            self.before = _others(live)

    # --- the end

    def end(self) -> None:
        self.end_turn()
        seen = self.now = self.rest()
        while seen["hunks"]:
            self.take(("undo", None))
            seen = self.rest()
            if self.problem and seen["hunks"]:
                assert seen["modified"], self.told()
                self.take(("save",))
                self.problem = False
                seen = self.rest()
                self.strict = False
        live = seen["lines"] if seen["lines"] is not None else self.disk
        if self.strict and seen["modified"] and _others(self.disk or []) != (self.before or []):
            self.take(("save",))  # the user has taken some of it back by u alone
        if self.strict:
            keeps = self.apart or self.disk is None  # the text of a file that is gone
            assert keeps or _others(live or []) == (self.before or []), self.told()
            assert _others(self.disk or []) == (self.before or []), self.told()
            if self.before is None:
                assert self.disk is None or _mine(self.disk), self.told()


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _mine(lines: list[str] | None) -> set[str]:
    return {line for line in lines or [] if line.startswith("mine")}


def _others(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith("mine")]


def test_no_line_of_the_user_s_is_lost_or_saved(open_editor: Callable[..., Editor], tmp_path: Path) -> None:
    orders = tmp_path / "orders"
    agent = script(tmp_path, on_prompt("", obey(str(orders))))
    editor = open_notes(open_editor, agent)
    editor.lua(HEAR)

    @settings(
        max_examples=int(os.environ.get("STORIES", 100 if CHAOS else 3)),
        phases=[Phase.generate],
        database=None,
        derandomize=not CHAOS,  # the ordinary run tells the same ones each time
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(["open", "closed", "new"]), st.lists(_steps, min_size=3, max_size=10))
    def live(starts: str, steps: list[Step]) -> None:
        story = Story(editor, agent, orders, starts)
        try:
            for step in steps:
                story.take(step)
            story.end()
        finally:
            story.end_turn()
            editor.acp("keep", "all")
            story.rest()
            editor.lua("vim.cmd(...)", "silent enew! | silent! %bwipeout!")

    live()


MADE = ("agent", "direct", [("delete", 9), ("insert", 0), ("change", 7)])
REMADE = ("agent_makes_anew", "direct", [("change", 0), ("delete", 6)])
LEFT = [
    ("type", 7),
    ("agent", "through", [("insert", 9)]),
    ("type", 5),
    ("saveas",),
    ("agent_deletes",),
    ("type", 7),
]
AGAIN = ("agent", "through", [("change", 0)])  # a deleted file is written again, twice
ANEW = ("agent_makes_anew", "through", [("insert", 1), ("insert", 1)])
ONCE: list[tuple[str, list[Step]]] = [
    ("open", [MADE, MADE, ("type", 8), MADE, ("agent_deletes",)]),
    ("open", [("agent_deletes",), AGAIN, AGAIN]),
    ("open", [REMADE, ("agent_deletes",), ("agent", "direct", [("insert", 5), ("insert", 8)])]),
    ("new", [ANEW, ("type", 0), ("agent_deletes",), ("agent", "through", [("insert", 1), ("insert", 5)])]),
    ("open", LEFT),  # the review has the lines of a deleted file that nobody has loaded
]


@pytest.mark.parametrize(("starts", "steps"), ONCE)
def test_what_has_failed_once(
    open_editor: Callable[..., Editor], tmp_path: Path, starts: str, steps: list[Step]
) -> None:
    orders = tmp_path / "orders"
    agent = script(tmp_path, on_prompt("", obey(str(orders))))
    editor = open_notes(open_editor, agent)
    editor.lua(HEAR)
    story = Story(editor, agent, orders, starts)
    for step in steps:
        story.take(step)
    story.end()
