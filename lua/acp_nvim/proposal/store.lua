-- Keeps the proposals by question: those whose windows are open, and those of which the user has edited or decided
-- something before closing them.
local diff_windows = require("acp_nvim.proposal.diff_windows")
local session_store = require("acp_nvim.backend.session_store")
local side_text = require("acp_nvim.proposal.side_text")

local api = vim.api
local M = {}

---@class acp.ProposalMessage  from the backend, once for each version of a question
---@field kind "proposal"|"merge"|"plan"|"view"  merge: of a conflict; view: only to look at
---@field question? integer  none: a look at what a tool call has done
---@field session integer
---@field version? integer
---@field files acp.AgentsFile[]
---@field through? boolean  the agent writes through us
---@field stays? boolean    of a conflict: the merged text stays in the buffer, and the user saves it
---@field focus? boolean
---@field auto? boolean     opens only before an idle user
---@field renews? boolean   it is only to take the place of an earlier version
---@field refuse? boolean   the next file is refused, no window opens

---@class acp.ProposalFile
---@field sent acp.AgentsFile
---@field path string
---@field name string
---@field sides? acp.BuiltSides  once it has been shown; nil: nobody has looked at it
---@field buf? integer      of the right side
---@field left_buf? integer of the left side, where it is ours
---@field is_filled? boolean  the buffer holds the right side
---@field right_side? acp.RightSide  whose its lines are; nil: the user has not touched it
---@field history? acp.SideHistory
---@field decided? boolean  by `:w` in its right side
---@field changed? boolean  by the agent, since the user has seen it

---@alias acp.EditState "edited"|"refused"  refused: as a whole

---@class acp.Proposal
---@field key integer
---@field message acp.ProposalMessage  the newest version
---@field files acp.ProposalFile[]     of that version
---@field at integer        which file is before the user
---@field windows? acp.DiffWindows  nil: they are closed
---@field stop_following? fun()  the live text of the file that is before the user
---@field list? integer     id of the quickfix list
---@field told_edits? { version: integer, files: table<string, acp.EditState> }  that the backend knows
---@field tells_soon? boolean  the backend will be told
---@field told_unsent? boolean  that a write of nobody's was no answer
---@field marked? integer   buffer with marks at unsaved lines

M.VIEW = 0 -- the key of a look that is no question
M.all = {} ---@type table<integer, acp.Proposal>

--- Are its windows open, in whatever tabpage?
---@param proposal acp.Proposal
---@return boolean
function M.is_open(proposal)
  return M.all[proposal.key] == proposal and proposal.windows ~= nil
end

--- Are its windows in this tabpage?
---@param proposal acp.Proposal
---@return boolean
function M.is_here(proposal)
  return diff_windows.is_open(proposal.windows) and proposal.windows.tab == api.nvim_get_current_tabpage()
end

--- The file that the windows show.
---@param proposal acp.Proposal
---@return acp.ProposalFile
function M.current_file(proposal)
  return proposal.files[proposal.at]
end

--- The proposal on one of whose sides the user is.
---@param win? integer  where the user is; default: the current window
---@return acp.Proposal?
function M.under_cursor(win)
  win = win or api.nvim_get_current_win()
  for key, proposal in pairs(M.all) do
    local windows = proposal.windows
    if key ~= M.VIEW and diff_windows.is_open(windows) and (windows.left == win or windows.right == win) then
      return proposal
    end
  end
end

--- The file of which a buffer is a side.
---@param buf integer
---@return { path: string, question: integer, is_proposed: boolean }?  path: a plan is no file, so the buffer's name
function M.side_of(buf)
  for key, proposal in pairs(M.all) do
    for _, file in ipairs(key ~= M.VIEW and proposal.files or {}) do
      if file.buf == buf or file.left_buf == buf then
        local path = proposal.message.kind == "plan" and api.nvim_buf_get_name(buf) or file.path
        return { path = path, question = key, is_proposed = file.buf == buf }
      end
    end
  end
end

--- The text that the right window shows before the user changes it: what will be, or of a deleted file what goes.
---@param sides acp.BuiltSides
---@return string body
function M.proposed_text(sides)
  return sides.right or sides.left or ""
end

--- Is the file created or deleted? Then one window shows it, as one hunk.
---@param sides acp.BuiltSides
---@return boolean
function M.is_one_hunk(sides)
  return not (sides.left and sides.right)
end

--- The text of the right window.
---@param file acp.ProposalFile
---@return string?  body; nil: nobody has looked at it
local function text_of(file)
  if file.is_filled and api.nvim_buf_is_loaded(file.buf) then
    return side_text.of_buffer(file.buf)
  end
  return file.right_side and side_text.body(file.right_side.lines) or file.sides and M.proposed_text(file.sides)
end

--- The text of the right window that the user has changed.
---@param file acp.ProposalFile
---@return string?  body; nil: it is as it was proposed
function M.edited_text(file)
  local text = file.sides and text_of(file)
  return text ~= (file.sides and M.proposed_text(file.sides)) and text or nil
end

--- The text that the file shall have, where that is not the proposal. An empty window refuses to delete the file.
---
---    new file        text   refused: ""     no such file
---    deleted file    text   refused: ""     the file stays: text
---@param file acp.ProposalFile
---@return string? body
function M.decided_text(file)
  local edited = M.edited_text(file)
  return edited == "" and not file.sides.right and file.sides.left or edited
end

--- What the user has made of a file so far.
---@param file acp.ProposalFile
---@return acp.EditState?  nil: it is as it was proposed
function M.edit_state(file)
  local decided = M.decided_text(file)
  return decided and (decided == (file.sides.left or "") and "refused" or "edited") or nil
end

--- The right sides of a question that the user has changed.
---@param key integer
---@return table<string, string>  path -> body
function M.edited(key)
  local texts = {}
  for _, file in ipairs(M.all[key] and M.all[key].files or {}) do
    texts[file.path] = M.edited_text(file)
  end
  return texts
end

--- Whether the first `:w` decides all files: they go back together.
---@param proposal acp.Proposal
---@return boolean
function M.is_one_decision(proposal)
  local question = session_store.question(proposal.key)
  return question ~= nil and question.kind == "restore"
end

return M
