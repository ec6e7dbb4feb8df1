"""A story at random: two agents, the user, another program and git work in one folder.

Each line is a token of its own that says whose it is and in the place of which other one it was written, so that a
loss, a doubling or a wrong owner shows itself. What each file must hold, on the disk and in its buffer, the model says
(`tests/model`), after each step and at the end, when all turns are undone: no line of an agent's is left, and every
other one is there.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import (
    ScriptedAgent,
    Step,
    mark,
    obey,
    on_prompt,
    run_command,
    script,
    shell,
    tool,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.functional.screen import within
from tests.model.reviewed_file import File
from tests.model.stack import Edit, Text, apply, carry, diff, in_place_of
from tests.steps.files import call_edit, join_lines, read, write
from tests.steps.trees import compare, git, lay_out, tree

BUFFER = """local buf = vim.fn.bufnr('^' .. ... .. '$')
  local is_loaded = buf > 0 and vim.api.nvim_buf_is_loaded(buf)
  return is_loaded and vim.api.nvim_buf_get_lines(buf, 0, -1, true) or vim.NIL"""
SETTLED = 8.0  # seconds in which the buffer has become what it must be
# Seconds after which a change is no longer taken for one of before, or of after: agents and clocks are late.
EARLIER, TICK = 0.35, 0.02
LINES = 8
OWN = ("one", "two")  # a folder of each agent's own
# The last one names no file: of two that run at the same time nobody can say whose its changes are.
KINDS = ("change", "append", "remove", "move", "copy", "create", "remake", "edit", "read", "loop")


class Commands:
    """The files below a folder, and what an agent does to them by commands and calls."""

    def __init__(self, seed: int, folder: str = "", kinds: tuple[str, ...] = KINDS) -> None:
        self.random = random.Random(seed)
        self.folder, self.kinds = folder, kinds
        self.names = [f"{folder}{name}.txt" for name in ("0", "1", "2", "3", "sub/a", "sub/b", "sub/deep/c")]
        self._old, self._there, self._count = list(self.names), list(self.names), 0

    def take_step(self) -> list[Step]:
        self._count += 1
        n, name = self._count, self.random.choice(self._there)
        new = f"{self.folder}{self.random.choice(['', 'sub/', 'made/'])}new{n}.txt"
        make = f"mkdir -p $(dirname {new}) &&"
        match self.random.choice(self.kinds):
            case "change":
                return self._run(f"sed -i s/line/LINE{n}/ {name}")
            case "append":
                return self._run(f"echo new{n} >> {name}")
            case "remake":
                beside = f"{self.folder}beside.tmp"
                return self._run(f"cp {name} {beside} && echo remade{n} >> {beside} && mv {beside} {name}")
            case "remove" | "move" as kind if name in self._old:
                self._old.remove(name)
                self._there.remove(name)
                if kind == "remove":
                    return self._run(f"rm {name}")
                self._there.append(new)
                return self._run(f"{make} mv {name} {new}")
            case "copy":
                self._there.append(new)
                return self._run(f"{make} cp {name} {new}")
            case "edit":
                path = f"{{cwd}}/{name}"
                return call_edit(
                    path, read(path), write_file(path, f"edit {n}\nby the agent\n"), id=f"call{n}"
                )
            case "read":
                path = f"{{cwd}}/{name}"
                return call_edit(path, read(path), id=f"call{n}")
            case "loop":
                return self._run(
                    f"for name in {name.removesuffix('.txt')}; do echo loop{n} >> $name.txt; done"
                )
        self._there.append(new)
        return self._run(f"{make} echo created{n} > {new}")

    def _run(self, command: str) -> list[Step]:
        return run_command(command, read("{cwd}/notes.txt"), id=f"call{self._count}")


class Shared:
    """A file that all of them write. `live` is its buffer, or the disk where there is none."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name
        self.model = File(tuple(f"{path.stem}{n}" for n in range(LINES)))
        self.is_open = False
        self.is_others = False  # another program has written it while a turn ran
        self.named_by: int | None = None  # the agent of which a call is open that names it
        self.named_in = set[int]()  # the agents that have named it in their last turns
        path.write_text(join_lines(list(self.disk)))

    @property
    def live(self) -> Text:
        return self.model.state.live

    @property
    def disk(self) -> Text:
        return self.model.saved.live

    @property
    def is_modified(self) -> bool:
        return self.live != self.disk


