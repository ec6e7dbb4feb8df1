-- Tells the user's edits from the agent's, where a write is what the user has made of a proposal: a line that the user
-- has typed into it is the user's at once.
--
--   the file       a b c
--   the proposal   a B c d          the agent's own: b | B and | d
--   the user       a B c d mine     types a line
--   the agent's    a B c d          | d; and b | B as it was proposed
--   the user's     a B c d mine     on top of it
--
-- Where a user has taken a part of the agent's lines, and typed nothing, the edit is the agent's.
local diff = require("acp_nvim.documents.diff")

local M = {}

---@alias acp.OwnEdit { [1]: string[], [2]: string[] }  old and new lines of an edit that the agent has proposed

---@param own acp.OwnEdit[]
---@param side 1|2
---@return table<string, true>
local function lines_of(own, side)
  local set = {}
  for _, pair in ipairs(own) do
    for _, line in ipairs(pair[side]) do
      set[line] = true
    end
  end
  return set
end

---@param lines string[]
---@param ... table<string, true>
---@return string[]  those that are in one of the sets
local function known(lines, ...)
  local sets = { ... }
  return vim.tbl_filter(function(line)
    return vim.iter(sets):any(function(set)
      return set[line]
    end)
  end, lines)
end

---@param own acp.OwnEdit[]
---@param old string[]
---@return string[]?  what the agent has proposed in the place of these lines
local function proposed(own, old)
  for _, pair in ipairs(own) do
    if #old > 0 and vim.deep_equal(pair[1], old) then
      return pair[2]
    end
  end
end

--- Parts the edits of a write.
---@param lines string[]  the text before them
---@param edits acp.Edit[]
---@param own acp.OwnEdit[]
---@return acp.Edit[] agents
---@return acp.Edit[] users  in the rows that those of the agent leave
function M.parted(lines, edits, own)
  local olds, news = lines_of(own, 1), lines_of(own, 2)
  local agents, users, shift = {}, {}, 0
  for _, edit in ipairs(edits) do
    local old, new = vim.list_slice(lines, edit[1] + 1, edit[2]), edit[3]
    local theirs = known(new, olds, news) ---@type string[]?
    if #known(old, olds) == 0 and #known(new, news) == 0 and #theirs == 0 then
      theirs = nil -- the agent has proposed nothing here
    elseif #theirs == #new then
      theirs = new
    else
      theirs = proposed(own, old) or (#theirs > 0 and theirs or nil)
    end
    if theirs then
      agents[#agents + 1] = { edit[1], edit[2], theirs }
    end
    for _, each in ipairs(diff.edits(theirs or old, new)) do
      local row = edit[1] + shift
      users[#users + 1] = { row + each[1], row + each[2], each[3] }
    end
    shift = shift + (theirs and #theirs - #old or 0)
  end
  return agents, users
end

return M
