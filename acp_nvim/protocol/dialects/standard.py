"""What a dialect may change, and how an agent of the standard has it: nothing is changed.

The normaliser is tolerant by itself; a dialect holds only what would be wrong for other agents.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
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

    def update(self, params: Any) -> Any:
        """The params of session/update, before they are read."""
        return params

    def permission(self, params: Any) -> Any:
        """The params of session/request_permission, before they are read."""
        return params

    def permission_answer(self, option_id: str | None, request: "PermissionRequest") -> dict[str, Any]:
        """The result for the chosen option, by the very id that the agent gave; None: cancelled."""
        if option_id is None:
            return {"outcome": {"outcome": "cancelled"}}
        sent = next((option.sent for option in request.options if option.id == option_id), option_id)
        return {"outcome": {"outcome": "selected", "optionId": sent}}

    def prompt(self, blocks: list[dict[str, Any]]) -> Any:
        """The value of `prompt` in session/prompt."""
        return blocks
