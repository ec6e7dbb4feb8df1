-- Makes, names, fills and highlights the buffers of the two sides of a proposal.
local limits = require("acp_nvim.limits")
local safe_windows = require("acp_nvim.ui.safe_windows")

local api = vim.api
local M = {}

local APART_MS = 16

---@param buf integer
---@param text string
function M.fill(buf, text)
  local bo = vim.bo[buf]
  local modifiable = bo.modifiable
  bo.modifiable = true
  bo.undolevels = -1 -- what the agent wrote is not to be undone line by line
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, "\n", { plain = true }))
  bo.undolevels = api.nvim_get_option_value("undolevels", { scope = "global" })
  bo.modifiable, bo.modified = modifiable, false
end

---@param name string
---@param kind "nofile"|"acwrite"
---@return integer buf
function M.new(name, kind)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].buftype, vim.bo[buf].bufhidden = kind, "hide"
  vim.bo[buf].modeline, vim.bo[buf].swapfile = false, false
  api.nvim_buf_set_name(buf, name)
  return buf
end

---@param question? integer
---@param path string
---@param kind ""|"live/"
---@return string name  whose end is the file's
function M.name_of(question, path, kind)
  local scheme = (question and ("acp://proposal/%d/"):format(question) or "acp://diff/") .. kind
  local name = scheme .. vim.fn.fnamemodify(path, ":.")
  return vim.fn.bufexists(name) == 1 and scheme .. path or name -- `:cd` since that was made
end

---@param buf integer
---@param path string
---@param like integer  a buffer with the text
function M.set_filetype(buf, path, like)
  local filetype = vim.filetype.match({ filename = path, buf = like }) or ""
  if vim.bo[buf].filetype ~= filetype then
    safe_windows.run(function()
      vim.bo[buf].filetype = filetype
    end, filetype)
  end
end

--- Highlights the sides. In a long text that takes as long as the diff itself, so it is done later, one side at a time.
---@param path string
---@param like integer  a buffer with the text
---@param bufs integer[]
function M.highlight(path, like, bufs)
  local function go_on()
    local buf = table.remove(bufs, 1)
    if buf and api.nvim_buf_is_loaded(buf) and api.nvim_buf_is_loaded(like) then
      M.set_filetype(buf, path, like)
      M.highlight(path, like, bufs)
    end
  end
  if #bufs > 0 and api.nvim_buf_line_count(like) > limits.DIFF_SYNTAX_LINES then
    vim.defer_fn(go_on, APART_MS)
  else
    go_on()
  end
end

---@param buf integer?
function M.wipe(buf)
  if buf and api.nvim_buf_is_valid(buf) then
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
end

return M
