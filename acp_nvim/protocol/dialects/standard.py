"""Defines the base of all dialects, which changes nothing: the standard itself.

Decoding is tolerant by itself. A dialect holds only what would be wrong for other agents.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from acp_nvim.protocol.errors import RpcError
from acp_nvim.protocol.schema import PermissionRequest, Vendor


class Dialect:
    name: ClassVar[str] = "standard"
    agents: ClassVar[frozenset[str]] = frozenset()
    """Lower-case names by which agents of this dialect introduce themselves."""
    requests: ClassVar[Mapping[str, Vendor]] = {}
    """Methods outside the standard that ask the user something."""

    remembers: ClassVar[bool] = False
    """The client remembers an "always" answer, because the agent does not and asks again."""

    writes_through: ClassVar[bool] = False
    """It writes files only through the client. Of other agents this is known after their first such write."""

    set_model: ClassVar[str | None] = None
    """A request of its own to set the model, `{sessionId, model}` -> `{model}`, if it lists no options or models."""

    modes: ClassVar[tuple[str, ...]] = ()
    """Modes that can be set although the agent lists none."""

    pulls: ClassVar[str | None] = None
    """The request by which the agent asks for words of the user to take into the running turn."""

    pulls_at_most: ClassVar[int] = 0
    """How many of them it takes at once."""

    appends: ClassVar[bool] = False
    """The content of an update is appended to the call's content, unless it repeats all of it."""

    forks_at_messages: ClassVar[bool] = False
    """A session can be forked at any message of the agent, by its id."""

    branches: ClassVar[str | None] = None
    """A request of its own that copies a session up to a point which it names at the end of a turn, `{sessionId,
    atRecordId}` -> `{newSessionId}`; the copy is then loaded."""

    # --- what comes in

    def update(self, params: Any) -> Any:
        """Return the params of session/update to be decoded."""
        return params

    def permission(self, params: Any) -> Any:
        """Return the params of session/request_permission to be decoded."""
        return params

    def is_about(self, asked: str, call: str) -> bool:
        """Whether a permission for the tool call id `asked` is about the call announced as `call`."""
        return asked == call

    # --- what goes out

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return the params of initialize."""
        return params

    def prompt(self, blocks: list[dict[str, Any]]) -> Any:
        """Return the value of `prompt` in session/prompt."""
        return blocks

    def prompt_instead(self, blocks: list[dict[str, Any]]) -> Any:
        """Return another form of it, for an agent that rejects the first as invalid; None if there is none."""
        return None

    def beside_prompt(self, limit_ms: float | None) -> dict[str, Any]:
        """Return further params of session/prompt. `limit_ms` is the configured limit of a turn."""
        return {}

    def change(self, what: str, id: str, value: str | bool) -> tuple[str, dict[str, Any]] | None:
        """Return the method and params that set a mode, a model or an option; None for those of the standard."""
        return None

    def fork_at(self, message_id: str) -> dict[str, Any]:
        """Return further params of session/fork that end the copy at this message of the agent."""
        return {}

    def permission_answer(self, option_id: str | None, request: PermissionRequest) -> dict[str, Any]:
        """Return the answer for the chosen option, with its id as the agent sent it; None means cancelled."""
        if option_id is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": sent(option_id, request)}}

    def pulled(self, words: list[tuple[str, list[dict[str, Any]]]], has_more: bool) -> dict[str, Any]:
        """Return the answer to `pulls`: texts, each with its blocks. `has_more`: a prompt waits for the next turn.

        The standard has no such request, so an agent that speaks it gets no words.
        """
        return {}

    def words_of(self, result: Any) -> list[Any]:
        """Return the blocks of each of the texts in an answer to `pulls`."""
        return []

    def instead(self, method: str, error: RpcError) -> dict[str, Any] | None:
        """Return the result that the agent expects in place of this error; None to send the error."""
        return None


def with_call(params: Any, key: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Return the params with the tool call under `key` changed. Other updates are returned as they are."""
    call = params.get(key) if isinstance(params, dict) else None
    return {**params, key: change(call)} if isinstance(call, dict) and "toolCallId" in call else params


def sent(option_id: str, request: PermissionRequest) -> Any:
    """Return the option's id as the agent sent it."""
    return next((option.sent for option in request.options if option.id == option_id), option_id)


def kind(option_id: str | None, request: PermissionRequest) -> str:
    """Return the option's kind, such as `allow_once`; empty if it has none."""
    return next((option.kind for option in request.options if option.id == option_id), "")
