"""Messages about logging in to an agent."""

from dataclasses import dataclass

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import OfSession, WindowCall

# --- Parts


class LoginMethod(TypedDict):
    id: str
    name: str
    text: str


class LoginProgram(TypedDict):
    argv: list[str]
    env: dict[str, str]
    cwd: str
    label: str


# --- From Lua


class Login(OfSession):
    """Log in; without a method by the configured one, or the one that the user chooses."""

    method: str | None = None


class LoginDone(OfSession):
    """The login's program in the terminal has ended well."""


class Logout(OfSession):
    pass


# --- To Lua


@dataclass(slots=True)
class LoginChoose(WindowCall):
    """Let the user choose a way to log in."""

    session: int
    methods: list[LoginMethod]


@dataclass(slots=True)
class LoginRun(WindowCall):
    """Run the program by which the user logs in."""

    session: int
    program: LoginProgram
