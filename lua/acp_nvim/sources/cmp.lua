-- Offers a source for nvim-cmp: `require("cmp").register_source("acp_nvim", require("acp_nvim.sources.cmp").new())`.
local lsp_items = require("acp_nvim.sources.lsp_items")

---@class acp.CmpSource
local M = {}

---@return acp.CmpSource
function M.new()
  return setmetatable({}, { __index = M })
end

---@return boolean
function M:is_available()
  return lsp_items.is_prompt()
end

---@return string
function M:get_debug_name()
  return "acp_nvim"
end

---@return string
function M:get_position_encoding_kind()
  return "utf-8"
end

---@return string[]
function M:get_trigger_characters()
  return lsp_items.TRIGGERS
end

---@return string
function M:get_keyword_pattern()
  return [[[/@]\%(\\ \|\S\)*]]
end

---@class acp.CmpContext
---@field bufnr integer
---@field cursor { row: integer }
---@field cursor_before_line string
---@field cursor_after_line string

---@param params { context: acp.CmpContext }
---@param callback fun(response: table)
function M:complete(params, callback)
  local context = params.context
  callback({
    items = lsp_items.at(context.bufnr, context.cursor.row, context.cursor_before_line, context.cursor_after_line),
    isIncomplete = true, -- there are more files than are ever listed
  })
end

return M
