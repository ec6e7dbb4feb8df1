"""Keeps the pictures that an agent has sent as files, for programs that show them: only those that are looked at."""

from __future__ import annotations

import base64
import binascii
import os
import tempfile

from acp_nvim import limits
from acp_nvim.host.attachments import media_type
from acp_nvim.protocol.schema import Image

_EXTENSIONS = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}


class PictureFiles:
    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # goes with the backend
        self._paths: dict[str, str] = {}  # by the data

    def path_of(self, image: Image) -> str | None:
        """Return the file of a picture, written if need be; None if it is no picture that can be shown."""
        if image.data in self._paths:
            return self._paths[image.data]
        if not image.data or len(image.data) > 2 * limits.ATTACHED_MEDIA_BYTES:
            return None
        try:
            data = base64.b64decode(image.data, validate=True)
        except (binascii.Error, ValueError):
            return None
        extension = _EXTENSIONS.get(media_type(data[:16]) or "")
        if extension is None or len(self._paths) >= limits.PICTURE_FILES:
            return None
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="acp_nvim-")
        path = os.path.join(self._folder.name, f"picture-{len(self._paths) + 1}.{extension}")
        with open(path, "xb") as file:
            file.write(data)
        self._paths[image.data] = path
        return path
