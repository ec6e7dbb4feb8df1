"""The constants that both halves need, made for Lua from those of the backend.

python tests/tools/messages.py            writes lua/acp_nvim/shared_constants.lua, too
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from acp_nvim import limits
from acp_nvim.agent.spawn import WITHHELD
from acp_nvim.text.printable import HIDDEN

FILE = Path(__file__).resolve().parents[2] / "lua/acp_nvim/shared_constants.lua"
TEXT = """\
-- What both halves know. Made by tests/tools/messages.py from the backend: edit what is named here in acp_nvim/.
return {{
  -- agent/spawn.py: variables of Neovim's environment that agents and their programs do not get
  WITHHELD = {{ {withheld} }},

  -- text/printable.py: characters behind ASCII that nobody sees, as patterns of their UTF-8
  HIDDEN = {{
{hidden}  }},

  -- limits.py
{limits}}}
"""
LIMITS = (
    "ATTACHED_TEXT_BYTES",
    "ATTACHED_MEDIA_BYTES",
    "FILE_BYTES",
    "COMPARED_FILE_BYTES",
    "WHOLE_FILE_BYTES",
    "REPLACED_PLACES",
    "REPLACED_CHARS",
)
SURROGATES = range(0xD800, 0xE000)


def text() -> str:
    return TEXT.format(
        withheld=", ".join(f'"{name}"' for name in sorted(WITHHELD)),
        hidden="".join(f'    "{pattern}",\n' for pattern in dict.fromkeys(patterns())),
        limits="".join(f"  {name} = {getattr(limits, name)},\n" for name in LIMITS),
    )


def patterns() -> Iterator[str]:
    """Yield a pattern for each run of hidden characters that differ in the last byte alone, or in the last two.

    U+200B to U+200F        \\226\\128[\\139-\\143]
    U+E0000 to U+E0FFF      \\243\\160[\\128-\\191][\\128-\\191]
    """
    characters = "".join(chr(code) for code in range(0x80, sys.maxunicode + 1) if code not in SURROGATES)
    hidden = map(str.encode, HIDDEN.findall(characters))
    for lead, group in groupby(hidden, key=lambda char: char[:-1]):
        last = [char[-1] for char in group]
        if len(last) == 64 and len(lead) == 3:
            yield f"{_bytes(lead[:-1])}[\\128-\\191][\\128-\\191]"
        else:
            yield _bytes(lead) + _set(last)


def _bytes(data: bytes) -> str:
    return "".join(f"\\{byte}" for byte in data)


def _set(found: list[int]) -> str:
    """Return a set such as `[\\128-\\159\\173]`."""
    runs = [[found[0], found[0]]]
    for byte in found[1:]:
        if byte == runs[-1][1] + 1:
            runs[-1][1] = byte
        else:
            runs.append([byte, byte])
    if len(found) == 1:
        return f"\\{found[0]}"
    spelled = (f"\\{first}" if first == last else f"\\{first}-\\{last}" for first, last in runs)
    return f"[{''.join(spelled)}]"
