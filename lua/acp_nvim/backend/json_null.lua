-- Turns JSON's null into nil.
local M = {}

--- Turns every JSON null in `value` into nil, in place.
---@generic T
---@param value T
---@return T
function M.clean(value)
  if value == vim.NIL then
    return nil
  elseif type(value) == "table" then
    for key, item in pairs(value) do
      if item == vim.NIL then
        value[key] = nil
      elseif type(item) == "table" then
        M.clean(item)
      end
    end
  end
  return value
end

return M