def agents_of_stories(folder: Path) -> tuple[ScriptedAgent, list[Path]]:
    """Return an agent whose two sessions do what is written to the two files."""
    orders = [folder / "orders 1", folder / "orders 2"]
    return script(
        folder, *(on_prompt(f"turn {n}", obey(str(each))) for n, each in enumerate(orders, 1))
    ), orders


class RandomStory:
    """`turns`: the number of the last turn of each session."""

    def __init__(
        self, editor: Editor, agent: ScriptedAgent, orders: list[Path], turns: list[int], seed: int
    ) -> None:
        self.editor, self.agent, self.orders, self.turns = editor, agent, orders, turns
        self.random, self.count, self.told = random.Random(seed), 0, list[str]()
        self.folder = editor.project / f"story{seed}_{sum(turns)}"
        self.folder.mkdir()
        self.files = [Shared(self.folder / f"{name}.txt") for name in "abc"]
        self.runs = [False, False]
        self.commands = set[int]()  # the agents of which a command runs
        self.ended_at = self.others_at = 0.0  # when a turn has ended, and another program has written
        self.open_calls: list[tuple[Shared, Callable[[], None]] | None] = [None, None]
        self.own = [
            Commands(2 * seed + n, f"{self.folder.name}/{name}/", KINDS[:-1]) for n, name in enumerate(OWN)
        ]
        self.turns_with_commands: list[set[int]] = [set(), set()]
        names = [name for own in self.own for name in own.names]
        lay_out(editor.project, {name: "".join(f"line {n} of {name}\n" for n in range(4)) for name in names})
        self.trees = [tree(self.folder / name) for name in OWN]
        git(editor.project, "add", ".")
        git(editor.project, "commit", "-qm", f"story {seed}")

    def tell(self, steps: int) -> None:
        self.editor.lua("vim.cmd('messages clear')")
        try:
            for _ in range(steps):
                while self.random.choice(STEPS)(self) is False:
                    pass
                self.check()
            self.end()
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *self.told])) from error

    # --- what is looked at

    def check(self) -> None:
        left = within(SETTLED)
        while wrong := self.wrong():
            assert left() > 0, wrong
            self.editor.screen.wait_for_anything(0.01)

    def wrong(self) -> str:
        """Return what is not as it must be."""
        if self.editor.mode()["blocking"]:
            return f"Neovim waits for a key\n{self.editor.screen.picture()}"
        if self.editor.acp("questions"):
            return f"a question\n{self.editor.screen.picture()}"
        for file in self.files:
            if (disk := tuple(file.path.read_text().splitlines())) != file.disk:
                said = self.editor.lua("return vim.fn.execute('messages')")
                return f"{said}\n{file.name} on the disk\n is     {disk}\n not    {file.disk}"
            lines = self.editor.lua(BUFFER, str(file.path)) if file.is_open else None
            if file.is_open and tuple(lines or ()) != file.live:
                return f"{file.name} in its buffer\n is     {lines}\n not    {file.live}"
        return self.wrong_in_review()

    def wrong_in_review(self) -> str:
        """Return what is not an agent's and counts as that, or the other way round. What another program has written
        while a turn ran may wait, too, as nobody's, and with an agent's line beside it the two are one hunk."""
        by_path = {str(file.path): file for file in self.files}
        lines, old = list[tuple[str, str]](), set[str]()
        for file in self.editor.acp("changes", {"all": True}):
            hunks = [hunk for hunk in file["hunks"] if hunk["state"] == "pending"]
            is_known = file["by"] != "unknown"
            if hunks and (found := by_path.get(file["path"])):
                old |= {line for hunk in hunks for line in hunk["old"]}
                new = [line for hunk in hunks for line in hunk["new"]]
                lines += [
                    (found.name, line)
                    for line in new
                    if "agent" in line or (is_known and "other" not in line)
                ]
        agents = [(file.name, line) for file in self.files for line in file.live if "agent" in line]
        if sorted(lines) != sorted(agents):
            return f"lines of agents in review\n is     {sorted(lines)}\n not    {sorted(agents)}"
        gone = {line for file in self.files for line in {*file.model.state.reviewed} - {*file.live}}
        left = {line for line in gone - old if "other" not in line}
        return f"not in review: {left}" if left else ""

    # --- what several steps do

    def say(self, words: str) -> None:
        self.told.append(words)

    def token(self, whose: str) -> str:
        self.count += 1
        return f"{whose}_{self.count}"

    def edit_at_random(self, text: Text, whose: str) -> list[Edit]:
        """Change, add or take out a line, or two that are not neighbours."""
        r, edits = self.random, list[Edit]()
        for row in sorted(r.sample(range(len(text)), r.choice([1, 1, 2]))) if len(text) > 2 else []:
            if edits and row < edits[-1].last + 2:
                continue
            kind, new = r.choice(["change", "change", "add", "add", "take out"]), self.token(whose)
            change = Edit(row, row + 1, (in_place_of(whose, self.count, text[row]),))
            others = {"add": Edit(row + 1, row + 1, (new,)), "take out": Edit(row, row + 1, ())}
            edits.append(others.get(kind, change))
        return edits

    def in_file(self, file: Shared, keys: str) -> None:
        self.editor.type(f"<Esc>:{'buffer' if file.is_open else 'edit'} {file.path}<CR>")
        self.editor.expect_lua("return vim.api.nvim_buf_get_name(0)", str(file.path))
        file.is_open = True
        self.editor.type(keys)

    def is_as_on_disk(self, file: Shared) -> bool:
        """Whether Neovim knows that, too: it does not where lines were typed and taken out again."""
        self.in_file(file, "")
        return not self.editor.lua("return vim.bo.modified")

    def pick(self, *, open: bool | None = None, modified: bool | None = None) -> Shared | None:
        found = [
            file
            for file in self.files
            if open in (None, file.is_open) and modified in (None, file.is_modified)
        ]
        return self.random.choice(found) if found else None

    # --- the user

    def types(self) -> bool | None:
        file = self.random.choice(self.files)
        if not file.live:
            return False
        row, token = self.random.randrange(len(file.live)), self.token("user")
        line, kind = file.live[row], self.random.choice(["o", "o", "cc", "cc", "dd"])
        token = in_place_of("user", self.count, line) if kind == "cc" else token
        self.say(f"the user: {file.name}, {kind} at {line}: {token if kind != 'dd' else ''}")
        if kind == "dd" and len(file.live) < 3:
            return False
        self.in_file(file, f"/^{line}$<CR>" + (kind if kind == "dd" else f"{kind}{token}<Esc>"))
        edit = {"o": Edit(row + 1, row + 1, (token,)), "cc": Edit(row, row + 1, (token,))}
        file.model.user([edit.get(kind, Edit(row, row + 1, ()))])
        return None

    def saves(self) -> bool | None:
        if not (file := self.pick(modified=True)):
            return False
        self.say(f"the user: {file.name}, :w")
        self.in_file(file, ":write<CR>")
        file.model.save()
        return None

    def gives_up(self) -> bool | None:
        if not (file := self.pick(modified=True)):
            return False
        self.say(f"the user: {file.name}, :edit!")
        self.in_file(file, ":edit!<CR>")
        file.model.reload()
        return None

    def reads_again(self) -> bool | None:
        if not (file := self.pick(open=True, modified=False)):
            return False
        if not self.is_as_on_disk(file):
            return False
        self.say(f"the user: {file.name}, :edit")
        self.in_file(file, ":edit<CR>")
        return None

    def closes(self) -> bool | None:
        if not (file := self.pick(open=True, modified=False)):
            return False
        if not self.is_as_on_disk(file):
            return False
        self.say(f"the user: {file.name}, :bwipeout")
        self.in_file(file, ":bwipeout<CR>")
        file.is_open = False
        return None

    def goes_back_and_forth(self) -> bool | None:
        if not (file := self.pick(open=True)):
            return False
        self.say(f"the user: {file.name}, u and CTRL-R")
        before = file.live
        self.in_file(file, "")
        state = "return { vim.fn.undotree().seq_cur, vim.fn.undotree().seq_last }"
        now, last = self.editor.lua(state)
        if now == 0 or now != last or file.model.moments[-1] is not file.model.state:
            return None
        self.editor.type("u")
        self.editor.expect_lua("return vim.fn.undotree().seq_cur < ...", True, now)
        self.editor.type("<C-r>")
        assert file.live == before
        return None

    def undoes_a_turn(self) -> bool | None:
        n = self.random.randrange(2)
        turn = self.newest_turn(n)
        if (
            turn is None
            or turn in self.turns_with_commands[n]
            or any(file.is_modified for file in self.files)
            or self.open_calls != [None, None]
        ):
            return False
        self.say(f"the user: undo turn of session {n + 1}: {turn}")
        self.undo_turn(n, turn)
        for file in self.files:
            file.model.undo_turn((n + 1, turn))
        return None

    def newest_turn(self, n: int) -> int | None:
        """Return that of a session which has left something."""
        turns = (turn.by for file in self.files for turn in file.model.state.turns)
        return max(
            {turn for session, turn in turns if session == n + 1} | self.turns_with_commands[n], default=None
        )

    def undo_turn(self, n: int, turn: int) -> None:
        said = self.editor.lua("return { require('acp_nvim').undo_turn(...) }", turn, {"session": n + 1})
        self.say(f"  {said}")

    # --- another program, and git

    def another_program_writes(self) -> bool | None:
        file = self.pick(modified=False)
        if (
            self.commands
            or file is None
            or len(file.live) < 3
            or file.named_in & {n for n in range(2) if self.runs[n]}
        ):
            return False
        text = apply(file.disk, self.edit_at_random(file.disk, "other"))
        by_git = self.random.random() < 0.5
        wait_until(lambda: time.time() > self.ended_at + TICK)
        self.say(f"{'git' if by_git else 'another program'}: {file.name} becomes {text}")
        file.path.write_text(join_lines(list(text)))
        if by_git:
            git(self.editor.project, "commit", "-qm", "other", str(file.path))
        has_lost = any("agent" in line for line in {*file.live} - {*text})
        file.model.program(text)
        file.is_others, self.others_at = any(self.runs), time.time()
        if file.is_open or has_lost:  # review knows of a file without a buffer once somebody looks at it
            self.in_file(file, ":checktime<CR>")
        return None

    # --- the agents

    def order(self, n: int, *steps: Step) -> None:
        count = len(self.agent.logged("mark")) + len(steps)
        with self.orders[n].open("a") as file:
            file.writelines(json.dumps(step) + "\n" for step in steps)
        wait_until(lambda: len(self.agent.logged("mark")) >= count)

    def begins_a_turn(self, n: int) -> None:
        self.orders[n].write_text("")
        self.turns[n] += 1
        for file in self.files:
            file.named_in.discard(n)
        self.say(f"agent {n + 1}: turn {self.turns[n]} begins")
        self.editor.acp("prompt", f"turn {n + 1}", {"session": n + 1})
        self.editor.wait_event("AcpTurnStarted", session=n + 1)
        self.order(n, mark("begun"))
        self.runs[n] = True

    def ends_a_turn(self) -> bool | None:
        running = [n for n in range(2) if self.runs[n]]
        if not running:
            return False
        n = self.random.choice(running)
        self.finish_call(n)
        self.say(f"agent {n + 1}: the turn ends")
        with self.orders[n].open("a") as file:
            file.write('["end"]\n')
        self.editor.wait_event("AcpTurnEnded", session=n + 1)
        self.editor.lua("require('acp_nvim.review').wait_for_disk()")
        self.runs[n], self.ended_at = False, time.time()
        return None

    def writes(self) -> bool | None:
        """Begin a call, or end the one that is open: what happens between is up to the others."""
        n = self.random.randrange(2)
        if self.open_calls[n]:
            self.finish_call(n)
            return None
        if not any(self.runs):
            for each in self.files:
                each.is_others = False
        free = [file for file in self.files if file.named_by is None and not file.is_others]
        file = self.random.choice(free or [None])
        if file is None or len(file.disk) < 3:
            return False
        if not self.runs[n]:
            self.begins_a_turn(n)
        way = self.random.choice(list(WAYS))
        id, path = self.token("call"), f"{file.path}"
        kind = "execute" if way in ("sed", "renamed") else "edit"
        wait_until(lambda: time.time() > self.others_at + EARLIER)
        said = (
            {"rawInput": {"command": f"tool {path}"}}
            if kind == "execute"
            else {"locations": [{"path": path}]}
        )
        self.say(f"agent {n + 1}: {file.name}, a call to write it ({way}) begins: {id}")
        reads = [read(path)] if way == "through us" or self.random.random() < 0.5 else []
        self.order(n, tool(id, title=id, kind=kind, status="in_progress", **said), *reads, read(path))
        file.named_by = n
        file.named_in.add(n)

        def finish() -> None:
            text = file.live if way == "through us" else file.disk
            edits = self.edit_at_random(text, f"agent{n + 1}")
            above = carry(edits, text, file.live)
            is_near = way != "through us" and self.is_near_unsaved(file, edits)
            if is_near or not edits:
                self.say(f"agent {n + 1}: {file.name} is left as it is")
                self.order(n, tool(id, known=True, status="completed"))
                return
            new = apply(text, edits)
            self.say(f"agent {n + 1}: {file.name} becomes {new}")
            again = [read(path)] if way == "through us" else []
            self.order(n, *again, *WAYS[way](path, list(new)), tool(id, known=True, status="completed"))
            file.model.agent(above, (n + 1, self.turns[n]))
            if way == "through us":
                file.model.save()

        self.open_calls[n] = file, finish
        self.commands |= {n} if kind == "execute" else set()
        if self.random.random() < 0.5:
            self.finish_call(n)
        return None

    def works_in_its_own_folder(self) -> bool | None:
        n = self.random.randrange(2)
        if self.open_calls[n]:
            return False
        if not self.runs[n]:
            self.begins_a_turn(n)
        wait_until(lambda: time.time() > self.others_at + EARLIER)
        steps = self.own[n].take_step()
        self.say(f"agent {n + 1}: {steps[0][1]['title']}")
        self.order(n, *steps)
        self.turns_with_commands[n].add(self.turns[n])
        return None

    def is_near_unsaved(self, file: Shared, edits: list[Edit]) -> bool:
        """Whether the user would have to decide, or may have to: unsaved lines are beside them."""
        wide = [Edit(max(0, e.first - 1), min(len(file.disk), e.last + 1), ("wide",)) for e in edits]
        return any(
            one.first <= other.last and other.first <= one.last
            for one in wide
            for other in diff(file.disk, file.live)
        )

    def finish_call(self, n: int) -> None:
        if call := self.open_calls[n]:
            file, finish = call
            self.open_calls[n], file.named_by = None, None
            self.commands.discard(n)
            finish()

    # --- the end

    def end(self) -> None:
        """All is saved, all turns end, and both sessions are undone in any order."""
        while self.ends_a_turn() is not False:
            self.check()
        for file in self.files:
            if file.is_modified:
                self.in_file(file, ":write<CR>")
                file.model.save()
        self.check()
        for n in self.random.sample([0, 1], 2):
            while (turn := self.newest_turn(n)) is not None:
                self.say(f"the end: undo turn {turn} of session {n + 1}")
                self.undo_turn(n, turn)
                self.turns_with_commands[n].discard(turn)
                for file in self.files:
                    file.model.undo_turn((n + 1, turn))
                self.check()
        assert not [line for file in self.files for line in file.live if line.startswith("agent")]
        for name, before in zip(OWN, self.trees, strict=True):
            assert not compare(before, tree(self.folder / name))
        for file in self.files:
            if file.is_open:
                self.in_file(file, ":bwipeout!<CR>")
                file.is_open = False


