"""Says whether a release can be made from this checkout, and what to tag.

    python tests/tools/release.py               checks the checkout, says what is missing or what to tag
    python tests/tools/release.py --tag v1.0.0  prints the page of the changelog; fails if the tag is another version's

The version stands in `acp_nvim/__init__.py`. Nothing here is written, tagged or sent. Standard library only.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MADE_UP = "github.com/owner/"
PAGE = re.compile(r"^## (\S+)(?: \((\S+)\))?\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r'(?:\]\(|src="|srcset=")((?:doc/)?pictures/[^)"\s]+)')


def main() -> int:
    match sys.argv[1:]:
        case []:
            missing = list(find_missing(ROOT))
            print("\n".join(missing) or ready(version(ROOT)))
            return 1 if missing else 0
        case ["--tag", tag] if tag == f"v{version(ROOT)}":
            print(pages(ROOT)[version(ROOT)][1].strip())
            return 0
        case ["--tag", tag]:
            print(f"{tag} is not the tag of version {version(ROOT)}", file=sys.stderr)
        case _:
            print(__doc__, file=sys.stderr)
    return 1


def version(root: Path) -> str:
    found = re.search(
        r'^__version__ = "(.+)"$', (root / "acp_nvim" / "__init__.py").read_text(), re.MULTILINE
    )
    assert found, "acp_nvim/__init__.py has no __version__"
    return found[1]


def pages(root: Path) -> dict[str, tuple[str, str]]:
    """Return date and text of each release in the changelog, the newest first."""
    return {name: (day, text) for name, day, text in PAGE.findall((root / "CHANGELOG.md").read_text())}


def find_missing(root: Path) -> Iterator[str]:
    """Yield what stands against a release of this checkout, a line each."""
    number, changes = version(root), pages(root)
    newest = next(iter(changes), None)
    if newest != number:
        yield f"CHANGELOG.md begins with {newest}, acp_nvim/__init__.py says {number}: write the page of {number}"
    elif not is_date(changes[number][0]):
        yield f"CHANGELOG.md has no date: ## {number} ({date.today()})"
    for page in ("README.md", "doc/acp_nvim.txt"):
        for name in PICTURE.findall((root / page).read_text()):
            if not (root / name).is_file():
                yield f"{page} shows {name}, which is not there: make pictures, make cast"
    if MADE_UP in (root / "pyproject.toml").read_text():
        yield "pyproject.toml still has the made-up address: name the repository's in project.urls"
    if git(root, "status", "--porcelain"):
        yield "there are uncommitted changes: commit them first"
    if git(root, "tag", "--list", f"v{number}"):
        yield f"v{number} is tagged already: raise __version__ in acp_nvim/__init__.py"


def is_date(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def git(root: Path, *arguments: str) -> str:
    said = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=True)
    return said.stdout.strip()


def ready(number: str) -> str:
    return f"Ready. Once `make test` is green:\n\n    git tag -a v{number} -m v{number} && git push origin v{number}"


if __name__ == "__main__":
    sys.exit(main())
