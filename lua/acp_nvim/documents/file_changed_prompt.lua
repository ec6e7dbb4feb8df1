-- Keeps Neovim from asking about a changed file while our own question about the conflict is open, be it on FocusGained
-- or :checktime, and while we show a buffer in a window that the user has not opened. Neovim still asks before a `:w`,
-- which would overwrite the disk's lines.
local file_changed_shell = require("acp_nvim.documents.file_changed_shell")
local find = require("acp_nvim.documents.find")
local messages = require("acp_nvim.ui.messages")
local origin = require("acp_nvim.documents.origin")

local api = vim.api
local M = {}

local SETTLED_MS = 1000 -- in which the buffer has taken up what an agent has just written

local group = api.nvim_create_augroup("acp_nvim.documents.file_changed_prompt", {})
local paths = {} ---@type table<integer, string[]?> session -> the resolved paths of its conflicts

local function answer()
  vim.v.fcs_choice = ""
end

--- Adds the autocommand to the buffers of the path: Neovim asks about no buffer that has one.
---@param path string
local function listen(path)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and find.resolve(api.nvim_buf_get_name(buf)) == path then
      api.nvim_create_autocmd("FileChangedShell", { group = group, buffer = buf, callback = answer })
    end
  end
end

---@param questions { kind: string, path?: string }[]
---@return string[]
local function conflicts(questions)
  local found = {}
  for _, question in ipairs(questions) do
    if question.kind == "conflict" and question.path then
      found[#found + 1] = find.resolve(question.path)
    end
  end
  return found
end

--- Tells the user of a change on disk that the buffer has not taken up meanwhile.
---@param buf integer
local function warn(buf)
  if api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified and origin.is_ahead(buf) then
    local name = vim.fs.basename(api.nvim_buf_get_name(buf))
    messages.show("warn", ("%s has also changed on disk: your :w will ask before overwriting it"):format(name))
  end
end

--- Calls `fn`, which shows the buffer in a window. Neovim then looks at the file and asks what to do (W12) where a
--- changed file meets unsaved lines. The next key, meant for something else, would be the answer: "l" drops the lines.
---@param buf integer
---@param fn fun()
function M.without(buf, fn)
  if file_changed_shell.answer(buf, fn) then
    vim.defer_fn(function()
      warn(buf)
    end, SETTLED_MS)
  end
end

--- Takes the open questions of a session.
---@param n integer
---@param questions { kind: string, path?: string }[]
function M.update(n, questions)
  local found = conflicts(questions)
  paths[n] = #found > 0 and found or nil
  api.nvim_clear_autocmds({ group = group })
  for _, list in pairs(paths) do
    for _, path in ipairs(list) do
      listen(path)
    end
  end
end

return M
