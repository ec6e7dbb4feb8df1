-- Tells listeners of every change that this room makes to a user's buffer: for an agent, for the disk, or for an undo
-- of hunks. A listener that follows the buffer by `nvim_buf_attach` sees the same edits there, and needs to know whose
-- they are:
--
--   begins    nothing is touched yet; what `on_lines` tells from now on is this room's work, and comes in `applied`
--   applied   `change.steps` are in the buffer; what `on_lines` tells from now on comes along with them: a formatter,
--             say, that runs as the buffer is saved
--   ended     `change.ok`: it is saved, or as wanted; else the buffer is as it was before `begins`
--
-- All three come in one tick of the event loop. Between `begins` and `ended` Neovim may read the file again, which ends
-- every attachment: a listener whose `on_detach` was called meanwhile attaches again in `applied` or `ended`.
local diff = require("acp_nvim.documents.diff")
local log = require("acp_nvim.ui.log").add
local merge = require("acp_nvim.documents.merge")
local text = require("acp_nvim.documents.text")

local M = {}

---@class acp.By  for whom a buffer is changed; handed on as it came
---@field kind acp.ChangedBy|"undo"  undo: the user who undoes hunks
---@field session? integer
---@field turn? integer

---@class acp.Step
---@field capped? boolean  there would be too many edits: one stands for all
---@field by? acp.By         nil: the user, or another program
---@field edits acp.Edit[]   { first, last, lines }: ascending and disjoint, in the rows that the step before has left

---@class acp.BufferChange
---@field buf integer
---@field path string        resolved
---@field by? acp.By
---@field before string[]    the rows of the buffer; { "" } if it has no line at all
---@field phase "begins"|"applied"|"ended"
---@field steps? acp.Step[]  from `applied` on
---@field disk? string[]     rows of the disk, without unsaved lines: the buffer has held them on the way, undo comes by
---@field created? boolean   there was no file, and no text
---@field marks_lost? boolean  extmarks in the buffer may have lost their places
---@field ok? boolean        in `ended`
---@field exact? boolean     the buffer holds what `steps` have made of `before`; else more has come along with them

---@class acp.ChangeListener
---@field unloaded? fun(path: string, by: acp.By)  the backend is about to write a file that no buffer holds
---@field begins? fun(change: acp.BufferChange)
---@field applied? fun(change: acp.BufferChange)
---@field ended? fun(change: acp.BufferChange)

local listeners = {} ---@type acp.ChangeListener[]
local under_way = {} ---@type table<integer, acp.BufferChange>

---@param listener acp.ChangeListener
function M.subscribe(listener)
  table.insert(listeners, listener)
end

--- Returns the change that is being made to the buffer.
---@param buf integer
---@return acp.BufferChange?
function M.under_way(buf)
  return under_way[buf]
end

--- Calls the listeners. An error in one is logged: it must not leave a write half done.
---@param what "begins"|"applied"|"ended"|"unloaded"
local function tell(what, ...)
  for _, listener in ipairs(listeners) do
    local ok, err = xpcall(listener[what] or function() end, debug.traceback, ...)
    if not ok then
      log(tostring(err))
    end
  end
end

---@class acp.TypedLines
---@field left string  the text that was shown on the left
---@field mine string  the same with what the user has typed

--- Returns the lines with what the user has typed where an agent's change was shown.
---@param typed? acp.TypedLines
---@param lines string[]  without the agent's change
---@return string[]
function M.with_typed(typed, lines)
  if not typed then
    return lines
  end
  return (merge.lines(text.split(typed.left).lines, text.split(typed.mine).lines, lines))
end

--- Returns a change as steps: what had come to the file before, by nobody known, and what the user has typed beside the
--- agent's lines; then what `by` has made of that.
---
---   the buffer has a b, a formatter has made A b of the file, an agent makes A B of that
---   the steps are  a b to A b, by nobody known,  and  A b to A B, by the agent
---@param live string[]    lines of the buffer
---@param before string[]  lines that the agent's change begins with
---@param wanted string[]
---@param by? acp.By
---@param typed? acp.TypedLines
---@return acp.Step[]
function M.steps(live, before, wanted, by, typed)
  before = M.with_typed(typed, before)
  local others, own = { edits = diff.of_buffer(live, before) }, { by = by } ---@type acp.Step, acp.Step
  own.edits, own.capped = diff.of_buffer(before, wanted)
  return #others.edits > 0 and { others, own } or { own }
end

--- The backend is about to write a file that no buffer holds.
---@param path string  resolved
---@param by acp.By
function M.unloaded(path, by)
  tell("unloaded", path, by)
end

---@param change { buf: integer, path: string, by?: acp.By, before: string[], created?: boolean }
---@return acp.BufferChange
function M.begin(change)
  ---@cast change acp.BufferChange
  change.phase = "begins"
  under_way[change.buf] = change
  tell(change.phase, change)
  return change
end

---@param change acp.BufferChange
---@param steps acp.Step[]
function M.applied(change, steps)
  change.phase, change.steps = "applied", steps
  tell(change.phase, change)
end

---@param change acp.BufferChange
---@param ok boolean
---@param exact? boolean
function M.finish(change, ok, exact)
  under_way[change.buf] = nil
  change.phase, change.ok, change.exact = "ended", ok, exact
  tell(change.phase, change)
end

return M