def by_sed(path: str, lines: list[str]) -> list[Step]:
    return [
        shell(f"printf '%s\\n' {' '.join(lines)} > {path}.tmp && cat {path}.tmp > {path} && rm {path}.tmp")
    ]


def renamed(path: str, lines: list[str]) -> list[Step]:
    return [shell(f"printf '%s\\n' {' '.join(lines)} > {path}.tmp && mv {path}.tmp {path}")]


WAYS: dict[str, Callable[[str, list[str]], list[Step]]] = {
    "through us": lambda path, lines: [write(path, join_lines(lines))],
    "on disk": lambda path, lines: [write_file(path, join_lines(lines))],
    "both": lambda path, lines: [write_file(path, join_lines(lines))],
    "emptied": lambda path, lines: [write_file(path, ""), write_file(path, join_lines(lines))],
    "sed": by_sed,
    "renamed": renamed,
}
STEPS: list[Callable[[RandomStory], bool | None]] = [
    *[RandomStory.types] * 3,
    RandomStory.saves,
    RandomStory.saves,
    RandomStory.gives_up,
    RandomStory.reads_again,
    RandomStory.closes,
    RandomStory.goes_back_and_forth,
    RandomStory.undoes_a_turn,
    RandomStory.another_program_writes,
    *[RandomStory.writes] * 6,
    *[RandomStory.works_in_its_own_folder] * 2,
    RandomStory.ends_a_turn,
]
