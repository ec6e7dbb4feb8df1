"""What the system gives as files, and is none to be read whole."""

import errno
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
