"""The help as Markdown: a page a chapter under doc/help, and llms.txt, which lists them for programs that read.

python tests/tools/help_pages.py            writes them
python tests/tools/help_pages.py --check    says what differs

a line of the help                       in Markdown
INTRODUCTION       *acp_nvim-…*          # Introduction
All subcommands    *acp_nvim-…*          ## All subcommands       (below a line of dashes)
To ask about some lines ~                ### To ask about some lines
:Acp close              *:Acp-close*     **`:Acp close`** and the indented text below it
>lua … <                                 a block of code
|acp_nvim-rules|                         a link to the place of that tag, on whatever page
name    what it is                       - `name`: what it is
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELP, PAGES, LIST = ROOT / "doc" / "acp_nvim.txt", ROOT / "doc" / "help", ROOT / "llms.txt"
CHAPTER, PART = re.compile(r"^={78}\n", re.MULTILINE), re.compile(r"^-{78}$")
TAG = re.compile(r"(?<!\S)\*([^*\s|]+)\*(?!\S)")
CODE = re.compile(r"^(.*?)\s*>(\w*)$")
ITEM = re.compile(r"^( *)(- |\d+\. )")
ROW = re.compile(r"^( *)(\S(?:.*?\S)??) {2,}(\S.*)$")
INLINE = re.compile(r"(`[^`\n]+`)|\|([^|\s]+)\||(<[^<>\s]+>\w?)|([*<>])")
SHORT = re.compile(r"\b(mcp|api|i)\b")


def main() -> int:
    wanted = make(HELP.read_text())
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text() != text]
    stale += [path for path in PAGES.glob("*.md") if path not in wanted]
    if sys.argv[1:] == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what the help says: python tests/tools/help_pages.py")
        return 1 if stale else 0
    PAGES.mkdir(exist_ok=True)
    for path in stale:
        path.write_text(wanted[path]) if path in wanted else path.unlink()
    return 0


def make(text: str) -> dict[Path, str]:
    """Return the pages with their texts."""
    chapters = [Chapter(part) for part in CHAPTER.split(text)[1:]]
    places = {tag: chapter.name for chapter in chapters for tag in chapter.tags}
    pages = {PAGES / f"{chapter.name}.md": chapter.markdown(places) for chapter in chapters}
    rows = [
        f"- [{chapter.title}](doc/help/{chapter.name}.md): {chapter.about(places)}" for chapter in chapters
    ]
    return {**pages, LIST: HEAD + "\n".join(rows) + FOOT}


HEAD = """# acp_nvim

> A Neovim plugin for coding agents that speak the Agent Client Protocol (ACP): chat, questions answered by a key, diffs
> decided hunk by hunk, review in the file, undo of whole turns, live terminals, sessions.

`:help acp_nvim` is the reference. These pages are made from it, a page a chapter.

## Help

"""
FOOT = """

## More

- [README](README.md): what it is, how to install it, the first five minutes
- [ARCHITECTURE.md](ARCHITECTURE.md): where things are, and the rules that cost a bug
- [SECURITY.md](SECURITY.md): what is promised, and what is not
"""


class Chapter:
    def __init__(self, text: str) -> None:
        head, _, self.body = text.partition("\n")
        self.title = SHORT.sub(lambda word: word[0].upper(), TAG.sub("", head).strip().capitalize())
        self.tags = TAG.findall(text)
        self.name = self.tags[0].removeprefix("acp_nvim-")

    def markdown(self, places: dict[str, str]) -> str:
        blocks = "\n\n".join(self._blocks(places))
        return f"# {self.title}\n\n{blocks}\n"

    def about(self, places: dict[str, str]) -> str:
        """Return the first sentence that is one."""
        plain = next(b for b in self._blocks(places) if not b.startswith(("<a", "#", "*", "`", "-", "1")))
        sentence = re.split(r"(?<=[.:])\s", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain))[0]
        return sentence.rstrip(":.") + "."

    def _blocks(self, places: dict[str, str]) -> Iterator[str]:
        lines = self.body.expandtabs().split("\n")
        at = 0
        while at < len(lines):
            line = lines[at]
            if not line.strip() or line.strip().startswith("vim:") or PART.match(line):
                at += 1
            elif tags := TAG.findall(line):
                yield "".join(f'<a id="{tag}"></a>' for tag in tags)
                if words := TAG.sub("", line).strip():
                    is_part = at > 0 and PART.match(lines[at - 1])
                    yield f"## {words}" if is_part else f"**`{words}`**"
                at += 1
            elif line.endswith(" ~"):
                yield f"### {line[:-2].strip()}"
                at += 1
            else:
                block, at = _block(lines, at)
                if any(map(CODE.match, block)) and lines[at].startswith(
                    "<"
                ):  # the end of the code; text may go on
                    lines[at] = " " + lines[at][1:]
                yield from _rendered(block, places)


def _block(lines: list[str], at: int) -> tuple[list[str], int]:
    """Return the lines up to an empty one, or up to the end of the code that begins in them."""
    start = at
    while (
        at < len(lines) and lines[at].strip() and not TAG.search(lines[at]) and not lines[at].endswith(" ~")
    ):
        if CODE.match(lines[at]):
            at += 1
            while at < len(lines) and not lines[at].startswith("<") and not _is_flush(lines[at]):
                at += 1
            return lines[start:at], at
        at += 1
    return lines[start:at], at


def _is_flush(line: str) -> bool:
    return bool(line) and not line.startswith(" ")


def _rendered(block: list[str], places: dict[str, str]) -> Iterator[str]:
    code = next((n for n, line in enumerate(block) if CODE.match(line)), None)
    if code is not None:
        words, language = CODE.match(block[code]).groups()  # type: ignore[union-attr]
        if before := [*block[:code], *([words] if words.strip() else [])]:
            yield _words(before, places)
        inner = textwrap.dedent("\n".join(block[code + 1 :])).strip("\n")
        yield f"```{language or 'text'}\n{inner}\n```"
    else:
        first = next((n for n, line in enumerate(block) if ROW.match(line)), len(block))
        if block[:first]:
            yield _words(block[:first], places)
        if block[first:]:
            yield _words(_items(block[first:]), places)


def _items(rows: list[str]) -> list[str]:
    """Return rows of two columns as items of a list; what goes on below its row belongs to it."""
    items: list[str] = []
    for line in rows:
        if row := ROW.match(line):
            name = row[2] if "`" in row[2] else f"`{row[2]}`"
            items.append(f"- {name}: " + re.sub(" {2,}", ": ", row[3]))
        else:
            items[-1] += " " + line.strip()
    return items


def _words(block: list[str], places: dict[str, str]) -> str:
    """Return paragraphs and lists as Markdown, an item a line."""
    rows: list[str] = []
    for line in textwrap.dedent("\n".join(block)).split("\n"):
        if not rows or ITEM.match(line):
            rows.append(line)
        else:
            rows[-1] += " " + line.strip()
    if not ITEM.match(rows[0]):
        rows[0] = rows[0].strip()
        if len(rows) > 1:
            rows.insert(1, "")
    return "\n".join(INLINE.sub(lambda found: _inline(found, places), row) for row in rows)


def _inline(found: re.Match[str], places: dict[str, str]) -> str:
    code, tag, key, mark = found.groups()
    if code:
        return code
    if tag:
        return f"[{tag}]({places[tag]}.md#{tag})" if tag in places else f"`:help {tag}`"
    return f"`{key}`" if key else f"\\{mark}"


if __name__ == "__main__":
    sys.exit(main())
