-- Words the bars above the two sides: what the side is, of which file, what the user should know, which keys decide.
-- `diff_windows/bar.lua` decides how much of it there is room for. Names come from the agent and are never formats.
local build = require("acp_nvim.proposal.build")
local plan_comments = require("acp_nvim.proposal.plan_comments")
local session_store = require("acp_nvim.backend.session_store")
local store = require("acp_nvim.proposal.store")

local M = {}

local PLAIN = { "too much differs to be shown as a diff", "too much for a diff" }
local SAVES_ITSELF = { "saved by the agent; refused hunks are reverted after", "agent saves it" }
local DELETES = { "deletes the file", "deletes the file" }
local STAYS = { "the file stays", "the file stays" }
local SAME_LINES = { "only the end of the last line differs", "only the end of the last line differs" }
local END_GOES = { "the last newline is removed, too", "last newline removed" }
local END_COMES = { "a newline at the end is added, too", "last newline added" }
local OUTSIDE = { "outside the folders", "outside the folders" }
local AS_SENT = ": the change is shown as sent$"
local SHORT = { [build.OVERLAP] = "both changed" }

--- The note for a newline that comes or goes at the end of the file, which a diff of lines does not show.
---@param sides acp.BuiltSides
---@return string[]?
local function note_on_end(sides)
  local left, right = sides.left, sides.right
  if not left or not right or sides.left_final == sides.right_final then
    return nil
  elseif left == right then
    return SAME_LINES
  elseif left ~= "" and right ~= "" then
    return sides.right_final and END_COMES or END_GOES
  end
end

---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return string[][]  each in long words and in short ones; the last is about what sending does
local function notes_of(proposal, file)
  local sides, found = file.sides, {} ---@type acp.BuiltSides, string[][]
  found[#found + 1] = file.sent.plain and PLAIN or nil
  if proposal.message.kind ~= "proposal" then
    return found
  end
  if sides.problem then
    found[#found + 1] = { sides.problem, SHORT[sides.problem] or (sides.problem:gsub(AS_SENT, "")) }
  end
  local on_end = note_on_end(sides)
  found[#found + 1] = file.sent.outside and OUTSIDE or nil
  found[#found + 1] = on_end
  if not proposal.message.through and sides.fits and sides.right and on_end ~= SAME_LINES then
    found[#found + 1] = SAVES_ITSELF
  end
  if not sides.right then
    found[#found + 1] = store.edited_text(file) and STAYS or DELETES
  end
  return found
end

---@param proposal acp.Proposal
---@param sides acp.BuiltSides
---@return string left
---@return string right
local function names_of(proposal, sides)
  local kind = proposal.message.kind
  if kind == "merge" then
    return "yours", proposal.message.stays and "your buffer, unsaved" or "what will be saved"
  elseif kind == "plan" then
    return "", "plan"
  elseif kind == "view" then
    return "before", not sides.right and "before" or sides.left and "after" or "new file"
  end
  return "now", not sides.right and "now" or not sides.left and sides.fits and "new file" or "proposed"
end

---@param file acp.ProposalFile
---@return boolean
local function is_refused(file)
  return store.edit_state(file) == "refused"
end

--- What `:w` does: it goes on to a file that is undecided, or sends all of the proposal, the user's version or a
--- refusal.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return string  name of a key
local function write_key(proposal, file)
  local rejects_file = store.is_one_hunk(file.sides) and is_refused(file)
  local is_whole, all_refused = true, true
  local is_one_decision = store.is_one_decision(proposal)
  for _, each in ipairs(proposal.files) do
    if each ~= file and not each.decided and not is_one_decision then
      return rejects_file and "refuse_file_next" or "next_file"
    end
    is_whole = is_whole and store.edited_text(each) == nil
    all_refused = all_refused and is_refused(each)
  end
  if is_one_decision then
    return all_refused and "refuse_all" or "go_back"
  elseif rejects_file then
    return all_refused and "refuse_file" or "refuse_file_last"
  end
  return is_whole and "send" or all_refused and "refuse_all" or "send_yours"
end

--- What `:w` does with a plan: agrees to it, or refuses it, with what the user has made of it as the next message.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return string[]  names of keys
local function plan_keys(proposal, file)
  local is_commented = #plan_comments.of(proposal.key) > 0
  if is_refused(file) and not is_commented then
    return { "refuse_plan", "later" }
  elseif store.edited_text(file) then
    return { "send_plan", "later" }
  end
  return { is_commented and "send_comments" or "accept_plan", "reject", "later" }
end

---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return string[]  names of keys
local function keys_of(proposal, file)
  local kind, sides, is_diff = proposal.message.kind, file.sides, not file.sent.plain
  if kind == "view" then
    return { "close" }
  elseif kind == "plan" then
    return plan_keys(proposal, file)
  elseif kind == "merge" then
    local last = { proposal.message.stays and "merge" or "save", "later" }
    return is_diff and { "yours", unpack(last) } or last
  end
  local write = write_key(proposal, file)
  if write == "refuse_all" or write == "refuse_file" then
    return { write, "later" }
  end
  -- alone, a file that is created or deleted is refused by `:Acp reject` as well
  local is_part = not store.is_one_hunk(sides) or #proposal.files > 1 and not is_refused(file)
  return is_diff and sides.fits and is_part and { "refuse", write, "reject", "later" } or { write, "reject", "later" }
end

--- The bars of both sides. Without a left side the right one tells all.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return acp.SideBar? left
---@return acp.SideBar right
---@return string? note  the first, in long words; none of a deletion, which the bar says at every width
function M.of(proposal, file)
  local left, right = names_of(proposal, file.sides)
  local is_alone = store.is_one_hunk(file.sides)
  if #session_store.numbers() > 1 then -- on the bar that names the file, too
    local whose = ("%%s (session %d)"):format(proposal.message.session)
    left, right = whose:format(left), is_alone and whose:format(right) or right
  end
  local notes, keys = notes_of(proposal, file), keys_of(proposal, file)
  local is_plan = proposal.message.kind == "plan"
  local about = { path = not is_plan and file.sent.shown or nil, at = proposal.at, of = #proposal.files, notes = notes }
  local note = notes[1] and notes[1] ~= DELETES and notes[1] ~= STAYS and notes[1][1] or nil
  if is_alone then
    return nil, vim.tbl_extend("error", about, { name = right, keys = keys }), note
  end
  return vim.tbl_extend("error", about, { name = left }), { name = right, keys = keys }, note
end

return M
