"""An agent may offer any number of things; as many are known as anybody looks through, and that is said."""

import pytest

from acp_nvim import limits
from acp_nvim.protocol import schema
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
    talk.apply(commands(limits.OFFERED_ITEMS), 0.0)
    assert notes(talk) == []
    for count in (limits.OFFERED_ITEMS + 1, limits.OFFERED_ITEMS + 2):
        talk.apply(commands(count), 0.0)
        assert [command["name"] for command in talk.commands.shapes or ()] == [f"c{n}" for n in range(2000)]
    assert notes(talk) == ["the agent offers 2001 commands: only the first 2000 are used"]


def offers(count: int) -> schema.NewSession:
    modes = schema.ModeState(available=tuple(schema.Mode(id=f"m{n}", name=f"M{n}") for n in range(count)))
    choices = tuple(schema.Choice(value=f"v{n}", name=f"V{n}") for n in range(count))
    some = schema.ConfigOption(id="some", name="Some", type="select", choices=choices[:10])
    many = schema.ConfigOption(id="many", name="Many", type="select", choices=choices)
    return schema.NewSession(modes=modes, models=modes, config_options=(some, many) * count)


@pytest.mark.slow
def test_what_can_be_switched_is_known_as_far_as_anybody_looks():
    talk = session()
    for _ in range(2):
        talk.controls.begin(offers(3000))
        told = talk.controls.status()
        assert [len(told[what]) for what in ("modes", "models", "options")] == [2000, 2000, 2000]
        assert [len(option["choices"]) for option in told["options"][:3]] == [10, 1990, 0]
    assert [note.partition(":")[0] for note in notes(talk)] == [
        "the agent offers 3000 modes",
        "the agent offers 3000 models",
        "the agent offers 6000 options",
        "the agent offers 3010000 choices",
    ]


def test_what_is_no_plenty_is_known_whole():
    talk = session()
    talk.controls.begin(offers(20))
    talk.apply(schema.OptionsUpdate(offers(30).config_options or ()), 0.0)
    told = talk.controls.status()
    assert [len(told[what]) for what in ("modes", "models", "options")] == [20, 20, 60]
    assert sum(len(option["choices"]) for option in told["options"]) == 30 * 40
    assert notes(talk) == []
