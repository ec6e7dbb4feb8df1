-- Tells which problems language servers and linters have reported.
local find = require("acp_nvim.documents.find")
local hidden_files = require("acp_nvim.editor_tools.hidden_files")
local later = require("acp_nvim.editor_tools.later")

local api = vim.api
local M = {}

local FIRST_MS = 3000 -- for the first diagnostics of a file that has just been loaded

---@param buf? integer
---@param worst integer
---@return table[]
local function reported(buf, worst)
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(buf, { severity = { min = worst } })) do
    if find.is_file(each.bufnr) then
      found[#found + 1] = {
        path = api.nvim_buf_get_name(each.bufnr),
        line = each.lnum + 1,
        column = each.col + 1,
        severity = each.severity,
        text = each.message,
        source = each.source,
      }
    end
  end
  return found
end

--- Lists the problems of a file, or of all; `severity` is Neovim's number of the mildest.
---@param arguments { path?: string, severity: integer }
---@param done acp.editor_tools.Done
function M.list(arguments, done)
  if not arguments.path then
    return done({ problems = reported(nil, arguments.severity) })
  end
  local buf, is_fresh = hidden_files.open(arguments.path)
  if not buf then
    return done({ missing = true })
  end
  local function answer(has_come)
    local there = api.nvim_buf_is_valid(buf) and reported(buf, arguments.severity) or {}
    local clients = vim.lsp.get_clients({ bufnr = buf })
    done({ problems = there, silent = not has_come or nil, unattended = #clients == 0 or nil })
  end
  if not is_fresh then
    return answer(true)
  end
  later.wait("DiagnosticChanged", buf, FIRST_MS, answer)
end

return M
