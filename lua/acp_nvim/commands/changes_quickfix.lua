-- Fills the quickfix list of `:Acp review`.
local comments = require("acp_nvim.comments")
local find = require("acp_nvim.documents.find")
local limits = require("acp_nvim.limits")
local printable = require("acp_nvim.ui.printable")
local review = require("acp_nvim.review")
local session_windows = require("acp_nvim.windows.session_windows")

local api = vim.api
local M = {}

---@class acp.Reviewed  what is to be reviewed
---@field session? integer  nil: all of them
---@field turn? integer     nil: all of the session's
---@field is_whole? boolean of a turn also what does not wait: it was allowed, or is kept
---@field title string

---@param file acp.ChangedFile
---@param hunk acp.Hunk
---@return string  "+2 -1 the first line"
local function summary(file, hunk)
  if hunk.note and #hunk.new + #hunk.old == 0 then
    return hunk.note
  end
  local first = hunk.note or vim.trim(hunk.new[1] or hunk.old[1] or "")
  local state = hunk.asked and "allowed: " or hunk.state == "kept" and "kept: " or ""
  local what = file.created and "new file: " or file.deleted and "deleted: " or ""
  return ("%s%s+%d -%d %s"):format(
    state,
    what,
    #hunk.new,
    #hunk.old,
    printable.cut(printable.visible(first), limits.QUICKFIX_LINE_CELLS)
  )
end

---@param path string
---@return table
local function unknown_item(path)
  return { filename = path, lnum = 1, text = "changed: earlier text unknown, no undo" }
end

--- A comment, as the quickfix list has it.
---@param comment acp.Comment
---@return table
function M.comment_item(comment)
  local text = ("%s: %s"):format(comment.state, comments.words(comment))
  return {
    filename = comment.path,
    lnum = comment.at or comment.first,
    end_lnum = comment.at or comment.last,
    text = printable.cut(text, limits.QUICKFIX_LINE_CELLS),
    user_data = { comment = comment.id },
  }
end

--- Adds the comments of a file to its changes, line by line.
---@param items table[]
---@param from integer  index of the file's first change
---@param path string
local function add_comments(items, from, path)
  for _, comment in ipairs(comments.all()) do
    if comment.state ~= "done" and comment.path == find.resolve(path) then
      local item, at = M.comment_item(comment), from
      while items[at] and items[at].lnum <= item.lnum do
        at = at + 1
      end
      item.filename = path
      table.insert(items, at, item)
    end
  end
end

---@param files string[]
---@param plus integer
---@param minus integer
---@return string
local function sum_of(files, plus, minus)
  local where = #files == 1 and printable.visible(vim.fs.basename(files[1])) or ("%d files"):format(#files)
  return plus + minus > 0 and ("%s %s"):format(where, printable.counts(plus, minus)) or where
end

--- The changes, as the quickfix list has them. Of a whole turn: its text against the one below it.
---@param what acp.Reviewed
---@return table[] items   for the quickfix list
---@return string summary  "2 files +5 −4", as the note in the chat has it
---@return integer count   of the changes; comments stand among them
function M.items_of(what)
  local items, plus, minus, files, count = {}, 0, 0, {}, 0
  local changed = what.is_whole and review.of_turn or review.pending_files
  for _, file in ipairs(changed(what.session, what.turn)) do
    local before = #items
    for _, hunk in ipairs(file.hunks) do
      if not what.turn or what.is_whole or hunk.session == what.session then
        items[#items + 1] = { filename = file.path, lnum = hunk.first + 1, text = summary(file, hunk) }
        plus, minus = plus + #hunk.new, minus + #hunk.old
      end
    end
    items[#items + 1] = file.unknown and unknown_item(file.path) or nil
    count = count + #items - before
    if #items > before then
      files[#files + 1] = file.path
      add_comments(items, before + 1, file.path)
    end
  end
  if what.turn and not what.is_whole then -- a hunk may hold lines of other turns
    plus, minus = review.turn_size(what.session, what.turn)
  end
  return items, sum_of(files, plus, minus), count
end

--- Shows the first change among these items, or else the first comment, in a window of the user's, as `:cc` does.
---@param items table[]
function M.show_first(items)
  local here = api.nvim_get_current_win()
  local is_ours = vim.b[api.nvim_win_get_buf(here)].acp_session or vim.bo[api.nvim_win_get_buf(here)].buftype ~= ""
  if is_ours or vim.wo[here].winfixbuf then
    api.nvim_set_current_win(session_windows.window_for_file()) -- which makes one if there is none
  end
  local first = 1
  while items[first + 1] and items[first].user_data do
    first = first + 1
  end
  vim.cmd(("silent cc %d"):format(items[first].user_data and 1 or first))
end

return M
