-- Runs `:Acp {command}` for a key, and tells the command which key it was: an answer by key counts only once the
-- question has been on the screen for a moment, a typed command counts at once.
local M = {}

local running ---@type string?  the key of the command that runs

---@param command string
---@param key? string  as the user knows it
function M.run(command, key)
  running = key or "the key"
  local ok, problem = pcall(vim.cmd, "Acp " .. command)
  running = nil
  if not ok then
    error(problem, 0)
  end
end

--- Returns the key that runs the current command; nil if the command was typed.
---@return string?
function M.key()
  return running
end

return M
