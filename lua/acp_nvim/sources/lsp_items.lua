-- Converts completion candidates of a prompt to items of the Language Server Protocol, which both completion plugins
-- take.
local completion = require("acp_nvim.prompt.completion")

local M = {}

local KINDS = vim.lsp.protocol.CompletionItemKind
---@type table<string, integer>
local KIND_OF = {
  command = KINDS.Keyword, -- a function would get brackets
  file = KINDS.File,
  buffer = KINDS.File,
  folder = KINDS.Folder,
  name = KINDS.Event,
}

M.TRIGGERS = { "/", "@" }

--- Whether this is a buffer that the source knows about.
---@param buf? integer
---@return boolean
function M.is_prompt(buf)
  return vim.bo[buf or 0].filetype == "acp_prompt"
end

--- Positions count bytes.
---@param buf integer
---@param row integer  from 1
---@param line string  up to the cursor
---@param behind string  what follows
---@return lsp.CompletionItem[]
function M.at(buf, row, line, behind)
  local n = vim.b[buf].acp_session
  if not n or not M.is_prompt(buf) then
    return {}
  end
  local above = vim.api.nvim_buf_get_lines(buf, 0, row - 1, false)
  local start, candidates = completion.candidates(n, line, not table.concat(above):find("%S"))
  local items = {}
  for i, candidate in ipairs(candidates) do
    items[i] = {
      label = candidate.word,
      filterText = candidate.word,
      sortText = ("%04d"):format(i),
      kind = KIND_OF[candidate.kind],
      labelDetails = { description = candidate.menu },
      insertTextFormat = vim.lsp.protocol.InsertTextFormat.PlainText,
      textEdit = {
        newText = candidate.word .. (candidate.blank and behind:sub(1, 1) ~= " " and " " or ""),
        range = {
          start = { line = row - 1, character = start },
          ["end"] = { line = row - 1, character = #line },
        },
      },
    }
  end
  return items
end

return M
