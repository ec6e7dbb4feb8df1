"""Forks a backend that has been imported already for each Neovim that starts one.

    python -I backend_server.py ADDRESS

It says "ready" once it listens, and ends with its standard input. `backend_stub.py`, which Neovim starts, sends its
pipes with its folder and environment, then each signal that it gets, and is told how the backend has ended. A backend
whose stub has been killed is killed.
"""

import atexit
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress

import anyio._backends._asyncio  # noqa: F401  anyio imports it with its first task group
from pydantic import BaseModel

from acp_nvim.entrance import main
from tests.fakes import message_recorder

LARGEST = 1 << 20  # bytes of a message; the first holds an environment


class Server:
    def __init__(self, address: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(address)
        self._listener.listen()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(sys.stdin, selectors.EVENT_READ)
        self._backends: dict[socket.socket, int] = {}  # pids, by the connections to their stubs

    def serve(self) -> bool:
        """Return True in each backend that is forked, and False in the server at its end."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    return False
                if key.fileobj is self._listener:
                    self._selector.register(self._listener.accept()[0], selectors.EVENT_READ)
                elif key.data:
                    self._report_end(key.fd, key.data)
                elif isinstance(key.fileobj, socket.socket) and self._hear(key.fileobj):
                    return True

    def _hear(self, stub: socket.socket) -> bool:
        data, pipes, _, _ = socket.recv_fds(stub, LARGEST, 3)
        if pid := self._backends.get(stub):
            os.kill(pid, data[0] if data else signal.SIGKILL)
        elif pipes:
            return self._fork(stub, data, pipes)
        if not data:
            self._selector.unregister(stub)
            stub.close()
        return False

    def _fork(self, stub: socket.socket, data: bytes, pipes: list[int]) -> bool:
        if not (pid := os.fork()):
            self._become_backend(data, pipes)
            return True
        for pipe in pipes:
            os.close(pipe)
        self._backends[stub] = pid
        self._selector.register(os.pidfd_open(pid), selectors.EVENT_READ, stub)
        return False

    def _become_backend(self, data: bytes, pipes: list[int]) -> None:
        """Leave all that is the server's, and take over the pipes, the folder and the environment of the stub."""
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
            elif key.fileobj is not sys.stdin:
                os.close(key.fd)
        self._selector.close()
        os.setsid()  # as Neovim does with its jobs
        for fd, pipe in enumerate(pipes):
            os.dup2(pipe, fd)
            os.close(pipe)
        folder, *variables = os.fsdecode(data).split("\0")
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(dict(variable.split("=", 1) for variable in variables))
        if record := os.environ.get("ACP_NVIM_MESSAGES"):
            message_recorder.install(record)

    def _report_end(self, handle: int, stub: socket.socket) -> None:
        self._selector.unregister(handle)
        os.close(handle)
        _, status = os.waitpid(self._backends.pop(stub), 0)
        with suppress(OSError):  # the stub may have been killed
            stub.send(str(os.waitstatus_to_exitcode(status)).encode())


def build(models: type[BaseModel]) -> None:
    """Build the validators of all models below a class, which a backend builds when it first reads such a message."""
    for model in models.__subclasses__():
        model.model_rebuild()
        build(model)


if __name__ == "__main__":
    import gc

    build(BaseModel)
    gc.freeze()  # as the backend does when it is started alone
    server = Server(sys.argv[1])
    print("ready", flush=True)
    if server.serve():
        main()
        atexit.register(os._exit, 0)  # as `python -m acp_nvim` does
