-- Reads what is kept of a project when the first of its files is read. Neovim's start must not feel it: what shows
-- comments is loaded only where there are some.
local project = require("acp_nvim.project")
local records = require("acp_nvim.project.records")

local M = {}

local seen = {} ---@type table<string, true>  folders of files that have been read

--- Called for each buffer that is read from a file.
---@param buf integer
function M.read(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  local folder = vim.fs.dirname(name)
  if vim.bo[buf].buftype ~= "" or name == "" or seen[folder] then
    return
  end
  seen[folder] = true
  local root = project.of_file(vim.uv.fs_realpath(name) or name)
  if vim.uv.fs_stat(records.folder(root)) and records.are_kept() then
    require("acp_nvim.comments.follow") -- which shows what the store has read
    require("acp_nvim.comments.store").load(root)
  end
end

return M
