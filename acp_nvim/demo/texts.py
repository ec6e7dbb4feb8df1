"""Holds what the demo agent says.

A line begins with the command that it names, where it can: 'linebreak' breaks `/help` and `:Acp` behind their first
character.
"""

from __future__ import annotations

INTRODUCTION = """\
*I am the demo agent of acp_nvim: I have no model, and nothing leaves this machine.*

*`/help` shows what you can ask me and how to add a real agent.*

"""

ADD_AGENT = """\
To talk to a real agent, tell the plugin how to start it:

```lua
require('acp_nvim').setup {
  default_agent = 'mine',
  agents = {
    mine = { command = 'my-agent', args = { '--acp' } },
  },
}
```

`:Acp agents` lists the agents that are installed, and says how to install others.
"""

PLAIN_WORDS = """\
Plain words near the beginning of a prompt work, too: *plan, think, read, edit, run, slow, markdown, image, \
tour, help*. So do `read README.md` and ``run `make` `` (the command in backquotes). I ask before I write a file \
or run a command, except for `/write`. I only change `acp-demo.md`, unless you name another file.
"""

THOUGHT = """\
The user wants something. I am a demo without a model, so I will not think about it for long: \
I look for a word that I know, and play the scene that goes with it.
"""

SAMPLE = """\
# Markdown, as it streams

Words may be **strong**, *soft*, `code`, ~~gone~~ or [a link](https://agentclientprotocol.com). Not all of
them are English: naïve Grüße, Ελληνικά, 漢字かな交じり文, emoji 🦊 and 👩‍🚀.

## Lists

1. First, the outline
   - with a nested item
   - and `code` in another
2. Then the details
   - [x] done
   - [ ] still to do

> A quotation, with **weight**
> on two lines.

## Code

```python
def greet(name: str) -> str:
    \"\"\"Says hello.\"\"\"
    return f"Hello, {name}!"
```

```diff
-print("Hello")
+print(greet("Neovim"))
```

````markdown
A fence within a fence:
```lua
vim.print("hello")
```
````

| Method            | Direction       |   Since |
| :---------------- | :-------------: | ------: |
| `session/prompt`  | client → agent  |       1 |
| `session/update`  | agent → client  |       1 |

---

That is all.
"""

# A fox-coloured square, 16 by 16.
IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mN4UatN"
    "EmIY1TCqYfhqAABj+5AQIb2j5wAAAABJRU5ErkJggg=="
)
