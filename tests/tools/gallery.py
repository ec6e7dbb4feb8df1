"""Every kind of screen, photographed in several colour schemes and widths: sheets to look at before a release.

    python -m tests.tools.gallery [--nvim NVIM] [--widths 80,120,200] [--out FOLDER] [SCENE]...

Each sheet holds one scene in one width: default and tokyonight, both dark and light. The schemes change while the
screen stands, as a user changes them. A scripted agent plays a session of ordinary work, so that the screens hold what
users see.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from tests.fakes.script import (
    Step,
    error,
    on,
    on_prompt,
    permission,
    request,
    result,
    say,
    think,
    tool,
    update,
    wait_file,
)
from tests.steps.forms import ONE_QUESTION, TWO_QUESTIONS, ask_user_question
from tests.tools.shot import Picture
from tests.tools.stage import ROOT, stage

SCHEMES = ("default dark", "default light", "tokyonight-moon", "tokyonight-day")
ROWS = {48: 30, 80: 24, 100: 30, 120: 36, 200: 48}
FONT = {48: 14, 80: 14, 100: 12, 120: 12, 200: 12}
ACROSS = {48: 2, 80: 2, 100: 2, 120: 2, 200: 1}  # pictures beside each other on a sheet

PRICE = '''\
"""Prices of orders."""

from orders.model import Order

TAX = 0.19


def gross(order: Order) -> float:
    return order.net * (1 + TAX)


def total(orders: list[Order]) -> float:
    result = 0.0
    for order in orders:
        result = result + gross(order)
    return result


def discount(order: Order, percent: int) -> float:
    return order.net * percent / 100
'''
BETTER = PRICE.replace("TAX = 0.19", "TAX = 0.19  # since 2021").replace(
    """    result = 0.0
    for order in orders:
        result = result + gross(order)
    return result
""",
    "    return sum(gross(order) for order in orders)\n",
)
FILES = {
    "src/orders/price.py": PRICE,
    "src/orders/model.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Order:\n    net: float\n",
    "tests/test_price.py": "from orders.price import total\n\n\ndef test_total():\n    assert total([]) == 0\n",
}
MARKDOWN = """\
## What `total()` does

