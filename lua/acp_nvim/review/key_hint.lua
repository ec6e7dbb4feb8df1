-- Shows the keys beside the pending hunk under the cursor, as " 1/3  ,k keep  ,u undo  ]h next". Not in insert mode,
-- only in the current window, and only on a row with room for it.
local key_names = require("acp_nvim.review.key_names")
local review = require("acp_nvim.review")
local signs = require("acp_nvim.review.signs")

local api = vim.api
local M = {}

local FEW_ROWS = 20 -- of a hunk that are looked at for room
local DRAWN_MS = 50 -- after which the signs of new hunks have taken their room

local namespace = api.nvim_create_namespace("acp_nvim.hunk_hint")
local group = api.nvim_create_augroup("acp_nvim.hunk_hint", {})

---@class acp.HunkHint
---@field buf integer
---@field id? integer     the hunk beside which it stands; nil: the hunks of the buffer have changed since
---@field row? integer    where; nil: there was no room
---@field width integer   of the text in the window for which it was made

local hint ---@type acp.HunkHint?  the one that is shown
local is_attending = false
local has_hunks = {} ---@type table<integer, true>  buffers with pending hunks

---@alias acp.Chunks [string, string][]

--- The hint in all its words, and in fewer.
---@param buf integer
---@param at integer     which of the buffer's hunks
---@param count integer  of them
---@return acp.Chunks[]
local function versions(buf, at, count)
  local told, way = key_names.in_buffer(buf), at < count and "next" or at > 1 and "previous" or nil
  ---@param gap string
  ---@param ... acp.HunkVerb
  local function of(gap, ...)
    local text = { { (" %d/%d"):format(at, count), "AcpReviewHint" } }
    for _, verb in ipairs({ ... }) do
      local key, who = told[verb].key, told[verb].who
      text[#text + 1] = { gap .. (key or told[verb].command), "AcpReviewKey" }
      text[#text + 1] = { key and " " .. verb or who and (" (%s)"):format(who) or "", "AcpReviewHint" }
    end
    return text
  end
  return { of("  ", "keep", "undo", way), of(" ", "keep", "undo", way), of(" ", "keep", "undo"), of("") }
end

local function text_width(win)
  local info = vim.fn.getwininfo(win)[1]
  return info.width - info.textoff
end

--- How many cells are free behind a line, in the row of the screen in which it ends.
local function room(win, row)
  local width = text_width(win)
  local used = vim.fn.virtcol({ row + 1, "$" }, false, win) - 1
  if vim.wo[win].wrap then
    return used == 0 and width or -used % width
  end
  return width - math.max(0, used - vim.fn.getwininfo(win)[1].leftcol)
end

--- The longest version for which a row of the hunk that is on the screen has room; the row of the cursor, if none is.
---@param win integer
---@param first integer  row of the hunk
---@param last integer
---@param texts acp.Chunks[]
---@return integer? row
---@return acp.Chunks? text
local function placed(win, first, last, texts)
  first, last = math.max(first, vim.fn.line("w0", win) - 1), math.min(last, vim.fn.line("w$", win) - 1)
  if first > last then
    first = api.nvim_win_get_cursor(win)[1] - 1
    last = first
  end
  for _, text in ipairs(texts) do
    local width = 1 -- Neovim leaves a cell between a line and what stands behind it
    for _, chunk in ipairs(text) do
      width = width + api.nvim_strwidth(chunk[1])
    end
    for row = first, math.min(last, first + FEW_ROWS) do
      if room(win, row) >= width then
        return row, text
      end
    end
  end
end

local function clear()
  if hint and api.nvim_buf_is_loaded(hint.buf) then
    api.nvim_buf_clear_namespace(hint.buf, namespace, 0, -1)
  end
  hint = nil
end

---@param buf integer
---@param win integer
---@param hunk acp.Hunk
local function draw(buf, win, hunk)
  local rows, changes = review.rows(buf)
  local at = 1
  while changes[at].id ~= hunk.id do
    at = at + 1
  end
  local row, text = placed(win, rows[at], rows[at] + math.max(hunk.n, 1) - 1, versions(buf, at, #rows))
  hint = { buf = buf, id = hunk.id, row = row, width = text_width(win) }
  if row then
    api.nvim_buf_set_extmark(
      buf,
      namespace,
      row,
      0,
      { virt_text = text, virt_text_pos = "eol", hl_mode = "combine", priority = 250 }
    )
  end
end

--- The cursor may be at another hunk, or at none.
local function update()
  local win, buf = api.nvim_get_current_win(), api.nvim_get_current_buf()
  local file = has_hunks[buf] and api.nvim_get_mode().mode:find("^[nvV\22]") and review.of_buffer(buf)
  -- a deleted file that is loaded still says for itself what can be done
  local hunk = file and file.buf == buf and not signs.is_hidden(buf) and review.hunk_at_cursor()
  if not hunk then
    return clear()
  end
  local is_seen = hint and (not hint.row or hint.row >= vim.fn.line("w0", win) - 1)
  if not (is_seen and hint.buf == buf and hint.id == hunk.id and hint.width == text_width(win)) then
    clear()
    draw(buf, win, hunk)
  end
end

--- From the first pending change on.
function M.attend()
  if is_attending then
    return
  end
  is_attending = true
  local function gone(buf)
    has_hunks[buf] = nil
    update()
  end
  review.listen(function(buf, has_pending)
    if not has_pending then
      return gone(buf)
    end
    has_hunks[buf] = true
    if hint and hint.buf == buf then
      hint.id = nil
    end
    vim.schedule(update)
    vim.defer_fn(update, DRAWN_MS)
  end, gone)
  api.nvim_create_autocmd("CursorMoved", { group = group, callback = update })
  api.nvim_create_autocmd({ "InsertLeave", "WinEnter", "BufEnter", "WinResized" }, {
    group = group,
    callback = vim.schedule_wrap(update),
  })
  api.nvim_create_autocmd({ "InsertEnter", "WinLeave", "BufLeave" }, { group = group, callback = clear })
end

return M
