"""Serves commands that show what has happened: the log and the trace."""

from __future__ import annotations

import json
import os

from acp_nvim.agent.trace import WireTrace
from acp_nvim.backend_log import BackendLog
from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.history.transcripts import unwritten
from acp_nvim.messages.backend import Log, Show
from acp_nvim.messages.sessions import Trace
from acp_nvim.text.printable import visible


class LogCommands:
    def __init__(self, app: Application, messages: BackendLog) -> None:
        self._app, self._messages = app, messages
        self.table: Table = {
            "log": handle(Log, self._log),
            "trace": handle(Trace, self._trace),
        }

    def _log(self, command: Log) -> None:
        lines = self._messages.lines()
        for host in self._app.hosts:
            if said := host.connection.stderr.lines():
                lines += [f"--- stderr of {host.spec.name}", *map(visible, said)]
        self._app.editor.notify(Show("acp://log", "acp_log", lines))

    def _trace(self, command: Trace) -> None:
        host = self._app.host_of(self._app.session(command.session)) or next(reversed(self._app.hosts), None)
        if host is None:
            return self._app.say("info", "no messages have been exchanged yet")
        trace = host.connection.trace
        if command.mode == "on":
            began = trace.start()
            again = "is being recorded again" if began else "was being recorded already"
            self._app.say("info", f"the trace of {host.spec.name} {again}")
        elif command.mode == "off":
            trace.stop()
            self._app.say("info", f"the trace of {host.spec.name} is no longer recorded")
        elif command.file is not None:
            self._save_trace(trace, os.path.expanduser(command.file), command.force)
        else:
            lines = [visible(json.dumps(entry, ensure_ascii=False)) for entry in trace.entries()]
            self._app.editor.notify(Show("acp://trace", "acp_trace", lines))

    def _save_trace(self, trace: WireTrace, file: str, over: bool) -> None:
        try:
            count = trace.save(file, over)
        except OSError as error:
            self._app.say("error", unwritten(error, "trace! save"), file)
        else:
            self._app.say("info", f"{count} messages in ", file)
