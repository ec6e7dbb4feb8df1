"""The signs that are drawn are in the common monospaced fonts."""

import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# In DejaVu Sans Mono, Menlo, Consolas or drawn by the terminal itself, one cell wide, without an emoji of their own.
COMMON = set("±·×→↓−•…‖⊘⋯─━│┃└├┤┼╱▁▎▶▸▾○◌●◑◔◕◻☐☑✓✗—’”λ")
SPINNER = range(0x2800, 0x2900)  # terminals draw these, or take them from any other font


def test_signs_are_in_common_fonts():
    found: dict[str, str] = {}
    for folder in ("lua", "acp_nvim", "plugin", "ftplugin"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (".lua", ".py") and "demo" not in file.parts:
                signs = {char for char in file.read_text() if ord(char) > 127 and ord(char) not in SPINNER}
                found |= {
                    sign: str(file)
                    for sign in signs
                    if unicodedata.category(sign)[0] not in "L" or sign == "λ"
                }
    wide = {sign for sign in found if unicodedata.east_asian_width(sign) in "WF"}  # only read, never drawn
    missing = {sign: file for sign, file in found.items() if sign not in COMMON | wide}
    assert not missing
