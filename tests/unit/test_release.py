"""What a release needs: one version, one address, a page of the changelog, and a tool that says what is missing."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import acp_nvim
from tests.tools import release

ROOT = Path(__file__).resolve().parents[2]
NAMED = ("README.md", "doc/acp_nvim.txt", "acp_nvim-scm-1.rockspec", "CHANGELOG.md", "CONTRIBUTING.md")


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["dynamic"] == ["version"]
    assert "version" not in project
    assert release.version(ROOT) == acp_nvim.__version__
    assert next(iter(release.pages(ROOT))) == acp_nvim.__version__


def test_every_page_names_the_address_of_pyproject() -> None:
    address = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"]
    owned = address.removeprefix("https://github.com/")
    for name in NAMED:
        found = re.findall(
            r"github\.com/([\w.-]+/acp_nvim)|[\"'`]([\w-]+/acp_nvim)[\"'`]", (ROOT / name).read_text()
        )
        others = {one or other for one, other in found} - {owned}
        assert not others, f"{name} names another address than pyproject.toml"
    assert owned in (ROOT / "README.md").read_text()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the tool looks at, committed."""
    root = tmp_path / "checkout"
    (root / "acp_nvim").mkdir(parents=True)
    (root / "acp_nvim" / "__init__.py").write_text('__version__ = "1.2.0"\n')
    (root / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 1.2.0 (2026-12-01)\n\nNew.\n\n## 1.1.0 (2026-11-01)\n\nOld.\n"
    )
    (root / "pyproject.toml").write_text(
        '[project.urls]\nRepository = "https://github.com/someone/acp_nvim"\n'
    )
    (root / "README.md").write_text("![seen](doc/pictures/one.png)\n")
    for name in ("doc/acp_nvim.txt", "doc/pictures/one.png"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    run(root, "init", "-q")
    run(root, "add", ".")
    run(root, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "all")
    return root


def run(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", root, *arguments], check=True)


def test_a_whole_checkout_can_be_released(checkout: Path) -> None:
    assert list(release.find_missing(checkout)) == []
    assert release.pages(checkout)["1.2.0"] == ("2026-12-01", "\nNew.\n\n")


def test_all_that_is_missing_is_named(checkout: Path) -> None:
    (checkout / "acp_nvim" / "__init__.py").write_text('__version__ = "1.3.0"\n')
    shutil.copy(ROOT / "pyproject.toml", checkout / "pyproject.toml")
    (checkout / "doc" / "pictures" / "one.png").unlink()
    run(checkout, "tag", "v1.3.0")
    said = "\n".join(release.find_missing(checkout))
    is_made_up = release.MADE_UP in (ROOT / "pyproject.toml").read_text()
    wanted = ["write the page of 1.3.0", "one.png", "uncommitted", "v1.3.0 is tagged already"]
    for word in [*wanted, *(["made-up address"] if is_made_up else [])]:
        assert word in said
    (checkout / "CHANGELOG.md").write_text("## 1.3.0\n")
    assert "has no date: ## 1.3.0 (" in "\n".join(release.find_missing(checkout))
