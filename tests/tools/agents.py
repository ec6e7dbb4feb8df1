"""agents.py [NAME…]: install the real agents of tests/real/recipes into .cache/agents, each of a fixed release.

What is there already is left alone. What cannot be installed says why in one line, in NAME.why, with which its
tests are skipped; the rest is installed all the same.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "tests/real/recipes"
INTO = ROOT / ".cache/agents"
NODE = "node@22"
XDG = {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state", "CACHE": ".cache"}
TIME = int(os.environ.get("ACP_INSTALL_SECONDS", "300"))  # for one command
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")  # node does not look at the system's by itself


def recipes() -> dict[str, dict[str, Any]]:
    return {file.stem: json.loads(file.read_text()) for file in sorted(RECIPES.glob("*.json"))}


def packages(recipe: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The tools, in this order, and what each has to bring."""
    if "pip" in recipe:
        yield "pip", recipe["pip"]
    if "npm" in recipe:
        yield "npm", [*recipe["npm"], *([NODE] if recipe.get("node") else [])]


def commands(tool: str, wanted: list[str], folder: Path) -> Iterator[list[str]]:
    if tool == "npm":
        (folder / "package.json").write_text("{}")
        quiet = ["--silent", "--no-audit", "--no-fund", "--fetch-retries=1"]
        yield ["npm", "install", *quiet, "--cache", str(INTO / ".npm"), "--prefix", str(folder), *wanted]
    elif shutil.which("uv"):
        yield ["uv", "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)]
        yield ["uv", "pip", "install", "--quiet", "--python", str(folder / "bin/python"), *wanted]
    else:
        yield [sys.executable, "-m", "venv", "--clear", str(folder)]
        yield [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--retries=1", *wanted]


def install(recipe: dict[str, Any], folder: Path) -> str | None:
    """Why it could not be done; nothing if it has been."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for tool, wanted in packages(recipe):
        for command in commands(tool, wanted, folder):
            if why := run(command):
                return f"{tool} could not install {' '.join(wanted)}: {why}"
    (folder / "made").write_text(json.dumps([*packages(recipe)]))
    return None


def run(command: list[str]) -> str | None:
    environment = dict(os.environ)
    if CERTIFICATES.exists():
        environment.setdefault("NODE_EXTRA_CA_CERTS", str(CERTIFICATES))
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIME
        )
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"not within {TIME} s"
    if done.returncode == 0:
        return None
    said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return said[-1].strip() if said else f"status {done.returncode}, without a word"


def ready(name: str, recipe: dict[str, Any]) -> bool:
    made = INTO / name / "made"
    return made.exists() and made.read_text() == json.dumps([*packages(recipe)])


def bring(name: str) -> str | None:
    recipe, note = recipes()[name], INTO / f"{name}.why"
    if ready(name, recipe):
        return None
    note.unlink(missing_ok=True)
    print(f"Installing {name} …", file=sys.stderr, flush=True)
    if why := install(recipe, INTO / name):
        note.write_text(why)
        print(f"{name} is not there: {why}", file=sys.stderr, flush=True)
    return why


def why_not(name: str) -> str | None:
    """For the tests: why an agent cannot be started here."""
    if ready(name, recipes()[name]):
        return None
    note = INTO / f"{name}.why"
    return note.read_text() if note.exists() else "not installed: make test-agents brings it"


def started(recipe: dict[str, Any], folder: Path, home: Path, model: str) -> tuple[list[str], dict[str, str]]:
    """Command and environment of an agent with a home of its own, where its configuration is written."""
    node = folder / "node_modules/node/bin/node"
    values = {"{DIR}": str(folder), "{HOME}": str(home), "{MODEL}": model, "{NODE}": str(node)}

    def fill(text: str) -> str:
        for name, value in values.items():
            text = text.replace(name, value)
        return text

    for name, content in recipe.get("files", {}).items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(fill("\n".join(content) if isinstance(content, list) else json.dumps(content)))
    home.mkdir(parents=True, exist_ok=True)
    xdg = {f"XDG_{kind}_HOME": f"{home}/{place}" for kind, place in XDG.items()}
    own = {name: fill(value) for name, value in recipe.get("env", {}).items()}
    return [fill(part) for part in recipe["command"]], {"HOME": str(home), **xdg, **own}


def main() -> None:
    INTO.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(bring, sys.argv[1:] or recipes()))


if __name__ == "__main__":
    main()
