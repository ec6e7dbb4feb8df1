"""What ps of macOS says, for `without-proc.sh`: only the options that it has, read from a /proc that lies elsewhere.

python3 bsd_ps.py PROC [-A] [-E] [-ww] [-p PID] -o FIELD= ...
"""

import getopt
import os
import sys
import time
from collections.abc import Callable

TICKS = os.sysconf("SC_CLK_TCK")


class Row:
    def __init__(self, proc: str, pid: int, shows_environment: bool) -> None:
        self._folder, self._shows_environment = f"{proc}/{pid}", shows_environment
        before, _, after = self._read("stat").rpartition(")")
        self.pid, self._name, self._fields = pid, before.partition("(")[2], after.split()

    def _read(self, name: str) -> str:
        with open(f"{self._folder}/{name}", "rb") as file:
            return file.read().decode(errors="replace")

    def ppid(self) -> str:
        return self._fields[1]

    def pgid(self) -> str:
        return self._fields[2]

    def state(self) -> str:
        return f"{self._fields[0]}s"

    def lstart(self) -> str:
        (boot,) = (line.split()[1] for line in self._read("../stat").splitlines() if line.startswith("btime"))
        return time.strftime("%c", time.localtime(int(boot) + int(self._fields[19]) // TICKS))

    def command(self) -> str:
        arguments = self._read("cmdline").replace("\0", " ").strip() or f"({self._name})"
        if not self._shows_environment:
            return arguments
        try:
            return f"{arguments} {self._read('environ')}".replace("\0", " ").replace("\n", " ")
        except OSError:  # another user's
            return arguments

    def comm(self) -> str:
        return self._read("cmdline").split("\0")[0] or f"({self._name})"


FIELDS: dict[str, Callable[[Row], str]] = {
    "pid": lambda row: str(row.pid),
    "ppid": Row.ppid,
    "pgid": Row.pgid,
    "state": Row.state,
    "lstart": Row.lstart,
    "command": Row.command,
    "comm": Row.comm,
}


def main() -> int:
    proc = sys.argv[1]
    options, rest = getopt.getopt(sys.argv[2:], "AEwp:o:")
    assert not rest, rest
    given = dict(options)
    fields = [FIELDS[value.removesuffix("=")] for option, value in options if option == "-o"]
    pids = [int(given["-p"])] if "-p" in given else [int(n) for n in os.listdir(proc) if n.isdecimal()]
    found = 0
    for pid in sorted(pids):
        try:
            row = Row(proc, pid, "-E" in given)
            print(*(field(row).ljust(6) for field in fields))
            found += 1
        except (FileNotFoundError, ProcessLookupError):
            pass
    return 0 if found else 1


if __name__ == "__main__":
    raise SystemExit(main())
