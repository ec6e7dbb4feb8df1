"""The same backend inside pynvim's python3 host (`backend = 'rplugin'`)."""

import sys
from pathlib import Path
from typing import Any

import pynvim

sys.path.append(str(Path(__file__).resolve().parents[2]))  # the host knows nothing of the plugin's .venv
from acp_nvim.entrance import Backend


@pynvim.plugin
class AcpNvim:
    def __init__(self, nvim: pynvim.Nvim) -> None:
        self._nvim, self._backend = nvim, Backend(nvim._session)

    @pynvim.function("AcpNvimChannel", sync=True)
    def channel(self, arguments: list[Any]) -> int:
        self._backend.start()
        return int(self._nvim.channel_id)

    @pynvim.rpc_export("acp_nvim", sync=False)
    def receive(self, *arguments: Any) -> None:
        self._backend.receive("acp_nvim", list(arguments))
