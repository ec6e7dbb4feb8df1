-- For plugin managers: makes the Python environment beside the code and returns when it is there. lazy.nvim runs this
-- file by itself; others run it by dofile().
local root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
local path = package.path
package.path = root .. "/lua/?.lua;" .. path
local found, install = pcall(require, "acp_nvim.install")
package.path = path
local ok ---@type boolean?
local message = install ---@type any
if found then
  ok, message = install.wait()
end
if not ok then
  error("acp_nvim: " .. tostring(message), 0)
end
