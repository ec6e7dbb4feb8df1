-- Makes the answer to the backend: the text of each right side that differs from what the agent proposed, and the live
-- text that the decision is about.
--
--    left      a b c d     the live text: d is unsaved
--    right     a B C d     the live text with all of the proposal
--    decided   a B c d U   what the user wants instead
--    mine      a b c d U   what of that is the user's
--    saved     a B c U     what the disk shall hold: `decided` without the lines that the user has not saved
local build = require("acp_nvim.proposal.build")
local encoding = require("acp_nvim.documents.encoding")
local origin = require("acp_nvim.documents.origin")
local side_text = require("acp_nvim.proposal.side_text")
local store = require("acp_nvim.proposal.store")

local M = {}

---@class acp.FileAnswer
---@field left? string
---@field right? string
---@field decided? string
---@field mine? string
---@field saved? string
---@field written? string  what the agent makes of the disk
---@field takes_unsaved boolean  with unsaved lines, what the agent writes to the disk is not the right side

--- What the disk holds under the unsaved lines. The user may have saved since the agent asked.
---@param file acp.ProposalFile
---@return string? body
local function disk_of(file)
  local _, buf = build.live(file.sent)
  if buf and not vim.bo[buf].modified then
    return file.sides.left
  end
  local data = buf and origin.data(buf)
  local on_disk = data and encoding.text(buf, data)
  if on_disk then
    return side_text.body(on_disk.lines)
  end
  return file.sent.disk and (side_text.split(file.sent.disk))
end

--- What the agent would make of the disk, and whether unsaved lines make it something else than the right side: the
--- two overlap, or the agent replaces a text everywhere, which stands in unsaved lines, too.
---@param file acp.ProposalFile
---@param disk? string  body
---@return string? body
---@return boolean takes_unsaved
local function written_by_agent(file, disk)
  local sent, sides = file.sent, file.sides --[[@as acp.BuiltSides]]
  if not (disk and sent.disk and sent.new and sides.left) or sent.problem then
    return nil, false
  end
  local written = side_text.merge((side_text.split(sent.base or sent.disk)), (side_text.split(sent.new)), disk)
  local merged, overlaps = side_text.merge(disk, written, sides.left)
  return written, overlaps or merged ~= sides.right
end

--- The decided text without unsaved lines.
---@param file acp.ProposalFile
---@param decided string
---@param disk? string
---@param written? string  by the agent
---@return string? body  nil: the user has decided on unsaved lines
local function without_unsaved(file, decided, disk, written)
  local sides = file.sides --[[@as acp.BuiltSides]]
  if not disk or disk == sides.left or not sides.left then
    return decided
  end
  local saved, overlaps = side_text.merge(sides.left, disk, decided)
  if overlaps and written then
    saved, overlaps = side_text.merge(sides.right, written, decided)
  end
  return not overlaps and saved or nil
end

--- What the user wants of a file; nil: all of the proposal, which the agent may write itself.
---@param file acp.ProposalFile
---@return acp.FileAnswer?
local function of_file(file)
  local sides, edited = file.sides, store.decided_text(file)
  if not sides or not sides.fits then
    return nil
  end
  local disk = disk_of(file)
  local written, takes_unsaved = written_by_agent(file, disk)
  if not edited and not takes_unsaved then
    return nil
  end
  local decided, saved, mine = edited or sides.right or "", written, sides.left
  if edited then
    saved = without_unsaved(file, edited, disk, written)
    mine = sides.right and file.right_side and side_text.body(file.right_side.mine) or edited
  end
  local final = sides.right_final
  if not sides.right then
    final = sides.left_final
  end
  return {
    left = sides.left and side_text.join(sides.left, sides.left_final),
    right = sides.right and side_text.join(sides.right, final),
    decided = side_text.join(decided, final),
    mine = mine and mine ~= "" and side_text.join(mine, sides.left and sides.left_final or final) or nil,
    saved = saved and side_text.join(saved, final),
    written = written and side_text.join(written, final),
    takes_unsaved = takes_unsaved,
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
