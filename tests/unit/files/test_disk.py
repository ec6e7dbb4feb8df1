"""What the system gives as files, and is none to be read whole."""

import errno
import os
from collections.abc import Callable
from io import FileIO
from pathlib import Path

import pytest

from acp_nvim import limits
from acp_nvim.files import disk


class Endless(FileIO):
    def read(self, size: int | None = -1, /) -> bytes:
        return b"x" * (size or 0)


class Silent(FileIO):
    """It has something to read at some other time."""

    def read(self, size: int | None = -1, /) -> None:  # type: ignore[override]
        return None


@pytest.mark.parametrize("read", [disk.read, disk.look])
def test_what_grows_while_it_is_read_is_refused(
    read: Callable[[str], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FILE_BYTES", 1000)
    monkeypatch.setattr(disk, "FileIO", Endless)
    (tmp_path / "log").write_text("text")
    with pytest.raises(OSError, match="too much") as failure:
        read(str(tmp_path / "log"))
    assert failure.value.errno == errno.EFBIG


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="this system has no /proc")
def test_what_is_made_up_as_it_is_read_has_no_size_and_is_read_whole() -> None:
    assert disk.look("/proc/self/status").startswith(b"Name:")


def test_what_has_nothing_to_say_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "FileIO", Silent)
    (tmp_path / "kmsg").write_text("text")
    assert disk.read(str(tmp_path / "kmsg")) == b""


@pytest.mark.parametrize("size", [0, 1, 70_000, 1_000_000])
def test_a_file_is_read_whole(size: int, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"ab" * size)
    assert disk.read(str(tmp_path / "file")) == b"ab" * size


@pytest.fixture
def caseless(tmp_path, monkeypatch):
    """A folder of a disk that ignores case, to those who look names up."""
    (tmp_path / "Src").mkdir()
    (tmp_path / "Src/a.py").write_text("text")
    lstat, spelled = os.lstat, {"src": "Src", "a.py": "a.py"}

    def find(path, **options):
        return lstat("/".join(spelled.get(name.lower(), name) for name in str(path).split("/")), **options)

    monkeypatch.setattr(os, "lstat", find)
    return tmp_path


@pytest.mark.parametrize("path", ["Src/a.py", "SRC/A.py", "src/A.PY"])
def test_one_file_has_one_path_where_case_is_ignored(caseless, path):
    assert disk.resolve(str(caseless / path)) == f"{caseless}/Src/a.py"


def test_a_new_file_keeps_its_spelling_where_case_is_ignored(caseless):
    assert disk.resolve(f"{caseless}/SRC/New.py") == f"{caseless}/Src/New.py"


def test_hard_links_that_differ_by_case_are_two_paths(tmp_path):
    (tmp_path / "a").write_text("text")
    (tmp_path / "A").hardlink_to(tmp_path / "a")
    assert [disk.resolve(f"{tmp_path}/{name}") for name in "aA"] == [f"{tmp_path}/a", f"{tmp_path}/A"]
