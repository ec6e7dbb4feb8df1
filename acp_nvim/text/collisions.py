"""What a file holds after an agent has written it while the editor saved it, with another text.

Bun, and so opencode, writes over the old text, then cuts the file to the length of the new one. The save may come in
between, and the cut then falls on what was saved. Neovim empties the file, then writes: the agent may come in between.
Were such a file taken for the agent's text, the buffer would lose its last rows, or get rows of both: opencode sends
each write through the editor and makes it itself at the same moment.

    the agent writes      a B c           6 bytes, the lines in a row
    the editor saves      a B mine c      11 bytes
    not yet cut           a B c + ine c   the agent's, and what it is longer than
    cut after the save    a B mi          what was saved, up to the agent's length
    had the user deleted c instead, the file would be made longer with NULs: a B and two NULs
    or, the agent's write in the midst of the save, what was saved and the agent's last bytes: a B and c
"""

from __future__ import annotations


def collisions(agents: str, saved: str) -> tuple[str, ...]:
    """Return the texts that are neither of both. One that a cut has left within a character is no text."""
    theirs, ours = (text.encode("utf-8", "surrogatepass") for text in (agents, saved))
    found = []
    cut = ours[: len(theirs)].ljust(len(theirs), b"\0")
    for data in (theirs + ours[len(theirs) :], cut, ours + theirs[len(ours) :]):
        try:
            found.append(data.decode())
        except UnicodeDecodeError:
            continue
    return tuple(text for text in found if text not in (agents, saved))
