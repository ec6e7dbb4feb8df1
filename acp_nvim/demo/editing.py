"""Plays the answers that change files: through the client after a question, or behind its back."""

from __future__ import annotations

import os
import re

from . import files
from .turn import ToolCall, Turn
from .wire import Json

SCRATCH = "acp-demo.md"
Change = tuple[str, str | None, str]  # path, old text, new text


def edit(turn: Turn, argument: str) -> None:
    path, _ = files.place(argument or SCRATCH, turn.session.cwd)
    name = os.path.relpath(path, turn.session.cwd)
    place = {"path": path}
    with turn.tool(f"Edit {name}", "edit", locations=[place], rawInput=place) as call:
        old = files.read_if_there(turn, path)
        if not _propose(turn, call, [(path, old, edited(old, path))]):
            left = f"I did not create `{name}`" if old is None else f"I left `{name}` as it is"
            turn.say(f"You said no, so {left}.\n")
        elif old is None:
            turn.say(f"I created `{name}`. Ask me to `/edit` it again to see a change.\n")
        else:
            turn.say(f"I edited `{name}`, just to show how it looks. You can undo it.\n")


def rename(turn: Turn, argument: str) -> None:
    """Every place where the word stands is a change that can be taken or refused."""
    words = argument.split()
    if len(words) == 2 and (attached := turn.prompt.attached_file()):
        words.append(attached)
    if len(words) < 3:
        turn.say("Tell me what to rename, and where: `/rename old new path`.\n")
        return
    word, new, *names = words
    paths = [files.place(name, turn.session.cwd)[0] for name in names]
    title = f"Rename {word} to {new}"
    with turn.tool(title, "edit", locations=[{"path": path} for path in paths]) as call:
        changes: list[Change] = []
        for path in dict.fromkeys(paths):
            old = files.read(turn, path)
            renamed = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", lambda _: new, old)
            changes += [(path, old, renamed)] if renamed != old else []
        if not changes:
            turn.say(f"There is no `{word}` to rename.\n")
        elif _propose(turn, call, changes):
            turn.say(f"I renamed `{word}` wherever you allowed it.\n")
        else:
            turn.say(f"You said no, so `{word}` keeps its name.\n")


def write(turn: Turn, argument: str) -> None:
    """Some agents read and write the disk themselves, and ask nobody."""
    path, _ = files.place(argument or SCRATCH, turn.session.cwd)
    name = os.path.relpath(path, turn.session.cwd)
    with turn.tool(f"Write {name}", "edit", status="in_progress", locations=[{"path": path}]) as call:
        old = files.read_if_there(turn, path)
        files.write_to_disk(path, edited(old, path))
        call.update(status="completed")
    turn.say(
        f"I changed `{name}` on disk without asking you.\n\n"
        "`:Acp review` shows the change, and you can undo it.\n"
    )


def _propose(turn: Turn, call: ToolCall, changes: list[Change]) -> bool:
    """Writes the new texts, if the user lets us."""
    content: list[Json] = [
        {"type": "diff", "path": path, "oldText": old, "newText": new} for path, old, new in changes
    ]
    # The proposal is on the screen before the question is.
    call.update(content=content)
    if turn.session.mode != "auto" and not turn.permitted(call, "edit"):
        call.update(status="failed", rawOutput={"error": "rejected by the user"})
        return False
    call.update(status="in_progress")
    for path, _, new in changes:
        files.write(turn, path, new)
    call.update(status="completed", rawOutput={"written": sum(len(new) for _, _, new in changes)})
    return True


def edited(old: str | None, path: str) -> str:
    """The text with a remark at its top and at its end; where they are already, they count up."""
    mark = "edited by the demo agent, time "
    if old is None:
        return f"# A file of the demo agent\n\n- {mark}1\n\nYou can delete it at any time.\n"
    if mark in old:
        return re.sub(rf"({mark})(\d{{1,9}})", lambda found: found[1] + str(int(found[2]) + 1), old)
    end = "\r\n" if "\r\n" in old else "\n"
    before, after = _comment(path)
    remark = f"{before}{mark}1{after}"
    shebang = old[: old.find("\n") + 1] if old.startswith("#!") else ""
    gap = "" if not old or old.endswith("\n") else end
    return f"{shebang}{remark}{end}{old.removeprefix(shebang)}{gap}{remark}{end}"


def _comment(path: str) -> tuple[str, str]:
    suffix = os.path.splitext(path)[1].lstrip(".")
    if suffix in ("md", "html", "xml", "svg"):
        return "<!-- ", " -->"
    if re.fullmatch("c|h|cc|cpp|hpp|cs|go|java|js|jsx|kt|rs|swift|ts|tsx|zig", suffix):
        return "// ", ""
    others = {"lua": "-- ", "sql": "-- ", "hs": "-- ", "vim": '" ', "el": ";; ", "lisp": ";; "}
    return others.get(suffix, "# "), ""
