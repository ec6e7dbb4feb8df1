"""What a dialect may change, and how an agent of the standard has it: nothing is changed.

The normaliser is tolerant by itself; a dialect holds only what would be wrong for other agents.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from acp_nvim.protocol.errors import RpcError
    from acp_nvim.protocol.schema import PermissionRequest, Vendor


class Dialect:
    name: ClassVar[str] = "standard"
    agents: ClassVar[frozenset[str]] = frozenset()
    """The names, in lower case, by which agents that speak it introduce themselves."""
    requests: ClassVar[Mapping[str, "Vendor"]] = {}
    """Requests beside the standard that ask the user, by their methods."""

    remembers: ClassVar[bool] = False
    """The client remembers an answer that counts always: the agent does not, and asks again."""

    writes_through: ClassVar[bool] = False
    """It writes files through the client alone; of others we know it once they have done so."""

    set_model: ClassVar[str | None] = None
    """A request of its own, `{sessionId, model}` -> `{model}`, where neither config options nor models are there."""

    modes: ClassVar[tuple[str, ...]] = ()
    """Modes that can be set, though the agent lists none."""

    appends: ClassVar[bool] = False
    """The content of a tool call's update comes behind what is there, unless it tells all of it again."""

    # --- what comes in

    def update(self, params: Any) -> Any:
        """The params of session/update, before they are read."""
        return params

    def permission(self, params: Any) -> Any:
        """The params of session/request_permission, before they are read."""
        return params

    def is_about(self, asked: str, call: str) -> bool:
        """Whether a permission for the tool call `asked` is about the one that was announced as `call`."""
        return asked == call

    # --- what goes out

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        """The params of initialize."""
        return params

    def prompt(self, blocks: list[dict[str, Any]]) -> Any:
        """The value of `prompt` in session/prompt."""
        return blocks

    def prompt_instead(self, blocks: list[dict[str, Any]]) -> Any:
        """The same in another form, for an agent that finds the first one invalid; None: there is no other."""
        return None

    def beside_prompt(self, limit_ms: float | None) -> dict[str, Any]:
        """What else session/prompt holds; `limit_ms` is what the configuration allows a turn."""
        return {}

    def change(self, what: str, id: str, value: str | bool) -> tuple[str, dict[str, Any]] | None:
        """The method and params that set a mode, a model or an option; None: those of the standard."""
        return None

    def permission_answer(self, option_id: str | None, request: "PermissionRequest") -> dict[str, Any]:
        """The result for the chosen option, by the very id that the agent gave; None: cancelled."""
        if option_id is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": sent(option_id, request)}}

    def instead(self, method: str, error: "RpcError") -> dict[str, Any] | None:
        """What the agent wants to hear where its request `method` fails so; None: the error."""
        return None


def sent(option_id: str, request: "PermissionRequest") -> Any:
    """The option's id as it came."""
    return next((option.sent for option in request.options if option.id == option_id), option_id)


def kind(option_id: str | None, request: "PermissionRequest") -> str:
    """What the option stands for: `allow_once`, …; empty if nobody says."""
    return next((option.kind for option in request.options if option.id == option_id), "")
