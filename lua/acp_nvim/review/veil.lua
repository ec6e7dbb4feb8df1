-- While a buffer is a side of one of our diffs, review draws nothing in it: its virtual lines would push the two sides out
-- of line, and its colours would be taken for the proposal's. It is drawn again once the diff is closed.
local book = require("acp_nvim.review.book")
local deleted = require("acp_nvim.review.deleted")
local hunks = require("acp_nvim.hunks")
local listeners = require("acp_nvim.review.listeners")

local M = {}

local veiled = {} ---@type table<acp.DiffWindows, integer>  diff -> the buffer in it

---@param buf integer
local function update(buf)
  local is_veiled = vim.list_contains(vim.tbl_values(veiled), buf)
  if hunks.is_hidden(buf) == is_veiled then
    return
  end
  local file = vim.api.nvim_buf_is_loaded(buf) and book.of_buffer(buf) or nil
  hunks.set_hidden(buf, is_veiled, file and file.buf == buf and file.hunks or {})
  if file and file.left == buf then
    deleted.show(book.find(file.path) or file.path, file)
  elseif file and file.buf == buf then
    listeners.announce(buf, book.has_pending(file))
  end
end

--- That buffer is the left side of the diff from now on.
---@param sides acp.DiffWindows
---@param buf? integer  nil: none
function M.set(sides, buf)
  local before = veiled[sides]
  veiled[sides] = buf
  for _, each in pairs({ before or buf, buf }) do
    update(each)
  end
end

return M
