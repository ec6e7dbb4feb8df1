-- Represents a change of only the newline at the end of a text, as a change of its last line with the same old and new
-- text. It holds as long as that line is the last one.
--
--   before   "a\nb\n"    an agent writes "a\nb": the change is b | b, had_newline
--   later    "a\nb\n"    it writes the newline again: nothing is left to decide
local block_list = require("acp_nvim.review.block_list")
local changes = require("acp_nvim.review.change")

local M = {}

--- The blocks without a change of the newline of a line that is not the last one.
---@param blocks acp.Blocks
---@param last integer  the row of the last line
---@return acp.Blocks
function M.of_last_line(blocks, last)
  for i, change in ipairs(blocks.changes) do
    if change.had_newline ~= nil and blocks.rows[i] ~= last then
      return block_list.without(blocks, { [change.id] = true }, false)
    end
  end
  return blocks
end

--- The blocks after an agent has written a text with that last line, which is as it was.
---@param blocks acp.Blocks
---@param row integer   of the last line
---@param line string?  nil: there is none
---@param had_newline boolean
---@param has_newline boolean
---@param author acp.Author
---@return acp.Blocks
function M.changed(blocks, row, line, had_newline, has_newline, author)
  local last = #blocks.rows
  local change = blocks.changes[last]
  if change and change.had_newline ~= nil then
    local is_back = has_newline == change.had_newline
    return is_back and block_list.without(blocks, { [change.id] = true }, false) or blocks
  elseif not line or had_newline == has_newline or (last > 0 and blocks.rows[last] + #change.new > row) then
    return blocks
  end
  local new = changes.new(author, { line }, { line }, true)
  new.had_newline = had_newline
  local result = { rows = vim.list_slice(blocks.rows), changes = vim.list_slice(blocks.changes) }
  result.rows[last + 1], result.changes[last + 1] = row, new
  return result
end

return M
