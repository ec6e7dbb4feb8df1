-- Keeps what the user has made of plans and proposals beyond the end of Neovim: a private file for each, which the next
-- proposal for that file in the project takes, whoever proposes it. What was decided is no draft.
--
--   state/acp_nvim/edits/{project}-{path, hashed}.json    { "right": what was proposed, "text": the user's version }
local history = require("acp_nvim.prompt.history")
local limits = require("acp_nvim.limits")
local regular_file = require("acp_nvim.system.regular_file")
local session_store = require("acp_nvim.backend.session_store")
local state_folder = require("acp_nvim.backend.state_folder")
local store = require("acp_nvim.proposal.store")

local uv = vim.uv
local M = {}

---@return string
local function folder()
  return vim.fs.joinpath(state_folder.path(), "edits")
end

---@param session integer
---@param path string
---@return string
local function file_of(session, path)
  local project = history.key(session_store.session(session).origin.cwd)
  return ("%s/%s-%s.json"):format(folder(), project, vim.fn.sha256(path):sub(1, 16))
end

--- Removes what nobody has asked for in a long time.
local function forget_old()
  local now = os.time()
  for name in vim.fs.dir(folder()) do
    local path = vim.fs.joinpath(folder(), name)
    local stat = uv.fs_lstat(path)
    if stat and now - stat.mtime.sec > limits.SAVED_EDITS_SECONDS then
      uv.fs_unlink(path)
    end
  end
end

--- Writes the edits of all questions that are still open, as Neovim ends.
function M.save()
  for key, proposal in pairs(history.is_kept() and store.all or {}) do
    for _, file in ipairs(session_store.question(key) and proposal.message.kind ~= "merge" and proposal.files or {}) do
      local text = store.edited_text(file)
      local saved = text and file.sides.right and vim.json.encode({ right = file.sides.right, text = text })
      if saved and #saved <= limits.SAVED_EDITS_BYTES then
        local problem = state_folder.write(file_of(proposal.message.session, file.path), "replace", saved)
        if problem then
          state_folder.warn("edits of proposals are not kept: " .. problem)
        end
      end
    end
  end
  forget_old()
end

--- Returns what a Neovim that is gone has left of a file, and removes it.
---@param session integer
---@param path string
---@return { right: string, text: string }?
function M.take(session, path)
  local name = file_of(session, path)
  local fd, stat = regular_file.reading(name)
  if not fd then
    return nil
  end
  local data = uv.fs_read(fd, math.min(stat.size, limits.SAVED_EDITS_BYTES), 0) or ""
  uv.fs_close(fd)
  uv.fs_unlink(name)
  local ok, saved = pcall(vim.json.decode, data)
  local is_whole = ok and type(saved) == "table" and type(saved.right) == "string" and type(saved.text) == "string"
  return is_whole and saved or nil
end

return M
