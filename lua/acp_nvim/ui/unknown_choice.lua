-- Makes the message that a choice does not exist, with the one that was probably meant, or with all choices.
local did_you_mean = require("acp_nvim.ui.did_you_mean")
local printable = require("acp_nvim.ui.printable")

local M = {}

local MOST_NAMED = 8

---@param ids string[]
---@return string  "ask, code or plan"
local function listed(ids)
  if #ids > MOST_NAMED then
    return table.concat(vim.list_slice(ids, 1, MOST_NAMED), ", ") .. ", …"
  end
  local last = ids[#ids] or "nothing"
  return #ids < 2 and last or ("%s or %s"):format(table.concat(vim.list_slice(ids, 1, #ids - 1), ", "), last)
end

--- Returns the message in one line, such as "no mode 'plann': did you mean 'plan'?".
---@param what string
---@param id any
---@param choices { id: string|boolean }[]
---@return string
function M.message(what, id, choices)
  local ids = vim.tbl_map(function(choice)
    return tostring(choice.id)
  end, choices)
  local near = did_you_mean(ids, tostring(id))
  local hint = near and (": did you mean '%s'?"):format(near) or (". Choose " .. listed(ids))
  return printable.visible(("no %s '%s'%s"):format(what, tostring(id), hint))
end

return M
