-- Finds the mapping that has a key, and says what it does. Mappings of plugins that only list what keys may follow,
-- such as which-key, do not count.
local printable = require("acp_nvim.ui.printable")
local M = {}

--- Whether the mapping only lists what may follow, as the trigger that which-key has in each buffer.
---@param map table  as maparg() has it
---@return boolean
local function is_trigger(map)
  local words = ((map.desc or "") .. " " .. (map.rhs or "")):lower()
  return words:find("which.?key") ~= nil or (map.nowait == 1 and map.buffer == 1 and map.callback ~= nil)
end

--- Returns the mapping that has these keys, or hides what comes behind their first ones.
---@param lhs string  as it is typed
---@param mode string
---@return table? map
function M.map_of(lhs, mode)
  local map = vim.fn.maparg(vim.fn.keytrans(lhs), mode, false, true)
  if not vim.tbl_isempty(map) then
    return (map.rhs or ""):lower() ~= "<nop>" and map or nil
  end
  for last = 1, #lhs - 1 do
    map = vim.fn.maparg(vim.fn.keytrans(lhs:sub(1, last)), mode, false, true)
    if map.nowait == 1 and not is_trigger(map) then
      return map
    end
  end
end

--- Says what a mapping does: its description, else the command that it stands for; nil: unknown.
---@param map table  as maparg() has it
---@return string?
function M.describe(map)
  local command = (map.rhs or ""):gsub("^<[Cc][Mm][Dd]>(.*)<[Cc][Rr]>$", ":%1")
  local text = printable.visible(vim.trim(map.desc or command))
  return text ~= "" and ('"%s"'):format(printable.cut(text, 24)) or nil
end

return M
