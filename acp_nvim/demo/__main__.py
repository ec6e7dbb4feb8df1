"""Runs the demo agent on standard input and output: `python -I -m acp_nvim.demo`."""

from __future__ import annotations

import os
import signal
import sys

from .agent import Agent
from .wire import Wire


def main() -> None:
    if sys.stdin.isatty():
        print("This is an ACP agent: it reads JSON-RPC. In Neovim, type :Acp to talk to it.", file=sys.stderr)
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda signum, _: sys.exit(128 + signum))
    wire = Wire(sys.stdin.buffer, sys.stdout.fileno())
    agent = Agent(wire, _speed())
    try:
        wire.serve(agent.on_request, agent.on_notification)
    except BrokenPipeError:
        pass  # the client closed its end of our output: it is gone, as it is when it closes our input
    finally:
        agent.stop()


def _speed() -> float:
    """ACP_DEMO_SPEED: 1 is lifelike, 2 twice as fast, 0 without any pause."""
    try:
        return max(float(os.environ.get("ACP_DEMO_SPEED", "1")), 0.0)
    except ValueError:
        return 1.0


if __name__ == "__main__":
    main()
