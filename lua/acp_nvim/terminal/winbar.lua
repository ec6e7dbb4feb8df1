-- The winbar of terminals and of their list, and the keys that it names.
local M = { STOP = "   <C-c> stop", CLOSE = "   q close" }

---@param win integer
---@param text string
function M.set(win, text)
  local bar = "%#AcpWinbar# " .. text:gsub("%%", "%%%%") .. "%<"
  vim.api.nvim_set_option_value("winbar", bar, { win = win, scope = "local" })
end

---@param buf integer
---@param modes string|string[]
---@param key string
---@param desc string
---@param run fun()
function M.map(buf, modes, key, desc, run)
  vim.keymap.set(modes, key, run, { buffer = buf, nowait = true, desc = desc })
end

return M
