-- Fills the quickfix list of `:Acp review`.
local limits = require("acp_nvim.limits")
local printable = require("acp_nvim.ui.printable")
local review = require("acp_nvim.review")
local session_windows = require("acp_nvim.windows.session_windows")

local api = vim.api
local M = {}

---@class acp.Reviewed  what is to be reviewed
---@field session? integer  nil: all of them
---@field turn? integer     nil: all of the session's
---@field title string

---@param file table  as changes() has it
---@param hunk table
---@return string  "+2 -1 the first line"
local function summary(file, hunk)
  local first = hunk.note or vim.trim(hunk.new[1] or hunk.old[1] or "")
  local what = file.created and "new file: " or file.deleted and "deleted: " or ""
  return ("%s+%d -%d %s"):format(
    what,
    #hunk.new,
    #hunk.old,
    printable.cut(printable.visible(first), limits.QUICKFIX_LINE_CELLS)
  )
end

--- The changes that are pending, as the quickfix list has them.
---@param what acp.Reviewed
---@return table[] items   for the quickfix list
---@return string summary  "2 files +5 −4", as the note in the chat has it
function M.items_of(what)
  local items, plus, minus, files, wanted = {}, 0, 0, {}, {}
  local pending, unknown = review.pending(what.session, what.turn)
  for _, hunk in ipairs(pending) do
    wanted[hunk.id] = true
  end
  for _, file in ipairs(review.changes(what.session)) do
    local before = #items
    for _, hunk in ipairs(file.hunks) do
      if wanted[hunk.id] then
        items[#items + 1] = { filename = file.path, lnum = math.max(1, hunk.first), text = summary(file, hunk) }
        plus, minus = plus + #hunk.new, minus + #hunk.old
      end
    end
    if vim.list_contains(unknown, file.path) then
      items[#items + 1] = { filename = file.path, lnum = 1, text = "changed: earlier text unknown, no undo" }
    end
    if #items > before then
      files[#files + 1] = printable.visible(vim.fs.basename(file.path))
    end
  end
  if what.turn then -- a hunk may hold lines of other turns
    plus, minus = review.turn_size(what.session, what.turn)
  end
  local where = #files == 1 and files[1] or ("%d files"):format(#files)
  return items, ("%s %s"):format(where, printable.counts(plus, minus))
end

--- Shows the first change, in a window of the user's, as `:cfirst` does.
function M.show_first()
  local here = api.nvim_get_current_win()
  local is_ours = vim.b[api.nvim_win_get_buf(here)].acp_session or vim.bo[api.nvim_win_get_buf(here)].buftype ~= ""
  if is_ours or vim.wo[here].winfixbuf then
    api.nvim_set_current_win(session_windows.window_for_file()) -- which makes one if there is none
  end
  vim.cmd("silent cfirst")
end

return M
