-- Comments lines by an operator with a motion; `.` repeats the motion and asks for another text.
local M = {}

local view ---@type table?  of the window when a selection was taken

--- Called by `g@`.
function M.operate()
  if view then
    vim.fn.winrestview(view)
    view = nil
  end
  local first, last = vim.fn.line("'["), vim.fn.line("']")
  vim.cmd.Acp({ "comment", range = { first, math.max(first, last) } })
end

--- The keys of an expression mapping: in normal mode a motion follows.
---@return string keys
function M.operator()
  view = vim.api.nvim_get_mode().mode:find("^[vV\22]") and vim.fn.winsaveview() or nil
  vim.o.operatorfunc = "v:lua.require'acp_nvim.comments.keys'.operate"
  return "g@"
end

return M
