"""The plain parser and the quick one: which of them reads a line makes no difference to what is read."""

import random
import subprocess
import sys

import pytest

from acp_nvim.protocol.parsing import Parser
from tests.fuzz.inputs import data


@pytest.mark.parametrize("seed", range(20))
def test_both_read_the_same(seed: int) -> None:
    lines = [line for step in range(50) for line in data(random.Random(seed * 50 + step)).split(b"\n")]
    plain, quick = Parser(), Parser(worth_it=0)
    assert [repr(plain.read(line)) for line in lines] == [repr(quick.read(line)) for line in lines]


@pytest.mark.parametrize(
    "line",
    [
        b"-0", b"-0.0", b"1e999", b"NaN", b"-NaN", b"-Infinity", b"1" * 5000, b"1.", b"01", b"1E+2", b"-",
        b"123456789012345678901234567890.5", b"9007199254740993.0", b"2.2250738585072011e-308",
        b'"\\u0000"', b'"\\u00e9"', b'"\x7f"', b'"\x1f"', b'"\\ud800"', b'"\\uD83D\\uDE00"', b'"\xed\xa0\x80"',
        b" {}\r", b"\x0c{}", b"\xef\xbb\xbf{}", b"\xc2\xa0{}", b"{}\x00", b'{"a":1,"a":2}', b"[1,]", b'{"a":1}x',
        b"[" * 90 + b"]" * 90, b"[" * 150 + b"]" * 150, b"[" * 500 + b"]" * 500, b'{"a":' * 900 + b"1" + b"}" * 900,
    ],
)  # fmt: skip
def test_both_read_the_same_of_what_is_rare(line: bytes) -> None:
    assert repr(Parser().read(line)) == repr(Parser(worth_it=0).read(line))


@pytest.mark.parametrize(
    ("lines", "loaded"), [(["{}"] * 150, False), (["{}"] * 250, True), (['"' + "x" * 20_000 + '"'], True)]
)
def test_the_quick_parser_is_loaded_when_there_is_much_to_read(lines: list[str], loaded: bool) -> None:
    code = f"""
import sys
from acp_nvim.protocol.parsing import Parser
parser = Parser()
for line in {lines!r}: parser.read(line.encode())
print("pydantic_core._pydantic_core" in sys.modules, "pydantic_core" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == f"{loaded} False\n", "and of its package only what is needed"


def test_pydantic_works_beside_the_quick_parser() -> None:
    code = """
from acp_nvim.protocol.parsing import Parser
assert Parser(worth_it=0).read(b'{"a": [1]}') == {"a": [1]}
from pydantic import TypeAdapter, ValidationError
assert TypeAdapter(list[int]).validate_python(["1"]) == [1]
try:
    TypeAdapter(int).validate_python("x")
except ValidationError as error:
    assert error.errors()[0]["type"] == "int_parsing"
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-I", "-c", code], check=True)
