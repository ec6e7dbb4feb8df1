"""Which dialect is chosen, and that the standard one changes nothing."""

import pytest

from acp_nvim.protocol.dialects import DIALECTS, STANDARD, choose
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.schema import AgentInfo


@pytest.mark.parametrize("info", [None, AgentInfo(), AgentInfo(name="never heard of")])
def test_an_unknown_agent_speaks_the_standard(info: AgentInfo | None) -> None:
    assert choose("auto", info) is STANDARD


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_is_chosen_by_name(name: str) -> None:
    assert choose(name, AgentInfo(name="never heard of")).name == name


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_an_agent_is_known_by_its_name(dialect: object) -> None:
    for agent in getattr(dialect, "agents", ()):
        assert choose("auto", AgentInfo(name=agent.upper())) is dialect


def test_the_standard_changes_nothing() -> None:
    params, blocks = {"sessionId": "s"}, [{"type": "text", "text": "hi"}]
    assert STANDARD.update(params) is params
    assert STANDARD.permission(params) is params
    assert STANDARD.prompt(blocks) is blocks
    assert STANDARD.pulled([("hi", blocks)], has_more=True) == {}


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_an_agent_that_asks_for_words_gets_them_and_no_other_does(dialect: Dialect) -> None:
    """The words that are taken from the queue are in the answer: else they would be lost."""
    answer = dialect.pulled([("use tabs", [{"type": "text", "text": "use tabs"}])], has_more=False)
    assert ("use tabs" in str(answer)) is (dialect.pulls is not None)
    assert (dialect.pulls_at_most > 0) is (dialect.pulls is not None)
