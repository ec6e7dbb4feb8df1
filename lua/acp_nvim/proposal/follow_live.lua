-- Carries what the user changes in the file over to the right side. A line that the right side has changed, too, stays
-- as it is there: the user sees both, and the right side decides.
--
-- Each change that comes along is an undo step of its own in the right side. `u` may take one back: then the right side
-- is made of an earlier live text again, and the change is carried over once more.
local build = require("acp_nvim.proposal.build")
local right_side = require("acp_nvim.proposal.right_side")
local side_history = require("acp_nvim.proposal.side_history")
local side_text = require("acp_nvim.proposal.side_text")
local store = require("acp_nvim.proposal.store")
local text = require("acp_nvim.documents.text")

local api = vim.api
local M = {}

local PAUSE_MS = 40 -- in which keys pool; Neovim's own diff costs about the same for each

--- The right side takes up what the live text has become. An emptied window refuses a deletion whatever becomes of the
--- file.
---@param file acp.ProposalFile
---@param live string  body
---@param final boolean
function M.follow(file, live, final)
  local sides, side =
    file.sides, --[[@as acp.BuiltSides]]
    side_history.settle(file)
  if not sides.left or not sides.fits then
    return
  end
  local lines, refuses = side_text.lines(live), not sides.right and store.edited_text(file) ~= nil
  if file.right_side and not refuses and not text.same_lines(side.left, lines) then
    local modified = file.is_filled and vim.bo[file.buf].modified
    side_history.put(file, right_side.follow(side, lines))
    if file.is_filled then
      vim.bo[file.buf].modified = modified
    end
  end
  if sides.left ~= live then
    local proposed = right_side.new(side_text.lines(sides.left), side_text.lines(sides.right))
    sides.right = sides.right and side_text.body(right_side.follow(proposed, lines).lines)
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
  if not sides then
    return
  end
  side_history.settle(file)
  if file.sent.left or file.sent.right then
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
