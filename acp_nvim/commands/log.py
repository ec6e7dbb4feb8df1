"""Verbs of what has happened and was kept: the log, the wire, and a saved conversation played again."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from acp_nvim.agent.trace import WireTrace
from acp_nvim.history.replay import play
from acp_nvim.history.transcripts import unwritten
from acp_nvim.session.session import Session
from acp_nvim.text.printable import visible

if TYPE_CHECKING:
    from acp_nvim.app import Client


class Looking:
    def __init__(self, client: Client) -> None:
        self._client = client

    def do_log(self, payload: dict[str, Any]) -> None:
        lines = self._client.diary.lines()
        for host in self._client.hosts:
            said = map(visible, host.connection.stderr.lines() or ["(nothing)"])
            lines += [f"--- stderr of {host.spec.name}", *said]
        self._client.editor.notify("show", "acp://log", "acp_log", lines)

    def do_trace(self, payload: dict[str, Any]) -> None:
        host = self._client.host_of(self._client.session(payload)) or next(reversed(self._client.hosts), None)
        if host is None:
            return self._client.say("info", "nothing has been on the wire yet")
        mode = payload.get("mode")
        trace = host.connection.trace
        if mode == "on":
            began = trace.start()
            again = "is being recorded again" if began else "was being recorded already"
            self._client.say("info", f"the wire of {host.spec.name} {again}")
        elif mode == "off":
            trace.stop()
            self._client.say("info", f"the wire of {host.spec.name} is no longer recorded")
        elif mode == "save":
            self._save_trace(trace, os.path.expanduser(str(payload["file"])), bool(payload.get("force")))
        else:
            lines = [visible(json.dumps(entry, ensure_ascii=False)) for entry in trace.entries()]
            self._client.editor.notify("show", "acp://trace", "acp_trace", lines)

    def _save_trace(self, trace: WireTrace, file: str, over: bool) -> None:
        try:
            count = trace.save(file, over)
        except OSError as error:
            self._client.say("error", unwritten(error, "trace! save"), file)
        else:
            self._client.say("info", f"{count} messages in ", file)

    def do_replay(self, payload: dict[str, Any]) -> None:
        session = Session(int(payload["session"]), "replay", str(payload.get("cwd") or os.getcwd()))
        file = payload.get("file") or self._client.transcripts.latest(session.cwd)
        if not file:
            self._client.forget(session)
            return self._client.say("warn", "no conversation of this folder is kept: :Acp replay {file}")
        try:
            told = play(session, os.path.expanduser(str(file))).told()
        except (OSError, ValueError) as error:
            self._client.forget(session)
            why = error.strerror if isinstance(error, OSError) else error
            return self._client.say("error", f"cannot replay, {why}: ", str(file))
        if told:
            self._client.say("info", told)
        self._client.show(session)
        self._client.touch(session)
