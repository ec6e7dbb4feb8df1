-- Carries what the user changes in the file over to the right side. A line that the right side has changed, too, stays
-- as it is there: the user sees both, and the right side decides.
--
-- Each change that comes along is an undo step of its own in the right side. `u` may take one back, so the live text
-- that the buffer is made of is remembered with the state of the undo tree:
--
--    state 1   live `a b`      filled in
--    state 2   live `x a b`    followed
--    u         state 1         the right side is made of `a b` again: `x` is carried over once more
local build = require("acp_nvim.proposal.build")
local side_text = require("acp_nvim.proposal.side_text")

local api = vim.api
local M = {}

local PAUSE_MS = 40 -- in which keys pool; Neovim's own diff costs about the same for each

---@param buf integer
---@return integer
local function undo_state(buf)
  return api.nvim_buf_call(buf, function()
    return vim.fn.undotree().seq_cur
  end)
end

--- Remembers the live text of which the text in the buffer has just been made.
---@param file acp.ProposalFile
---@param live string
function M.begin(file, live)
  file.bases = { { seq = undo_state(file.buf), live = live } }
end

--- Remembers that the right side is made of the newest live text again, beside the states that `u` may go back to.
---@param file acp.ProposalFile
function M.reloaded(file)
  table.insert(file.bases, { seq = undo_state(file.buf), live = file.sides.left or "" })
end

---@param file acp.ProposalFile
---@return string live  that the text in the buffer is made of
local function base_of(file)
  local now, live = undo_state(file.buf), file.bases[1].live
  for _, base in ipairs(file.bases) do
    live = base.seq <= now and base.live or live
  end
  return live
end

--- The text of the right side with the newest live text, before its buffer is deleted.
---@param file acp.ProposalFile
---@return string
function M.settled_text(file)
  return (side_text.merge(base_of(file), side_text.of_buffer(file.buf), file.sides.left or ""))
end

---@param buf integer
---@param list acp.Edit[]
local function put(buf, list)
  local bo = vim.bo[buf]
  local modifiable = bo.modifiable
  bo.undolevels, bo.modifiable = bo.undolevels, true
  for index = #list, 1, -1 do
    api.nvim_buf_set_lines(buf, list[index][1], list[index][2], false, list[index][3])
  end
  bo.undolevels, bo.modifiable = bo.undolevels, modifiable
end

--- The right side takes up what the live text has become.
---@param file acp.ProposalFile
---@param live string  body
---@param final boolean
function M.follow(file, live, final)
  local sides = file.sides --[[@as acp.BuiltSides]]
  if not sides.left or not sides.fits then
    return
  end
  if file.is_filled and api.nvim_buf_is_loaded(file.buf) then
    local base = base_of(file)
    if base ~= live then
      local modified = vim.bo[file.buf].modified
      local now = side_text.of_buffer(file.buf)
      put(file.buf, side_text.edits(now, (side_text.merge(base, now, live))))
      vim.bo[file.buf].modified = modified
      table.insert(file.bases, { seq = undo_state(file.buf), live = live })
    end
  elseif file.text then
    file.text = side_text.merge(sides.left, file.text, live)
  end
  if sides.left ~= live then
    sides.right = sides.right and side_text.merge(sides.left, sides.right, live)
    sides.left = live
  end
  if sides.left_final ~= final then
    sides.right_final = sides.right_final == sides.left_final and final or sides.right_final
    sides.left_final = final
  end
end

--- Is the user in the middle of a command or an insertion in the buffer?
---@param buf integer
---@return boolean
local function is_busy(buf)
  return api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode ~= "n"
end

--- The right side takes up what the file has become.
---@param file acp.ProposalFile
function M.catch_up(file)
  local sides = file.sides
  if not sides or file.sent.left or file.sent.right then
    return
  end
  local live, buf = build.live(file.sent)
  if live and buf then
    sides.is_modified = vim.bo[buf].modified
    M.follow(file, side_text.split(live))
  end
end

--- Lets the right side follow the buffer: after a pause, and not while the user is typing in the right side.
---@param file acp.ProposalFile
---@param live integer  buffer
---@return fun() stop
function M.watch(file, live)
  local scheduled, stopped = false, false
  local function due()
    scheduled = false
    if stopped or not api.nvim_buf_is_loaded(live) then
      return
    elseif not is_busy(file.buf) then
      return M.catch_up(file)
    end
    scheduled = true
    api.nvim_create_autocmd("ModeChanged", { pattern = "*:n", once = true, callback = vim.schedule_wrap(due) })
  end
  local function changed()
    if stopped then
      return true
    elseif not scheduled then
      scheduled = true
      vim.defer_fn(due, PAUSE_MS)
    end
  end
  changed() -- since its text was taken
  api.nvim_buf_attach(live, false, {
    on_lines = changed,
    on_reload = function()
      changed()
    end,
  })
  return function()
    stopped = true
  end
end

return M
