"""From the wire of a story to a scenario for the ordinary tests: without places of this machine and without times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.tools.agents import ROOT


def wire(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / "editor/home/state/nvim/acp_nvim").glob("wire-*.jsonl"))
    lines = (line for file in files for line in file.read_text().splitlines(keepends=True))
    return [json.loads(line) for line in lines if line.endswith("\n")]  # the last one may be half written


def keep(folder: Path, into: Path) -> None:
    """Until the session is closed; what went to stderr is nobody's business."""
    told = [entry for entry in wire(folder) if entry["dir"] != "stderr"]
    ends = (place for place, entry in enumerate(told) if entry["msg"].get("method") == "session/close")
    told = told[: next(ends, None)]
    into.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(without_places(entry, folder), ensure_ascii=False) + "\n" for entry in told)
    into.write_text("".join(lines))


def without_places(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    text = json.dumps(entry["msg"])
    for place, name in (
        (folder / "editor/project", "/project"),
        (folder / "agent", "/home/user"),
        (folder, "/tmp"),
        (ROOT, "/plugin"),
    ):
        said = json.dumps(str(place))[1:-1]
        text = text.replace(said, name).replace(said.lstrip("/"), name.lstrip("/"))
    return {"t": round(float(entry["t"]), 1), "dir": entry["dir"], "msg": json.loads(text)}
