-- Offers a completion source for blink.cmp: `module = "acp_nvim.sources.blink"`.
local lsp_items = require("acp_nvim.sources.lsp_items")

---@class acp.BlinkSource
local M = {}

---@return acp.BlinkSource
function M.new()
  return setmetatable({}, { __index = M })
end

---@return boolean
function M:enabled()
  return lsp_items.is_prompt()
end

---@return string[]
function M:get_trigger_characters()
  return lsp_items.TRIGGERS
end

---@param context { bufnr: integer, cursor: [integer, integer], line: string }
---@param callback fun(response: table)
function M:get_completions(context, callback)
  local row, col = unpack(context.cursor)
  callback({
    items = lsp_items.at(context.bufnr, row, context.line:sub(1, col), context.line:sub(col + 1)),
    -- what fits is found again with every character: there are more files than are ever listed
    is_incomplete_forward = true,
    is_incomplete_backward = true,
  })
end

return M
