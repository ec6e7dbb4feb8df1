-- Shows the keys beside the pending hunk under the cursor, as " 1/3  ,k keep  ,u undo  ]h next". Not in insert mode,
-- only in the current window, and only on a row with room for it.
local key_names = require("acp_nvim.review.key_names")
local review = require("acp_nvim.review")
local signs = require("acp_nvim.review.signs")

local api = vim.api
local M = {}

local FEW_ROWS = 20 -- of a hunk that are looked at for room
local DRAWN_MS = 50 -- after which the signs of new hunks have taken their room
local GROUND, KEY = "AcpReviewHint", "AcpReviewKey"

local namespace = api.nvim_create_namespace("acp_nvim.hunk_hint")
local group = api.nvim_create_augroup("acp_nvim.hunk_hint", {})

---@class acp.HunkHint
---@field id? integer     the hunk beside which it stands; nil: nothing is shown
---@field row? integer    where
---@field width? integer  of the text in the window for which it was made
---@field stale? boolean  the hunks of the buffer have changed since

local hints = {} ---@type table<integer, acp.HunkHint>  by buffer with pending hunks

-- Its words ------------------------------------------------------------------------------------------------------------

---@alias acp.Chunks [string, string][]

---@param told { key?: string, command: string, who?: string }
---@param word string
---@param gap string
---@return acp.Chunks
local function words_of(told, word, gap)
  if told.key then
    return { { gap .. told.key, KEY }, { " " .. word, GROUND } }
  end
  return { { gap .. told.command, KEY }, { told.who and (" (%s)"):format(told.who) or "", GROUND } }
end

---@param chunks acp.Chunks
---@return integer
local function width_of(chunks)
  local width = 0
  for _, chunk in ipairs(chunks) do
    width = width + api.nvim_strwidth(chunk[1])
  end
  return width
end

--- All that there is to say, and the same in fewer words.
---@param buf integer
---@param at integer     which of the buffer's hunks
---@param count integer  of them
---@return acp.Chunks[]
local function versions(buf, at, count)
  local told, way = key_names.told(buf), at < count and "next" or at > 1 and "previous" or nil
  ---@param gap string
  ---@param ... acp.HunkVerb
  local function of(gap, ...)
    local text = { { (" %d/%d"):format(at, count), GROUND } }
    for _, verb in ipairs({ ... }) do
      vim.list_extend(text, words_of(told[verb], verb, gap))
    end
    return text
  end
  return { of("  ", "keep", "undo", way), of(" ", "keep", "undo", way), of(" ", "keep", "undo"), of("") }
end

-- Its place ------------------------------------------------------------------------------------------------------------

---@param win integer
---@return integer
local function text_width(win)
  local info = vim.fn.getwininfo(win)[1]
  return info.width - info.textoff
end

--- How many cells are free behind a line, in the row of the screen in which it ends.
---@param win integer
---@param row integer
---@return integer
local function room(win, row)
  local width = text_width(win)
  local used = vim.fn.virtcol({ row + 1, "$" }, false, win) - 1
  if vim.wo[win].wrap then
    return used == 0 and width or -used % width
  end
  return width - math.max(0, used - vim.fn.getwininfo(win)[1].leftcol)
end

--- The rows of the hunk that are on the screen, the one of the cursor if there are none.
---@param win integer
---@param hunk acp.Hunk
---@param first integer
---@return integer[]
local function candidates(win, hunk, first)
  local top, bottom = vim.fn.line("w0", win) - 1, vim.fn.line("w$", win) - 1
  local from = math.max(first, top)
  local rows = {}
  for row = from, math.min(first + math.max(hunk.n, 1) - 1, bottom, from + FEW_ROWS) do
    rows[#rows + 1] = row
  end
  return #rows > 0 and rows or { api.nvim_win_get_cursor(win)[1] - 1 }
end

--- The longest version for which a row has room.
---@param win integer
---@param rows integer[]
---@param texts acp.Chunks[]
---@return integer? row
---@return acp.Chunks? text
local function placed(win, rows, texts)
  for _, text in ipairs(texts) do
    local width = width_of(text) + 1 -- Neovim leaves a cell between a line and what stands behind it
    for _, row in ipairs(rows) do
      if room(win, row) >= width then
        return row, text
      end
    end
  end
end

-- Shown and taken away -------------------------------------------------------------------------------------------------

---@param buf integer
local function clear(buf)
  local hint = hints[buf]
  if hint and hint.id then
    hints[buf] = { stale = hint.stale }
    if api.nvim_buf_is_loaded(buf) then
      api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
    end
  end
end

--- Is what is shown still what is to be shown?
---@param hint acp.HunkHint
---@param hunk acp.Hunk
---@param win integer
---@return boolean
local function holds(hint, hunk, win)
  local is_seen = not hint.row or hint.row >= vim.fn.line("w0", win) - 1
  return hint.id == hunk.id and not hint.stale and hint.width == text_width(win) and is_seen
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
  local row, text = placed(win, candidates(win, hunk, rows[at]), versions(buf, at, #rows))
  hints[buf] = { id = hunk.id, row = row, width = text_width(win) }
  api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
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
---@param buf integer
local function update(buf)
  local win = api.nvim_get_current_win()
  if not hints[buf] or api.nvim_win_get_buf(win) ~= buf then
    return
  end
  local mode, file = api.nvim_get_mode().mode, review.of_buffer(buf)
  -- a deleted file that is loaded still says for itself what can be done
  local is_told = file and file.buf == buf and not signs.is_hidden(buf)
  local hunk = is_told and mode:find("^[nvV\22]") and review.hunk_at_cursor() or nil
  if not hunk then
    clear(buf)
  elseif not holds(hints[buf], hunk, win) then
    draw(buf, win, hunk)
  end
end

---@param buf integer
---@param ms? integer
local function update_soon(buf, ms)
  vim.defer_fn(function()
    if api.nvim_buf_is_loaded(buf) then
      update(buf)
    end
  end, ms or 0)
end

---@param buf integer
local function attach(buf)
  hints[buf] = {}
  api.nvim_create_autocmd("CursorMoved", {
    group = group,
    buffer = buf,
    callback = function()
      update(buf)
    end,
  })
  api.nvim_create_autocmd({ "InsertLeave", "WinEnter", "BufEnter" }, {
    group = group,
    buffer = buf,
    callback = function()
      update_soon(buf)
    end,
  })
  api.nvim_create_autocmd({ "InsertEnter", "WinLeave", "BufLeave" }, {
    group = group,
    buffer = buf,
    callback = function()
      clear(buf)
    end,
  })
end

---@param buf integer
local function detach(buf)
  clear(buf)
  if hints[buf] then
    hints[buf] = nil
    if api.nvim_buf_is_valid(buf) then
      api.nvim_clear_autocmds({ group = group, buffer = buf })
    end
  end
end

--- From the first pending change on.
function M.attend()
  review.listen(function(buf, has_pending)
    if not has_pending then
      return detach(buf)
    elseif not hints[buf] then
      attach(buf)
    end
    hints[buf].stale = true
    update_soon(buf)
    update_soon(buf, DRAWN_MS)
  end, detach)
end

return M
