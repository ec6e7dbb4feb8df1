-- Tells which edits of an agent the user was asked about: a question has shown them, and was answered with yes. They are
-- decided, and do not wait again. What was written beside that, or otherwise, was not asked.
--
--   shown    a b c | a B c      allowed
--   written  a b c | a B c d    b | B is decided, and d waits
local diff = require("acp_nvim.documents.diff")
local patches = require("acp_nvim.documents.patch")
local settings = require("acp_nvim.config.settings")
local text = require("acp_nvim.documents.text")

local M = {}

---@param edit acp.Edit
---@return string
local function key(edit)
  return ("%d %d\n%s"):format(edit[1], edit[2], table.concat(edit[3], "\n"))
end

--- Tells of edits of these lines whether the user has allowed them.
---@param asked? acp.message.AskedTexts[]
---@param lines string[]
---@return nil|fun(edit: acp.Edit): boolean  nil: none of them
function M.allowed(asked, lines)
  if not asked or settings.get().review.asked ~= "keep" then
    return nil
  end
  local shown = {} ---@type table<string, true>
  for _, each in ipairs(asked) do
    local left, decided = text.split(each.left).lines, text.split(each.decided).lines
    for _, edit in ipairs((patches.up(patches.between(lines, left), diff.edits(left, decided), lines))) do
      shown[key(edit)] = true
    end
  end
  return function(edit)
    return shown[key(edit)] or false
  end
end

return M
