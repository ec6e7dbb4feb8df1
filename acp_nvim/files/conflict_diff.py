"""Makes the message that opens a conflict as a diff in the editor: both versions, to be merged by hand."""

from __future__ import annotations

import os
from typing import Any

from acp_nvim.files.conflict_question import Conflict
from acp_nvim.session.question import Question
from acp_nvim.text.diff_cost import is_too_much
from acp_nvim.text.printable import visible


def payload(question: Question, conflict: Conflict, *, renews: bool = False) -> dict[str, Any]:
    """Return the message. `renews`: the editor shows it only if the diff is open already.

    The right side is the user's merge: it is saved in the place of the agent's write. Where the agent has written the
    disk itself it becomes the buffer's text, unsaved.
    """
    begun, conflict.begun = conflict.begun, None
    name = visible(os.path.basename(conflict.path))
    file = {
        "path": conflict.path,
        "name": name,
        "shown": name,
        "left": conflict.mine,
        "right": conflict.agents,
        "plain": is_too_much(conflict.mine, conflict.agents),
        "begun": None if begun is None else {"right": begun.right, "text": begun.text},
    }
    return {
        "kind": "merge",
        "question": question.id,
        "session": question.session,
        "version": question.version,
        "stays": question.stays,
        "files": [file],
        "focus": not renews,
        "renews": renews,
    }
