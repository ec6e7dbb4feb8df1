-- Tells whether Neovim forbids edits at the moment (|textlock|), as in an <expr> mapping that waits for a key.
local M = {}

--- Whether an error means that Neovim forbids changes at this moment, as in an <expr> mapping or a completion.
---@param err any
---@return boolean
function M.is_cause_of(err)
  local text = tostring(err)
  return text:find("E565:", 1, true) ~= nil or text:find("E523:", 1, true) ~= nil
end

---@return boolean
function M.is_on()
  -- the call is refused for the lock before it is refused for its buffer
  local _, err = pcall(vim.api.nvim_buf_set_lines, -1, 0, 0, false, {})
  return M.is_cause_of(err)
end

return M
