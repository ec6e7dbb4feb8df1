-- Keeps Neovim from asking about a changed file while a turn runs in its folder, whose changes we take up, or while our
-- own question about the conflict is open, be it on FocusGained or :checktime, and while we show a buffer in a window
-- that the user has not opened. Neovim still asks before a `:w`, which would overwrite the disk's lines.
local event = require("acp_nvim.system.event")
local file_changed_shell = require("acp_nvim.documents.file_changed_shell")
local find = require("acp_nvim.documents.find")
local messages = require("acp_nvim.ui.messages")
local origin = require("acp_nvim.documents.origin")
local session_store = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {}

local SETTLED_MS = 1000 -- in which the buffer has taken up what an agent has just written

local group = api.nvim_create_augroup("acp_nvim.documents.file_changed_prompt", {})
local conflicts = {} ---@type table<integer, string[]?> session -> the resolved paths of its conflicts
local folders = {} ---@type table<integer, string[]?> session in a turn -> its resolved folders
local on_found = event.new()

-- fn(path): Neovim has found a file changed while a turn runs in its folder
M.on_found = on_found.add

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

--- Whether the path is one of those, or lies below one of them.
---@param path string  resolved
---@param lists table<integer, string[]?>
---@return boolean
local function is_among(path, lists)
  return vim.iter(vim.tbl_values(lists)):flatten():any(function(place)
    return path == place or vim.startswith(path, place .. "/")
  end)
end

--- Keeps Neovim from asking about a file of ours that it has found changed. Of others it asks as ever.
---@param found { id: integer, buf: integer }
local function answer(found)
  local path = find.resolve(api.nvim_buf_get_name(found.buf))
  local listeners = vim.tbl_filter(function(each)
    return not each.buflocal or each.buffer == found.buf
  end, api.nvim_get_autocmds({ event = "FileChangedShell" }))
  local is_taken_up = vim.v.fcs_reason ~= "deleted" and is_among(path, folders)
  if is_taken_up or is_among(path, conflicts) then
    vim.v.fcs_choice = ""
  elseif #listeners == 1 then
    vim.v.fcs_choice = "ask" -- as without an autocommand
  end
  if is_taken_up then
    on_found.call(path)
  end
end

local function listen()
  api.nvim_clear_autocmds({ group = group })
  if next(conflicts) or next(folders) then
    api.nvim_create_autocmd("FileChangedShell", { group = group, callback = answer })
  end
end

--- A turn of the session has begun: until it ends, the backend takes up what changes in its folders.
---@param n integer
function M.turn_began(n)
  local place = assert(session_store.session(n)).origin
  folders[n] = vim.tbl_map(function(root)
    return (find.resolve(root):gsub("/$", ""))
  end, { place.cwd, unpack(place.roots) })
  listen()
end

---@param n integer
function M.turn_ended(n)
  folders[n] = nil
  listen()
end

--- Takes the open questions of a session.
---@param n integer
---@param questions { kind: string, path?: string }[]
function M.update(n, questions)
  local found = {}
  for _, question in ipairs(questions) do
    if question.kind == "conflict" and question.path then
      found[#found + 1] = find.resolve(question.path)
    end
  end
  conflicts[n] = #found > 0 and found or nil
  listen()
end

return M
