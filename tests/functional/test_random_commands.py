"""Random commands over a tree, of one agent or of two, and then `:Acp undo turn`: the tree is as it was before."""

import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.fakes.script import Step, obey, on_prompt, run_command, script, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import call_edit, open_notes, read
from tests.steps.trees import commit, compare, lay_out, tree

Open = Callable[..., Editor]
WAITING = """return #vim.tbl_filter(function(file)
  return vim.iter(file.hunks):any(function(hunk) return hunk.state == 'pending' end)
end, require('acp_nvim').changes({ all = true }))"""
# The last one names no file: of two that run at the same time nobody can say whose its changes are.
KINDS = ("change", "append", "remove", "move", "copy", "create", "remake", "edit", "read", "loop")


class Story:
    """The files below a folder, and what an agent does to them."""

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


def prepare(editor: Editor, names: Iterable[str], is_repository: bool = True) -> None:
    lay_out(editor.project, {name: "".join(f"line {n} of {name}\n" for n in range(4)) for name in names})
    if is_repository:
        commit(editor.project)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_repository", [True, False])
def test_one_agent(open_editor: Open, tmp_path: Path, is_repository: bool, seed: int) -> None:
    """Without git only what a command names is seen."""
    story = Story(seed, kinds=KINDS if is_repository else KINDS[:-1])
    steps = [step for _ in range(8) for step in story.take_step()]
    editor = open_notes(open_editor, script(tmp_path, on_prompt("", *steps)), "notes\n", size=(160, 30))
    prepare(editor, story.names, is_repository)
    for name in story.random.sample(story.names, 3):
        editor.type(f":edit {name}<CR>")
    before = tree(editor.project)
    editor.acp("prompt", "go")
    editor.wait_event("AcpTurnEnded")
    assert compare(before, tree(editor.project))
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("(turn 1)")
    editor.expect_lua(WAITING, 0)
    assert not compare(before, tree(editor.project))


@pytest.mark.parametrize("seed", range(8))
def test_two_agents(open_editor: Open, tmp_path: Path, seed: int) -> None:
    """They take turns in their steps, each below a folder of its own."""
    orders = [tmp_path / "orders 1", tmp_path / "orders 2"]
    agent = script(tmp_path, *(on_prompt(f"turn {n}", obey(str(each))) for n, each in enumerate(orders, 1)))
    editor = open_notes(open_editor, agent, "notes\n", size=(160, 30))
    stories = [Story(2 * seed, "one/", KINDS[:-1]), Story(2 * seed + 1, "two/", KINDS[:-1])]
    prepare(editor, stories[0].names + stories[1].names)
    editor.acp("new_session")
    editor.expect_lua("return require('acp_nvim').status({ session = 2 }).state", "idle")
    before, rand = tree(editor.project), random.Random(seed)
    count, begun = 0, set[int]()

    def order(n: int, *lines: str) -> None:
        with orders[n].open("a") as file:
            file.writelines(f"{line}\n" for line in lines)

    for n in (0, 1, *(rand.randrange(2) for _ in range(8))):
        if n not in begun:
            begun.add(n)
            editor.acp("prompt", f"turn {n + 1}", {"session": n + 1})
            editor.expect_lua(f"return require('acp_nvim').status({{ session = {n + 1} }}).state", "running")
        steps = stories[n].take_step()
        order(n, *map(json.dumps, steps))
        count += len(steps)
        wait_until(lambda count=count: len(agent.logged("mark")) >= count)
    for n in rand.sample([0, 1], 2):
        order(n, '["end"]')
        editor.wait_event("AcpTurnEnded", session=n + 1)
    for n in rand.sample([0, 1], 2):
        now = tree(editor.project)
        editor.lua("vim.b.acp_session = ...", n + 1)
        editor.lua("vim.cmd('messages clear | Acp undo turn')")
        assert {name.split("/")[0] for name in compare(now, tree(editor.project))} <= {("one", "two")[n]}
    editor.expect_lua(WAITING, 0)
    assert not compare(before, tree(editor.project))
