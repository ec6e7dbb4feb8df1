"""An agent may offer any number of things; as many are known as anybody looks through, and that is said."""

from acp_nvim.protocol import schema
from acp_nvim.session.plenty import MOST
from acp_nvim.session.session import Session
from acp_nvim.session.transcript import Note


def session() -> Session:
    found = Session(1, "mine", "/w")
    found.ready("s-1")
    return found


def notes(of: Session) -> list[str]:
    return [entry.text for entry in of.transcript.entries if isinstance(entry, Note)]


def commands(count: int) -> schema.CommandsUpdate:
    return schema.CommandsUpdate(tuple(schema.Command(name=f"c{n}") for n in range(count)))


def test_the_first_commands_are_known_and_that_is_said_once():
    talk = session()
    talk.apply(commands(MOST), 0.0)
    assert notes(talk) == []
    for count in (MOST + 1, MOST + 2):
        talk.apply(commands(count), 0.0)
        assert [command["name"] for command in talk.commands or ()] == [f"c{n}" for n in range(2000)]
    assert notes(talk) == ["the agent offers 2001 commands: the first 2000 are known here"]
