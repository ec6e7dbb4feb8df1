"""The help as Markdown: each thing that the help has, and that no page is stale is what `make check` looks at."""

from tests.tools import help_pages

RULE = "=" * 78 + "\n"
HELP = f"""*x.txt* A plugin

Contents ~
    First ... |x-first|

{RULE}FIRST THINGS                                         *acp_nvim-first*

Press <C-s> or `<CR>`; see |acp_nvim-rest| and |:write|. A * stands
for itself.
- one that
  goes on
- another
A snippet: >lua

    if true then
      print("|not a link|")
    end
<
Rows of columns:
    name      what it is, which
              goes on below
    `:Acp x`  a command
{RULE}THE MCP REST                                          *acp_nvim-rest*

It has parts.

{"-" * 78}
A part                                                *acp_nvim-part*

To do a thing ~
    1. Do it.

:Acp close                                               *:Acp-close*
        Closes it.

 vim:tw=78:ft=help:
"""
FIRST = """# First things

Press `<C-s>` or `<CR>`; see [acp_nvim-rest](rest.md#acp_nvim-rest) and `:help :write`. A \\* stands for itself.

- one that goes on
- another A snippet:

```lua
if true then
  print("|not a link|")
end
```

Rows of columns:

- `name`: what it is, which goes on below
- `:Acp x`: a command
"""
REST = """# The MCP rest

It has parts.

<a id="acp_nvim-part"></a>

## A part

### To do a thing

1. Do it.

<a id=":Acp-close"></a>

**`:Acp close`**

Closes it.
"""


def test_what_the_help_has_becomes_markdown() -> None:
    pages = {path.name: text for path, text in help_pages.make(HELP).items()}
    assert pages["first.md"] == FIRST
    assert pages["rest.md"] == REST
    assert "- [The MCP rest](doc/help/rest.md): It has parts.\n" in pages["llms.txt"]
