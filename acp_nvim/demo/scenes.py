"""Plays what the demo agent can show: one function for each scene, called in the thread of its turn.

A scene is given its turn and the argument of its command. It may be cancelled at any point, by `Cancelled`;
open tool calls are then closed by their `with`. Trouble with files and with the client is told by `play`.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from . import files, shell, texts
from .editing import SCRATCH, edit, rename, write
from .prompt import lines
from .shell import fenced
from .turn import Turn, text_content
from .wire import INTERNAL_ERROR, BadShape, ClientError, Json, RpcError

# A ValueError is a text that is not UTF-8, or a path with a NUL in it.
TROUBLE = (ClientError, BadShape, OSError, ValueError)


class Scene:
    """A scene as a slash command; `hint` tells of its argument."""

    def __init__(self, play: Callable[[Turn, str], None], description: str, hint: str | None = None) -> None:
        self.play = play
        self.description = description
        self.hint = hint

    def command(self) -> Json:
        command: Json = {"description": self.description}
        return {**command, "input": {"hint": self.hint}} if self.hint else command


def play(turn: Turn) -> None:
    """Answers the prompt of a turn."""
    turn.check()
    name, argument = turn.prompt.understand(SCENES, turn.session.cwd)
    if turn.session.turns == 1:
        turn.say(texts.INTRODUCTION, pace=0.01)
    try:
        (SCENES[name].play if name else answer)(turn, argument)
    except TROUBLE as error:
        turn.say(f"That did not work: {error}.\n")


def commands() -> list[Json]:
    """The scenes as slash commands."""
    return [{"name": name, **scene.command()} for name, scene in SCENES.items()]


def answer(turn: Turn, _: str) -> None:
    """What there is to say to anything else."""
    if turn.session.thinks:
        turn.think("I do not know any of these words. I will repeat the prompt and say what I can do.")
    understood = lines(turn.prompt.text)
    quote = "\n".join(f"> {line[:200]}" for line in understood[:5]) or "> (no text)"
    turn.say(f"You wrote:\n\n{quote}\n\n")
    if attached := turn.prompt.attachments():
        turn.say("You attached:\n\n" + "".join(f"- {name}\n" for name in attached) + "\n")
    if turn.session.turns == 1:
        help_(turn, "")
    else:
        turn.say("I have no answer of my own to that.\n\n`/help` shows what I can do.\n")


def help_(turn: Turn, _: str) -> None:
    rows = [
        f"- `/{name}{' ' + scene.hint if scene.hint else ''}`: {scene.description}"
        for name, scene in SCENES.items()
    ]
    turn.say("You can ask me for:\n\n" + "\n".join(rows) + "\n\n", pace=0.01)
    turn.say(f"{texts.PLAIN_WORDS}\n{texts.ADD_AGENT}", pace=0.01)


def tour(turn: Turn, _: str) -> None:
    steps = ["Read a file", f"Edit `{SCRATCH}`, with your permission", "Run a command, with your permission"]
    turn.think(texts.THOUGHT)
    for n, scene in enumerate((read, edit, run)):
        turn.plan(steps, n)
        scene(turn, "")
    turn.plan(steps, len(steps))
    turn.say("That was the tour.\n")


def plan(turn: Turn, _: str) -> None:
    steps: dict[str, Callable[[Turn, str], None]] = {
        "Think about it": think,
        "Look at a file": read,
        "Explain it": lambda turn, _: turn.say(
            "The agent sends the whole **plan** again whenever a step changes.\n"
        ),
        "Take a break": lambda turn, _: turn.pause(0.8),
    }
    turn.say("I will make a plan and follow it step by step.\n")
    for n, step in enumerate(steps.values()):
        turn.plan(list(steps), n)
        step(turn, "")
    turn.plan(list(steps), len(steps))
    turn.say("All done.\n")


def think(turn: Turn, _: str) -> None:
    turn.think(texts.THOUGHT)
    turn.pause(0.5)
    turn.say("I thought about it and came to no conclusion.\n")


def read(turn: Turn, argument: str) -> None:
    cwd = turn.session.cwd
    path, line = files.place(argument or turn.prompt.attached_file() or _some_file(cwd), cwd)
    if not path:
        turn.say("I found no file to read here. Name one: `/read path`.\n")
        return
    name = os.path.relpath(path, cwd)
    place = {"path": path, "line": line}
    with turn.tool(f"Read {name}", "read", status="in_progress", locations=[place], rawInput=place) as call:
        content = lines(files.read(turn, path, line))
        turn.pause(0.3)
        head = "\n".join(each[:200] for each in content[:20])
        call.update(status="completed", content=[text_content(fenced(head))])
    first = next((each.strip() for each in content if each.strip()), "(nothing)")
    turn.say(
        f"I read {len(content)} lines of `{name}`, starting at line {line}. The first line of text is:\n\n"
    )
    turn.say(f"{fenced(first[:200])}\n")


def run(turn: Turn, argument: str) -> None:
    command = argument or "ls -a"
    request = {"command": command, "cwd": turn.session.cwd}
    with turn.tool(command, "execute", rawInput=request) as call:
        if not turn.permitted(call, f"run {command}"):
            call.update(status="failed", rawOutput={"error": "rejected by the user"})
            ended = "was not run: you said no"
        else:
            ended = shell.run(turn, call, command)
    turn.say(f"The command {ended}.\n")


def slow(turn: Turn, _: str) -> None:
    turn.say("`:Acp cancel` stops me. Until then I will count.\n\n")
    with turn.tool("Count slowly", "other", status="in_progress"):
        number = 0
        while True:
            number += 1
            turn.say(f"{number}, ")
            turn.wait(0.05)
            turn.pause(0.4)


def long(turn: Turn, argument: str) -> None:
    count = min(int(argument), 1_000_000) if argument.isascii() and argument.isdigit() else 200
    turn.say_lines((f"- line {n} of {count}\n" for n in range(1, count + 1)), pace=0.005)


def error(turn: Turn, _: str) -> None:
    turn.say("I will fail now, as you asked.\n")
    raise RpcError(
        INTERNAL_ERROR, "The demo agent failed because you asked for an error", {"command": "/error"}
    )


def markdown(turn: Turn, _: str) -> None:
    turn.say(texts.SAMPLE)


def image(turn: Turn, _: str) -> None:
    turn.say("Here is a picture:\n\n")
    turn.show({"type": "image", "mimeType": "image/png", "data": texts.IMAGE})
    turn.say("\n\nand a link to something else:\n\n")
    home = {"uri": "https://agentclientprotocol.com", "name": "Agent Client Protocol"}
    turn.show({"type": "resource_link", **home})


SCENES = {
    "help": Scene(help_, "what I can do, and how to add a real agent"),
    "tour": Scene(tour, "think, plan, read, edit and run, all in one turn"),
    "plan": Scene(plan, "follow a plan step by step, with thoughts and a tool call"),
    "think": Scene(think, "think before answering"),
    "read": Scene(read, "read a file", "[path[:line]]"),
    "edit": Scene(edit, f"edit a file (or {SCRATCH}): you see a diff and decide", "[path]"),
    "rename": Scene(
        rename, "rename a word: a diff of several changes, and you decide on each", "old new path…"
    ),
    "write": Scene(write, "change a file without asking, as some agents do", "[path]"),
    "run": Scene(run, "run a shell command, if you allow it", "[command]"),
    "slow": Scene(slow, "count slowly until you cancel"),
    "long": Scene(long, "answer with many lines", "[number of lines]"),
    "error": Scene(error, "answer with an error"),
    "markdown": Scene(markdown, "show all kinds of Markdown"),
    "image": Scene(image, "show a picture and a link"),
}


def _some_file(cwd: str) -> str:
    """A README, or else the first file that is not hidden."""
    names = sorted(entry.name for entry in os.scandir(cwd) if entry.is_file() and entry.name[0] != ".")
    readmes = [name for name in names if name.lower().startswith("readme")]
    return next(iter(readmes + names), "")
