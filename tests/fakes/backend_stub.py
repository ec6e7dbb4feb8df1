"""Stands for a backend that `backend_server.py` forks, until that ends. Standard library only.

    python -I -S backend_stub.py ADDRESS -I -m acp_nvim

Called with other arguments behind the address it becomes the interpreter that runs them. It imports what `socket` and
`signal` are made of, because their own lines take half of its start, and thousands of tests start one.
"""

import _signal as signal
import _socket as socket
import array
import os
import sys


def main() -> None:
    address, *arguments = sys.argv[1:]
    if arguments != ["-I", "-m", "acp_nvim"]:
        os.execv(sys.executable, [sys.executable, *arguments])
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.connect(address)
    variables = [f"{name}={value}" for name, value in os.environ.items()]
    told = os.fsencode("\0".join([os.getcwd(), *variables]))
    server.sendmsg([told], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda got, _: server.send(bytes([got])))
    nothing = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1, 2):
        os.dup2(nothing, pipe)  # Neovim's pipes end with the backend
    code = int(server.recv(64) or 1)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
