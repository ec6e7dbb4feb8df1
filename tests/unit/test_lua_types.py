"""What every machine can see of the Lua half's types; `make check-types-lua` has lua-language-server judge them."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path for place in ("lua", "plugin", "ftplugin", "types") for path in (ROOT / place).rglob("*.lua")
)
FUNCTION = re.compile(r"((?:^---.*\n)*)^function M[.:](\w+)\((.*?)\)", re.MULTILINE)
DEFINED = re.compile(r"---@(?:class|alias|enum) (?:\(\w+\) )?(acp\.[\w.]+)")
ANNOTATED = re.compile(r"---?(?:\[\[)?@(?:param|return|field|type|class|alias|cast|as) .*")
NAMED = re.compile(r"\bacp\.(?:message\.)?[A-Z]\w*")


def undocumented(text: str) -> list[str]:
    """What the public functions take without saying of which type it is."""
    wrong = []
    for comment, name, parameters in FUNCTION.findall(text):
        said = set(re.findall(r"^---@param ([\w.]+)", comment, re.MULTILINE))
        taken = [one for one in re.split(r", *", parameters) if one.strip("_")]
        wrong += [f"{name}: {one}" for one in taken if one not in said]
    return wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_public_functions_say_what_they_take(path: Path):
    assert undocumented(path.read_text()) == []


def test_a_name_is_given_to_one_type_and_every_named_type_is_there():
    texts = [path.read_text() for path in FILES]
    defined = Counter(name for text in texts for name in DEFINED.findall(text))
    assert [name for name, times in defined.items() if times > 1] == []
    named = {name for text in texts for line in ANNOTATED.findall(text) for name in NAMED.findall(line)}
    assert named - set(defined) == set()


def test_a_function_without_its_types_is_found():
    assert undocumented("---@param one string\nfunction M.go(one, other)\n  return 1\nend\n") == ["go: other"]
