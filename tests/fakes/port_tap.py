"""A backend whose messages are written down: runs the backend as a child and hands every byte on.

    python port_tap.py LOG -I -m acp_nvim

LOG gets one JSON line for each message, before it is handed on: ["to backend" | "to editor", message], as
msgpack-RPC has it: [0, id, method, arguments], [1, id, error, result], [2, method, arguments].
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading

import msgpack

ENDS = (BrokenPipeError, OSError)


def hand_on(direction, log, lock, source, target):
    unpacker = msgpack.Unpacker(strict_map_key=False, unicode_errors="surrogateescape")
    with contextlib.suppress(*ENDS):
        while data := os.read(source, 65536):
            unpacker.feed(data)
            with lock:
                for message in unpacker:
                    log.write(json.dumps([direction, message], default=repr) + "\n")
                log.flush()
            while data:
                data = data[os.write(target, data) :]
    os.close(target)


def main():
    child = subprocess.Popen([sys.executable, *sys.argv[2:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    lock = threading.Lock()
    log = open(sys.argv[1], "a", encoding="utf-8", errors="surrogateescape")  # noqa: SIM115  open to the end
    there = ("to backend", log, lock, 0, os.dup(child.stdin.fileno()))
    child.stdin.close()
    threading.Thread(target=hand_on, args=there, daemon=True).start()
    hand_on("to editor", log, lock, child.stdout.fileno(), 1)
    os._exit(child.wait())


if __name__ == "__main__":
    main()
