"""terminal/create: what is asked for, exactly, or a clear refusal."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from acp_nvim import limits
from acp_nvim.protocol.errors import INVALID_PARAMS, RpcError
from acp_nvim.terminals.request import TerminalRequest


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    return {"PATH": "/bin:/usr/bin", "PAGER": "less", **extra}


def read(**params: Any) -> TerminalRequest:
    return TerminalRequest.read(params, "/", environment)


@pytest.mark.statement(108)
@pytest.mark.parametrize(
    ("params", "argv"),
    [
        ({"command": "echo a b"}, ["/bin/sh", "-c", "echo a b"]),
        ({"command": "ls|wc", "args": []}, ["/bin/sh", "-c", "ls|wc"]),
        ({"command": "ls", "args": None}, ["ls"]),
        ({"command": "echo", "args": ["a b", "", "$HOME"]}, ["echo", "a b", "", "$HOME"]),
        ({"command": "my tool", "args": ["x"]}, ["my tool", "x"]),
    ],
)
def test_only_a_line_without_arguments_goes_through_the_shell(params: dict[str, Any], argv: list[str]):
    assert read(**params).argv == argv


def test_a_program_with_a_space_in_its_path_is_no_shell_line(tmp_path: Path):
    program = tmp_path / "my tool"
    program.touch(mode=0o755)
    assert read(command=str(program)).argv == [str(program)]
    assert read(command="./my tool", cwd=str(tmp_path)).argv == ["./my tool"]
    assert read(command="./my tool").argv[0] == "/bin/sh"


@pytest.mark.statement(116)
def test_pagers_are_off_unless_the_agent_wants_one():
    env = read(command="git", env=[{"name": "GIT_PAGER", "value": "mine"}, {"name": "A", "value": "é=1"}]).env
    assert (env["PAGER"], env["GIT_PAGER"], env["A"]) == ("cat", "mine", "é=1")


@pytest.mark.statement(108, 110)
@pytest.mark.parametrize(
    ("given", "limit"),
    [
        (None, limits.TERMINAL_OUTPUT_BYTES),
        (0, 0),
        (12.0, 12),
        (10**30, limits.TERMINAL_OUTPUT_BYTES),
        (5, 5),
    ],
)
def test_the_limit_is_the_agents_up_to_ours(given: Any, limit: int):
    assert read(command="ls", outputByteLimit=given).limit == limit


@pytest.mark.statement(13)
@pytest.mark.parametrize(
    "wrong",
    [
        {"command": None},
        {"command": " "},
        {"command": ["ls"]},
        {"args": "-l"},
        {"args": [1]},
        {"env": {"A": "b"}},
        {"env": [{"name": "A"}]},
        {"env": ["A=b"]},
        {"cwd": "relative"},
        {"cwd": "~"},
        {"cwd": "/no/such/folder"},
        {"cwd": "/\0"},
        {"cwd": 7},
        {"outputByteLimit": -1},
        {"outputByteLimit": "many"},
        {"outputByteLimit": True},
        {"outputByteLimit": float("inf")},
    ],
)
def test_what_is_wrong_is_named(wrong: dict[str, Any]):
    with pytest.raises(RpcError) as refused:
        read(**{"command": "ls", **wrong})
    assert refused.value.code == INVALID_PARAMS
    assert next(iter(wrong)) in refused.value.message
