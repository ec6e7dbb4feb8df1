"""Checks the parameters of `fs/*` requests, and converts file errors to error codes of the wire."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from acp_nvim import limits
from acp_nvim.files import disk
from acp_nvim.files.boundary import Access
from acp_nvim.protocol.errors import INTERNAL_ERROR, INVALID_PARAMS, NOT_FOUND, RpcError


def path_of(params: dict[str, Any]) -> str:
    """Return the path, which has to be absolute."""
    path = params.get("path")
    if not isinstance(path, str) or not os.path.isabs(path) or "\0" in path:
        raise RpcError(INVALID_PARAMS, f"path must be absolute: {path!r}")
    if len(os.fsencode(path)) > limits.FILE_PATH_BYTES:
        raise RpcError(INVALID_PARAMS, f"path is longer than {limits.FILE_PATH_BYTES} bytes")
    return path


def number_of(params: dict[str, Any], name: str) -> int | None:
    """Return a number from 0 up, None if it is not given. `3.0` is a number of lines, too."""
    value = params.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise RpcError(INVALID_PARAMS, f"{name} must be a number from 0 up: {value!r}")
    return value


@contextlib.contextmanager
def told(access: Access, path: str) -> Iterator[None]:
    """Turn an error of the system into the answer to a request on that path."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        if access == "read":
            raise RpcError(NOT_FOUND, f"Resource not found: {path}") from error
        raise RpcError(INTERNAL_ERROR, f"cannot write {path}: {error.strerror}") from error
    except IsADirectoryError as error:
        raise RpcError(INVALID_PARAMS, f"{path} is a directory") from error
    except OSError as error:
        raise RpcError(INTERNAL_ERROR, f"cannot {access} {path}: {error.strerror}") from error


def expect_same(given: str, path: str) -> None:
    """Refuse a path that leads elsewhere by now: a symlink may have been turned while the user was asked."""
    if disk.resolve(given) != path:
        raise RpcError(INTERNAL_ERROR, f"{given} no longer leads to {path}")
