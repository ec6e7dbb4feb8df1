-- Keeps the right side of a file in step with its buffer, and with the undo tree of that: `u` takes back whose line is
-- whose, too.
--
--    state 1   a X c      X is the agent's
--    state 2   a b c      the user has refused it
--    u         a X c      state 1 again: X has come by a key, and is still the agent's
local diff = require("acp_nvim.documents.diff")
local limits = require("acp_nvim.limits")
local right_side = require("acp_nvim.proposal.right_side")
local side_text = require("acp_nvim.proposal.side_text")
local store = require("acp_nvim.proposal.store")
local text = require("acp_nvim.documents.text")

local api = vim.api
local M = {}

---@class acp.SideHistory  by the states of the undo tree
---@field sides table<integer, acp.RightSide>
---@field seqs integer[]  in the order in which they were met
---@field at integer      the state of the buffer when it was last looked at
---@field edits acp.SideEdit[]  since then

---@class acp.SideEdit
---@field seq integer  the state of the undo tree that it has made, or that it undoes
---@field first integer
---@field last integer
---@field lines string[]

---@param file acp.ProposalFile
---@return boolean
local function has_buffer(file)
  return file.is_filled == true and api.nvim_buf_is_loaded(file.buf)
end

---@param file acp.ProposalFile
---@return acp.RightSide
function M.proposed(file)
  local sides = file.sides --[[@as acp.BuiltSides]]
  return right_side.new(side_text.lines(sides.left), side_text.lines(store.proposed_text(sides)))
end

---@param buf integer
---@return integer
local function undo_state(buf)
  return api.nvim_buf_call(buf, vim.fn.changenr)
end

--- Remembers the side with a state of the buffer, which holds its lines there. Of the oldest states only the text is
--- known in the end.
---@param file acp.ProposalFile
---@param side acp.RightSide
---@param seq integer
local function remember(file, side, seq)
  local history = file.history --[[@as acp.SideHistory]]
  if not history.sides[seq] then
    table.insert(history.seqs, seq)
    if #history.seqs * #side.lines > limits.SIDE_HISTORY_LINES and #history.seqs > 2 then
      history.sides[table.remove(history.seqs, 1)] = nil
    end
  end
  file.right_side, history.sides[seq], history.at = side, side, seq
end

--- The buffer has just been filled with the lines of the side.
---@param file acp.ProposalFile
---@param side acp.RightSide
function M.begin(file, side)
  file.history = { sides = {}, seqs = {}, at = 0, edits = {} }
  remember(file, side, undo_state(file.buf))
end

--- Notes an edit of the buffer as it happens: several keys may come at once.
---@param file acp.ProposalFile
---@param first integer
---@param last integer
---@param stop integer  of the lines that have come
function M.note(file, first, last, stop)
  local lines = api.nvim_buf_get_lines(file.buf, first, stop, false)
  table.insert(file.history.edits, { seq = undo_state(file.buf), first = first, last = last, lines = lines })
end

--- The remembered side with these lines: `u` and another key may have come at once.
---@param file acp.ProposalFile
---@param lines string[]
---@return acp.RightSide?
local function known_with(file, lines)
  for i = #file.history.seqs, 1, -1 do
    local side = file.history.sides[file.history.seqs[i]]
    if text.same_lines(side.lines, lines) then
      return side
    end
  end
end

--- Remembers the states of the undo tree through which the buffer has gone since it was last looked at.
---@param file acp.ProposalFile
local function pass_states(file)
  local edits, count = file.history.edits, 0
  for i = 1, #edits - 1 do
    count = edits[i].seq ~= edits[i + 1].seq and i or count
  end
  local rows = text.rows(file.right_side.lines)
  for i = 1, count * #rows <= limits.SIDE_HISTORY_LINES and count or 0 do
    local edit = edits[i]
    rows = diff.apply(rows, { { edit.first, edit.last, edit.lines } })
    if edit.seq ~= edits[i + 1].seq then
      local lines = side_text.lines(side_text.body(rows))
      remember(file, known_with(file, lines) or right_side.typed(file.right_side, lines), edit.seq)
    end
  end
  file.history.edits = {}
end

--- Takes what the user has typed in the buffer, or the state to which `u` has gone back.
---@param file acp.ProposalFile
---@return acp.RightSide
function M.settle(file)
  if not has_buffer(file) then
    return file.right_side or M.proposed(file)
  end
  pass_states(file)
  local lines, seq = side_text.lines(side_text.of_buffer(file.buf)), undo_state(file.buf)
  local known = seq ~= file.history.at and file.history.sides[seq]
  if known and text.same_lines(known.lines, lines) then
    file.right_side, file.history.at = known, seq
  elseif not text.same_lines(file.right_side.lines, lines) then
    remember(file, right_side.typed(file.right_side, lines), seq)
  end
  return file.right_side
end

--- Gives the buffer, if there is one, the lines of the side, as one undo step.
---@param file acp.ProposalFile
---@param side acp.RightSide
function M.put(file, side)
  if not has_buffer(file) then
    file.right_side = side
    return
  end
  local buf, bo = file.buf, vim.bo[file.buf]
  local modifiable = bo.modifiable
  bo.undolevels, bo.modifiable = bo.undolevels, true
  if #file.right_side.lines == 0 or #side.lines == 0 then
    api.nvim_buf_set_lines(buf, 0, -1, false, side.lines)
  else
    local edits = diff.edits(file.right_side.lines, side.lines)
    for i = #edits, 1, -1 do
      api.nvim_buf_set_lines(buf, edits[i][1], edits[i][2], false, edits[i][3])
    end
  end
  bo.undolevels, bo.modifiable = bo.undolevels, modifiable
  file.history.edits = {}
  remember(file, side, undo_state(buf))
end

return M