It adds the **gross** price of each order. The loop can be a *generator expression*; `sum()` starts at ~~0.0~~ `0`,
so an empty list gives an `int`. See [the documentation](https://docs.python.org/3/library/functions.html#sum).

| Function | Where | What it does | Tested |
|----------|-------|--------------|:------:|
| `gross` | `price.py:8` | the net price and the tax | ✓ |
| `total` | `price.py:12` | the sum of all gross prices of a list of orders, in the order of the list | ✓ |
| `discount` | `price.py:19` | a share of the net price | – |

1. Replace the loop.
2. Add a test for
   - an empty list
   - one order, whose price is not a whole number of cents and has to be rounded somewhere
3. Run `pytest`.

> A price is a `float` here. That is a bug waiting to happen.

- [x] read the callers
- [ ] write the test

---

```python
def total(orders: list[Order]) -> float:
    return sum(gross(order) for order in orders)  # a generator: no list is built
```

That is all.
"""
CODE = """\
The three places, and how the caller looks then:

1. In `price.py`:

   ```python
   def total(orders: list[Order]) -> float:
       return sum(gross(order) for order in orders)
   ```

2. The query, with its plan:

   ```sql
   SELECT sum(net * 1.19) FROM orders WHERE paid IS NULL; -- 12 ms
   ```

3. The change:

   ```diff
   -    result = 0.0
   -    for order in orders:
   +    return sum(gross(order) for order in orders)
   ```

````markdown
# Notes
```sh
pytest -q tests
```
````
"""
OPTIONS = (
    ("once", "Yes", "allow_once"),
    ("always", "Yes, allow all edits during this session", "allow_always"),
    ("no", "No, and tell Claude what to do differently", "reject_once"),
)
CONTROLS = {
    "modes": {
        "currentModeId": "default",
        "availableModes": [
            {"id": "default", "name": "Always ask"},
            {"id": "acceptEdits", "name": "Accept edits"},
            {"id": "plan", "name": "Plan"},
        ],
    },
    "models": {
        "currentModelId": "opus",
        "availableModels": [{"modelId": "opus", "name": "Opus"}, {"modelId": "sonnet", "name": "Sonnet"}],
    },
}
FORM = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "title": "Name of the release", "description": "As it stands in the tag"},
        "kind": {"type": "string", "title": "Kind", "enum": ["patch", "minor", "major"], "default": "minor"},
        "notes": {"type": "boolean", "title": "Write release notes", "default": True},
    },
}


def done(
    id: str, kind: str, title: str, *locations: tuple[str, int], text: str = "", **fields: Any
) -> Iterator[Step]:
    """A call that begins and ends."""
    places = [{"path": "{cwd}/" + path, "line": line} for path, line in locations]
    content = [{"type": "content", "content": {"type": "text", "text": text}}] if text else []
    yield tool(id, kind=kind, title=title, status="in_progress", locations=places, **fields)
    yield tool(id, known=True, status=fields.get("ends", "completed"), content=content)


def plan(current: int) -> Step:
    names = [
        "Read the callers of total()",
        "Replace the loop by sum()",
        "Add a test for an empty list",
        "Run pytest",
    ]
    states = [
        "completed" if at < current else "in_progress" if at == current else "pending"
        for at in range(len(names))
    ]
    entries = [
        {"content": name, "priority": "medium", "status": state}
        for name, state in zip(names, states, strict=True)
    ]
    return update({"sessionUpdate": "plan", "entries": entries})


def proposal(id: str = "edit", *, asks: bool = True) -> list[Step]:
    diff = {"type": "diff", "path": "{cwd}/src/orders/price.py", "oldText": PRICE, "newText": BETTER}
    call: Any = {"kind": "edit", "content": [diff], "locations": [{"path": "{cwd}/src/orders/price.py"}]}
    return [
        tool(id, title="Edit src/orders/price.py", status="pending", **call),
        *([permission("Edit src/orders/price.py", OPTIONS, id=id, **call)] if asks else []),
        request(
            "fs/write_text_file",
            {"sessionId": "{session}", "path": "{cwd}/src/orders/price.py", "content": BETTER},
        ),
        tool(id, known=True, status="completed"),
    ]


def run(id: str, command: str, output: str) -> Iterator[Step]:
    yield from done(id, "execute", command, rawInput={"command": command}, text=output)


def many_calls() -> Iterator[Step]:
    files = ("src/orders/price.py", "src/orders/model.py", "tests/test_price.py")
    for number in range(9):
        path = files[number % 3]
        yield from done(f"r{number}", "read", f"Read {path}", (path, number + 1), text="…")
        if number % 3 == 2:
            yield from done(f"s{number}", "search", f'grep "total({number}" in src', text="3 matches")
    yield say("The callers are few. Now the tests.")
    yield from run("t1", "pytest -q tests", "....\n3 failed, 9 passed in 0.4s")
    for number in range(6):
        path = files[number % 2]
        yield from done(f"q{number}", "read", f"Read {path}", (path, number * 3 + 1), text="…")
    yield tool("f", kind="fetch", title="Fetch https://docs.python.org/3/library/functions.html")
    message = "<tool_use_error>Request failed with status code 404 Not Found\nno such page</tool_use_error>"
    content = [{"type": "content", "content": {"type": "text", "text": message}}]
    yield tool("f", known=True, status="failed", content=content)
    yield think("The documentation has moved. I know what sum() does anyway.")
    pytest = "python -m pytest tests/test_price.py -k 'total and not discount' --maxfail=1 --durations=5 -q"
    yield from run("t2", pytest, "tests/test_price.py ......\n\n6 passed in 0.21s")
    yield say("All six tests pass.")


def terminal() -> Iterator[Step]:
    loop = "for i in 1 2 3; do printf 'tests/test_%d.py \\033[32mok\\033[0m\\n' $i; done"
    command = {"command": "sh", "args": ["-c", f"{loop}; echo; echo '3 passed in 0.2s'; sleep 60"]}
    yield request("terminal/create", {"sessionId": "{session}", **command})
    content = [{"type": "terminal", "terminalId": "terminal-1"}]
    yield tool("x", kind="execute", title="make test", status="in_progress", content=content)


def rules(folder: Path) -> list[dict[str, Any]]:
    info = {"name": "claude", "title": "Claude", "version": "1.0"}
    capabilities = {"loadSession": True, "sessionCapabilities": {"list": {}}}
    cost = {"amount": 0.31, "currency": "USD"}
    usage = update({"sessionUpdate": "usage_update", "used": 42_000, "size": 200_000, "cost": cost})
    form = {
        "mode": "form",
        "sessionId": "{session}",
        "message": "What shall the release be?",
        "requestedSchema": FORM,
    }
    forever = wait_file(str(folder / "never"))
    callers = [
        say("I look at the callers first."),
        *done("r", "read", "Read src/orders/price.py", ("src/orders/price.py", 12)),
    ]
    overloaded = "API Error: 529 overloaded_error: Overloaded"
    return [
        on(
            "initialize", result({"protocolVersion": 1, "agentInfo": info, "agentCapabilities": capabilities})
        ),
        on("session/new", result({"sessionId": "s1", **CONTROLS}), times=1),
        on_prompt("markdown", usage, say(MARKDOWN)),
        on_prompt("code", say(CODE)),
        on_prompt("calls", usage, say("I look at the callers first."), *many_calls()),
        on_prompt("plan", think("Four steps."), plan(1), *callers, plan(2), forever),
        on_prompt("sum", usage, *callers, *proposal(), say("Done: `total()` is one line now.")),
        on("session/set_mode", result({})),
        on_prompt("Edit", usage, *callers, *proposal(asks=False), say("Done: `total()` is one line now.")),
        on_prompt("error", say("I try."), error(-32603, overloaded, {"details": "request req_011CU"})),
        on_prompt("release", request("elicitation/create", form), say("Thank you.")),
        on_prompt("format", *ask_user_question(ONE_QUESTION), say("Thank you.")),
        on_prompt("ask", *ask_user_question(TWO_QUESTIONS), say("Thank you.")),
        on_prompt("wait", say("This takes a while."), *callers[1:], forever),
        on_prompt("terminal", *terminal(), forever),
        on_prompt("", say("Hello.")),
    ]


SEND = "<Esc><CR>"


def said(text: str, *until: str) -> list[str]:
    return [":Acp<CR>", "wait:idle", f"i{text}", SEND, *(f"wait:{words}" for words in until)]


SUM = "Replace the loop in total() by sum(), and run the tests."
ASKED = said(SUM, "1 ✓ Yes")
OPENED = [*ASKED, ":Acp diff<CR>", "wait::w"]
EDITED = [  # without a question: it waits for review
    *(":Acp<CR>", "wait:idle", ":Acp mode acceptEdits<CR>", "wait:Accept edits"),
    *said("Edit total(): no loop, please.", "Done:")[2:],
]
CHAT = "<C-w>k"

SCENES: dict[str, list[str]] = {
    "welcome": [":Acp<CR>", "wait:idle"],
    "markdown": [*said("Explain total() in markdown.", "That is all"), CHAT, "gg", "<C-w>j"],
    "code": said("Show me the code.", "pytest -q"),
    "calls": said("Find the calls of total(), and run the tests.", "All six"),
    "plan": [*said("Make a plan.", "plan 2/4"), CHAT, "G", "[tza", "<C-w>j"],
    "question": ASKED,
    "proposal": OPENED,
    "mixed": [*OPENED, "gg]cdo", ":w<CR>", "wait:Done:", ":Acp<CR>"],
    "review": [*EDITED, ":Acp review<CR>", "gg]h"],
    "comments": [
        *(*EDITED, ":Acp review<CR>", "gg]h"),
        *(
            ":5Acp comment read it from the settings<CR>",
            ":Acp comment! this was right, the year is in the settings, too<CR>",
        ),
        *(":8,9Acp comment name the rate, and say in the docstring what it is for<CR>", "wait:name the rate"),
    ],
    "timeline": [
        *EDITED,
        *said("Explain total() in markdown.", "That is all")[2:],
        *(":Acp timeline<CR>", "wait:no loop", "ggza"),
    ],
    "sessions": [
        *said("Explain total() in markdown.", "That is all"),
        *(":Acp new<CR>", "wait:idle", "iFind the calls of total().", SEND, "wait:All six"),
        *(":Acp new<CR>", "wait:idle", f"i{SUM}", SEND, "wait:1 ✓ Yes"),
        *(":Acp sessions<CR>", "wait:Explain"),
    ],
    "queue": [
        *said("Please wait for me.", "takes a"),
        *("iThen add a test for discount.", SEND, "wait:1 queued"),
        *("iAnd one for negative prices, with a message that a user understands.", SEND, "wait:2 queued"),
        *(":Acp queue<CR>", "wait:Queue"),
    ],
    "error": said("Make an error.", "529"),
    "terminal": [*said("Open a terminal.", "3 passed"), ":Acp terminals 1<CR>", "wait:test_1"],
    "choice": said("Which format?", "Decline"),
    "ask": said("Please ask me.", "Decline"),
    "asking": [*said("Please ask me.", "Decline"), ":Acp accept<CR>", "wait:send"],
    "form": [*said("Make a release.", "Decline"), ":Acp accept<CR>", "wait:Kind"],
    "running": [*said("Please wait for me.", "takes a"), "iThen add a test", "<C-s>", "wait:1 queued"],
}


def photograph(nvim: Path, scene: list[str], width: int) -> list[Image.Image]:
    with stage(nvim, SCHEMES[0], (width, ROWS[width])) as shown:
        shown.start(FILES, rules(shown.folder))
        shown.play(scene)
        return [Picture(shown.put_on(scheme), FONT[width]).image for scheme in SCHEMES]


def sheet(pictures: list[Image.Image], across: int) -> Image.Image:
    width, height = pictures[0].size
    rows = -(-len(pictures) // across)
    whole = Image.new("RGB", ((width + 6) * across - 6, (height + 6) * rows - 6), "#808080")
    for at, picture in enumerate(pictures):
        whole.paste(picture, (at % across * (width + 6), at // across * (height + 6)))
    return whole


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nvim", type=Path, default=ROOT / ".nvim/0.12/bin/nvim")
    parser.add_argument("--widths", default="80,100,120,200")
    parser.add_argument("--out", type=Path, default=ROOT / ".cache" / "gallery")
    parser.add_argument("scenes", nargs="*", default=list(SCENES))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for name in asked.scenes:
        for width in map(int, asked.widths.split(",")):
            pictures = photograph(asked.nvim, SCENES[name], width)
            sheet(pictures, ACROSS[width]).save(asked.out / f"{name}-{width}.png")


if __name__ == "__main__":
    main()
