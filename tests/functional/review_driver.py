"""The review's own code in Neovim, driven step by step on a text without a buffer."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.functional.editor import Editor

DRIVER = """
local diff = require("acp_nvim.documents.diff")
local pending = require("acp_nvim.review.reviewed_text")
local record = require("acp_nvim.review.record")
local restore = require("acp_nvim.review.restore")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local snapshots = require("acp_nvim.review.snapshots")
local told = require("acp_nvim.review.told")
local text, texts -- the states of the undo tree, by their numbers
local steps = {}
require("acp_nvim.review.owners").of = function(n)
  return { agent = "agent", session_id = tostring(n) }
end
local undone -- the text before a turn was undone, and the lines that were left

local function set(ids)
  local found = {}
  for _, id in ipairs(ids) do
    found[id] = true
  end
  return found
end

function steps.user(edits)
  pending.user(text, edits)
end

function steps.write(edits, author, allowed)
  pending.agent(text, edits, author, allowed and function()
    return true
  end)
end

function steps.agent(lines, author)
  pending.agent(text, diff.edits(text.lines, lines), author)
end

function steps.keep(ids)
  pending.keep(text, set(ids))
end

function steps.keep_turn(session, turn)
  pending.keep_turn(text, { session = session, turn = turn })
end

function steps.undo(ids)
  pending.undo(text, pending.plan_undo(text, { ids = set(ids) }))
end

function steps.undo_turn(session, turn)
  local before = snapshots.of(text)
  pending.undo(text, pending.plan_undo(text, { written_by = { session = session, turn = turn } }))
  undone = { before, vim.list_slice(text.lines) }
end

function steps.redo()
  snapshots.redo(text, snapshots.plan_redo(text.lines, unpack(undone)))
end

function steps.go(_, at)
  pending.user(text, diff.edits(text.lines, texts[at]))
  assert(pending.recall(text, at), "unknown state")
end

function steps.report(session)
  local minus, plus = {}, {}
  for _, part in ipairs(told.parts(text.told, session, text.lines)) do
    vim.list_extend(minus, part.was)
    vim.list_extend(plus, part.now)
  end
  told.sent(text.told, session, text.lines)
  told.arrived(text.told, session)
  return { minus, plus }
end

--- What is known of the text goes into a record, and out of it again.
function steps.restart()
  local file = reviewed_files.new("/there", "/there", text.lines)
  file.text = text
  local read = vim.json.decode(vim.json.encode(record.of(file)), { luanil = { object = true, array = true } })
  local sessions = vim.tbl_map(function(owner)
    return tonumber(owner.session_id)
  end, read.owners)
  text, texts = record.enter(read, read.lines, sessions).text, {}
  reviewed_files.files["/there"] = nil
end

local function see(answer)
  local blocks, hunks, ids = pending.waiting(text), {}, {}
  for i, change in ipairs(blocks.changes) do
    assert(not ids[change.id] and not text.kept_ids[change.id], "an id twice")
    ids[change.id] = true
    local authors = { { change.session, change.turn, change.by } }
    for _, each in ipairs(change.earlier) do
      authors[#authors + 1] = { each.session, each.turn, each.by }
    end
    hunks[i] = { change.id, authors, blocks.rows[i], change.old, change.new }
  end
  local decided = vim.tbl_map(function(each)
    return { each.change.id, each.is_kept, each.row }
  end, text.known.decided)
  local reviewed = diff.apply(text.lines, pending.plan_undo(text, { ids = ids }).edits)
  return { lines = text.lines, pending = hunks, reviewed = reviewed, decided = decided, answer = answer }
end

function _G.begin(lines)
  text, texts = pending.new(lines), { [0] = vim.list_slice(lines) }
  pending.remember(text, 0)
  return see()
end

--- The undo tree is in the state `at` afterwards.
function _G.drive(at, kind, ...)
  local answer = steps[kind](...)
  texts[at] = vim.list_slice(text.lines)
  pending.remember(text, at)
  return see(answer)
end

--- The text as it was before that turn and all with higher numbers.
function _G.restored(turn)
  local now = { lines = vim.list_slice(text.lines), known = text.known }
  return restore.lines(now, function(author)
    return author.turn >= turn
  end)
end

function _G.without(rows, undoing, lines)
  return require("acp_nvim.review.beside_unsaved").without(rows, undoing, lines) or vim.NIL
end
"""


class Edit(NamedTuple):
    first: int
    last: int
    lines: list[str]


class Pending(NamedTuple):
    id: int
    authors: list[tuple[int, int, str]]  # the newest first
    row: int
    old: list[str]
    new: list[str]


class Lua:
    def __init__(self, neovim: Editor, lines: list[str]) -> None:
        self._neovim, self.at = neovim, 0
        self._see(neovim.lua("return begin(...)", lines))

    def drive(self, kind: str, *arguments: Any, at: int | None = None) -> Any:
        """`at`: the state of the undo tree afterwards, if it is not a new one."""
        self.at = self.at + 1 if at is None else at
        now = self._neovim.lua("return drive(...)", self.at, kind, *arguments)
        self._see(now)
        return now.get("answer")

    def restored(self, turn: int) -> list[str]:
        """The text as it was before that turn and all with higher numbers."""
        return list(self._neovim.lua("return restored(...)", turn))

    def go(self, at: int) -> None:
        self.drive("go", None, at, at=at)

    def _see(self, now: dict[str, Any]) -> None:
        self.lines, self.reviewed = list(now["lines"]), list(now["reviewed"])
        self.decided = [tuple(each) for each in now["decided"]]
        self.pending = [
            Pending(one, [(s, t, by) for s, t, by in who], *rest) for one, who, *rest in now["pending"]
        ]


def author(session: int, turn: int, by: str = "agent") -> dict[str, Any]:
    return {"session": session, "turn": turn, "by": by}
