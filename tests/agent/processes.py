"""What the system knows of processes, read from /proc."""

from pathlib import Path


def _stat(pid: int | str) -> list[str]:
    """Its fields from the state on; none where there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def state(pid: int) -> str | None:
    """A letter such as R, S, Z; None when it is gone for good."""
    return next(iter(_stat(pid)), None)


def parent(pid: int) -> int | None:
    return int(stat[1]) if (stat := _stat(pid)) else None


def group(pid: int) -> int:
    return int(_stat(pid)[2])


def living_members(group: int) -> list[int]:
    every = [(int(path.name), _stat(path.name)) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return [pid for pid, stat in every if stat and int(stat[2]) == group and stat[0] not in "ZX"]
