-- Reads what is kept of a project when the first of its files is read, or when somebody asks for it. Neovim's start
-- must not feel it: what shows hunks and comments is loaded only where there are some.
local project = require("acp_nvim.project")
local records = require("acp_nvim.project.records")

local M = {}

local seen = {} ---@type table<string, true>  folders of files that have been read
local loaded = {} ---@type table<string, true>  projects

---@param root string
local function load(root)
  if loaded[root] or not records.are_kept() or not vim.uv.fs_stat(records.folder(root)) then
    return
  end
  loaded[root] = true
  require("acp_nvim.comments.follow") -- which shows what the store has read
  require("acp_nvim.comments.store").load(root)
  if #records.names(root, "review-") > 0 then
    require("acp_nvim.review.keys").attend()
    require("acp_nvim.review.key_hint").attend()
    local review = require("acp_nvim.review")
    review.recall(root)
    review.committed(root)
  end
end

--- Called for each buffer that is read from a file.
---@param buf integer
function M.read(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  local folder = vim.fs.dirname(name)
  if vim.bo[buf].buftype ~= "" or name == "" or seen[folder] then
    return
  end
  seen[folder] = true
  load(project.of_file(vim.uv.fs_realpath(name) or name))
end

--- The project of the current session, else that of Neovim's folder.
function M.here()
  load(project.here())
end

return M
