"""Stands for a backend that `backend_server.py` forks, until that ends. Standard library only.

    python -I -S backend_stub.py ADDRESS -I -m acp_nvim

Called with other arguments behind the address it becomes the interpreter that runs them.
"""

import os
import signal
import socket
import sys

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main() -> None:
    address, *arguments = sys.argv[1:]
    if arguments != ["-I", "-m", "acp_nvim"]:
        os.execv(sys.executable, [sys.executable, *arguments])
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.connect(address)
    variables = [f"{name}={value}" for name, value in os.environ.items()]
    socket.send_fds(server, [os.fsencode("\0".join([os.getcwd(), *variables]))], [0, 1, 2])
    for number in SIGNALS:
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
