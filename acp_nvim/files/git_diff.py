"""Prints the changes of a folder since the last commit: python -I -m acp_nvim.files.git_diff FOLDER.

The editor's side calls it: it has no other way to ask git without running what the repository names.
"""

from __future__ import annotations

import sys

import anyio

from acp_nvim import limits
from acp_nvim.files import git_status


async def _diff(folder: str) -> bytes:
    if (tree := await git_status.tree(folder)) is None:
        sys.exit("this is not a git repository")
    if (said := await git_status.diff(tree, folder, limits.GIT_DIFF_BYTES)) is None:
        sys.exit("it took too long, or is too large")
    return said


if __name__ == "__main__":
    sys.stdout.buffer.write(anyio.run(_diff, sys.argv[1]))
