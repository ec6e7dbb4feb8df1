-- What goes to the backend once the user has decided: for each right side that is not just what the agent proposed, its
-- text, and the live text that the decision is about.
--
--    left      the live text
--    right     the live text with all of the proposal
--    decided   what the user wants instead
--    saved     what the disk shall hold: `decided` without the lines that the user has not saved
local build = require("acp_nvim.proposal.build")
local carry = require("acp_nvim.proposal.carry")
local store = require("acp_nvim.proposal.store")

local M = {}

---@class acp.FileAnswer
---@field left? string
---@field right? string
---@field decided? string
---@field saved? string
---@field takes_unsaved boolean  what the agent writes to the disk would overlap unsaved lines

--- What the agent would make of the disk, and how often that overlaps unsaved lines.
---@param file acp.ProposalFile
---@return string? body
---@return integer overlaps
local function written_by_agent(file)
  local sent, sides = file.sent, file.sides --[[@as acp.BuiltSides]]
  if not (sent.disk and sent.new and sides.left) or sent.problem or sent.plain then
    return nil, 0
  end
  local disk = build.split(sent.disk)
  local written = carry.merge((build.split(sent.base or sent.disk)), (build.split(sent.new)), disk)
  local _, overlaps = carry.merge(disk, written, sides.left)
  return written, overlaps
end

--- The decided text without unsaved lines.
---@param file acp.ProposalFile
---@param decided string
---@param written? string  by the agent
---@return string? body  nil: the user has decided on unsaved lines
local function without_unsaved(file, decided, written)
  local sides, disk =
    file.sides, --[[@as acp.BuiltSides]]
    file.sent.disk
  local body = disk and build.split(disk)
  if not body or body == sides.left or not sides.left then
    return decided
  elseif file.sent.plain then
    return nil
  end
  local saved, overlaps = carry.merge(sides.left, body, decided)
  if overlaps > 0 and written then
    saved, overlaps = carry.merge(sides.right, written, decided)
  end
  return overlaps == 0 and saved or nil
end

--- What the user wants of a file; nil: all of the proposal, and nothing has to be seen to.
---@param file acp.ProposalFile
---@return acp.FileAnswer?
local function of_file(file)
  local sides, edited = file.sides, store.edited_text(file)
  if not sides or not sides.fits or not sides.right then
    return nil
  end
  local written, overlaps = written_by_agent(file)
  if not edited and overlaps == 0 then
    return nil
  end
  local decided, saved = edited or sides.right, written
  if edited then
    saved = without_unsaved(file, edited, written)
  end
  local final = sides.right_final
  return {
    left = sides.left and build.join(sides.left, sides.left_final),
    right = build.join(sides.right, final),
    decided = build.join(decided, final),
    saved = saved and build.join(saved, final),
    takes_unsaved = overlaps > 0,
  }
end

---@param proposal acp.Proposal
---@return table<string, acp.FileAnswer>  path -> answer
function M.of(proposal)
  local found = vim.empty_dict()
  for _, file in ipairs(proposal.files) do
    found[file.path] = of_file(file)
  end
  return found
end

return M
