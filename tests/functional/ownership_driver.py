"""The review's own code in Neovim, driven step by step on a text without a buffer."""

from typing import Any

from tests.functional.editor import Editor
from tests.functional.ownership_model import Author, Edit

DRIVER = """
local diff = require("acp_nvim.documents.diff")
local pending = require("acp_nvim.review.pending_changes")
local memory = require("acp_nvim.review.undo_memory")
local text, seq

local function lines_at()
  return vim.deepcopy(text.lines)
end

local function set(ids)
  local found = {}
  for _, id in ipairs(ids) do
    found[id] = true
  end
  return found
end

local steps = {}

function steps.new(lines)
  text, seq, _G.texts = pending.new(lines), 0, { [0] = lines }
end

function steps.agent(new, author)
  pending.agent(text, diff.edits(text.lines, new), author)
end

function steps.agent_edit(edit, author)
  pending.agent(text, diff.refined(text.lines, edit), author)
end

function steps.merge(new, author)
  pending.agent(text, diff.edits(text.lines, new), author, function()
    return true
  end)
end

function steps.anew(new)
  pending.user(text, diff.edits(text.lines, new), false)
end

function steps.user(edit)
  pending.user(text, diff.refined(text.lines, edit))
end

function steps.became(new)
  pending.user(text, diff.edits(text.lines, new))
end

function steps.go_to(at)
  pending.user(text, diff.edits(text.lines, texts[at]))
  assert(memory.recall(text, at), "unknown state")
end

function steps.keep(ids)
  pending.keep(text, set(ids))
end

function steps.undo(ids)
  local before = lines_at()
  local edits = pending.undoing(pending.chosen(text, set(ids)))
  pending.undo(text, set(ids))
  assert(vim.deep_equal(diff.apply(before, edits), text.lines), "the edits make another text")
end

--- As the command has it.
function steps.undo_turn(session, turn)
  local author = { session = session, turn = turn }
  local layer = require("acp_nvim.review.turn_layer").of(text.known.layers, author)
  local ids = {}
  for _, change in ipairs((layer or text.known).blocks.changes) do
    if change.session == session and change.turn == turn and change.by == "agent" and #change.earlier == 0 then
      ids[#ids + 1] = change.id
    end
  end
  steps.undo(ids)
  return ids
end

function _G.drive(kind, ...)
  local answer = steps[kind](...)
  if kind ~= "new" then
    seq = seq + 1
  end
  texts[seq] = lines_at()
  memory.remember(text, seq)
  local all, found = {}, {}
  for i, change in ipairs(text.known.blocks.changes) do
    all[change.id] = true
    local who = { change.session, change.turn, change.by }
    found[i] = { change.id, who, text.known.blocks.rows[i], change.old, change.new }
  end
  local decided = vim.tbl_map(function(each)
    return { each.change.id, each.is_kept, each.row }
  end, text.known.decided)
  local base = diff.apply(text.lines, pending.undoing(pending.chosen(text, all)))
  return { lines = text.lines, base = base, pending = found, decided = decided, answer = answer }
end

function _G.diff(old, new)
  return diff.edits(old, new)
end

function _G.without(rows, undoing, lines)
  return require("acp_nvim.review.beside_unsaved").without(rows, undoing, lines) or vim.NIL
end

function _G.report(session, is_told)
  local lost_report = require("acp_nvim.review.lost_report")
  local told, about = lost_report.report(text.known.lost, text.lines, session)
  for _, lost in ipairs(is_told and about or {}) do
    lost.told = true
  end
  return told and told.lines or {}
end
"""

AUTHORS = [Author(1, 1, "agent"), Author(1, 2, "agent"), Author(1, 2, "unknown"), Author(2, 1, "agent")]
TURN, NEXT = AUTHORS[0], AUTHORS[1]


class Lua:
    def __init__(self, neovim: Editor, lines: list[str]) -> None:
        self._neovim = neovim
        self.drive("new", lines)

    def drive(self, kind: str, *arguments: Any) -> None:
        now = self._neovim.lua("return drive(...)", kind, *arguments)
        self.lines, self.base = list(now["lines"]), list(now["base"])
        self.pending = [(one, tuple(who), row, old, new) for one, who, row, old, new in now["pending"]]
        self.decided = [tuple(each) for each in now["decided"]]
        self.answer = now.get("answer")

    def diff(self, old: list[str], new: list[str]) -> list[Edit]:
        return [Edit(*each) for each in self._neovim.lua("return diff(...)", old, new)]

    def report(self, session: int, is_told: bool = False) -> list[str]:
        return list(self._neovim.lua("return report(...)", session, is_told))


def author(who: tuple[int, int, str]) -> dict[str, Any]:
    return dict(zip(("session", "turn", "by"), who, strict=True))
