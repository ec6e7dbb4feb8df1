-- The proposals that lie open, by question, and what the user has made of those whose windows are closed.
local abreast = require("acp_nvim.abreast")
local sides = require("acp_nvim.sides")

local api = vim.api
local M = {}

---@class acp.ProposalFile
---@field path string
---@field name string      as it is shown
---@field decided? boolean

---@class acp.ProposedText
---@field path string
---@field left string      lines, joined
---@field right string
---@field text? string     what stands on the right side, where the user has made something of it
---@field follows? boolean the right side is the file with the proposal: what the user changes there is on both

---@class acp.ProposedSide: acp.ProposedText
---@field question? integer  none: a look at what a tool call has done
---@field session integer
---@field version? integer
---@field focus boolean
---@field auto? boolean      opens only before an idle user
---@field at integer         which of the files
---@field files acp.ProposalFile[]
---@field plain? boolean     too much differs: Neovim would stand still over it as a diff
---@field live? boolean      the left side is the file itself where it is loaded
---@field others? acp.ProposedText[]  the other files, where all have changed
---@field first integer[]    the first change: its line left and right
---@field unsaved? integer[]  rows of the left side: lines of the user's, not saved, that the right side replaces
---@field editable boolean
---@field note? string       what the user should know of it
---@field left_bar? acp.SideBar  none: there is nothing on the left, and no window for it
---@field right_bar acp.SideBar
---@field verb? "merged"     what `:w` sends; "decide" without
---@field final? boolean     the merged text ends with a line end

---@class acp.Proposal
---@field shown acp.ProposedSide
---@field sides? acp.Sides
---@field lefts table<string, integer>   path -> buffer, where it is ours
---@field rights table<string, integer>  path -> buffer
---@field pages table<string, acp.Right> path -> what has been shown on the right side
---@field changed table<string, true>   paths of files that have come or changed while another one was shown
---@field follower? acp.Abreast
---@field told_texts? table<string, string>  what the backend has been told of the user's
---@field list? integer                 id of the quickfix list
---@field told? boolean                the note
---@field told_unsent? boolean         that a write of nobody's was no answer
---@field marked? integer              buffer with marks at unsaved lines

---@class acp.Kept
---@field text string
---@field page? acp.Right  of that version of the question
---@field version? integer of the question, when the user made it

M.VIEW = 0 -- the key of a look that is no question

M.open = {} ---@type table<integer, acp.Proposal>
M.kept = {} ---@type table<integer, table<string, acp.Kept>> question -> path -> what the user had made of it

---@param proposal acp.Proposal
---@return integer
function M.key_of(proposal)
  return proposal.shown.question or M.VIEW
end

---@param proposal acp.Proposal
---@return boolean
function M.is_open(proposal)
  return M.open[M.key_of(proposal)] == proposal
end

--- Are its windows in this tabpage?
---@param proposal acp.Proposal
---@return boolean
function M.is_here(proposal)
  return sides.is_open(proposal.sides) and proposal.sides.tab == api.nvim_get_current_tabpage()
end

--- The path of the file that is before the user.
---@param proposal acp.Proposal
---@return string
function M.path_of(proposal)
  return proposal.shown.files[proposal.shown.at].path
end

---@param key integer
---@param path string
---@return acp.Kept?
function M.kept_of(key, path)
  return M.kept[key] and M.kept[key][path]
end

--- The proposal on one of whose sides the user is.
---@return acp.Proposal?
function M.under_cursor()
  local win = api.nvim_get_current_win()
  for key, proposal in pairs(M.open) do
    local is_ours = sides.is_open(proposal.sides) and (proposal.sides.left == win or proposal.sides.right == win)
    if key ~= M.VIEW and is_ours then
      return proposal
    end
  end
end

--- The right sides that the user has changed.
---@param key integer
---@return table<string, string>  path -> text
function M.changed(key)
  local proposal, texts = M.open[key], {}
  for path, each in pairs(M.kept[key] or {}) do
    texts[path] = each.text
  end
  for path, page in pairs(proposal and proposal.pages or {}) do
    if api.nvim_buf_is_loaded(page.buf) then
      local text = abreast.text_of(page.buf)
      texts[path] = text ~= page.came and text or nil
    end
  end
  return texts
end

--- The version of the question that the right sides are about.
---@param key integer
---@return integer?
function M.version_of(key)
  if M.open[key] then
    return M.open[key].shown.version
  end
  local _, kept = next(M.kept[key] or {})
  return kept and kept.version
end

--- The two sides, where the live text is not what the backend has made them of.
---@param key integer
---@return table<string, { left: string, right: string }>
function M.moved_sides(key)
  local proposal, found = M.open[key], {}
  local function note(path, page)
    found[path] = page and page.base ~= page.told and { left = page.base, right = page.came } or nil
  end
  for path, each in pairs(M.kept[key] or {}) do
    note(path, each.page)
  end
  for path, page in pairs(proposal and proposal.pages or {}) do
    note(path, page)
  end
  return next(found) and found or vim.empty_dict()
end

--- What the user has made of the right sides, for the backend, which merges it with what is new.
---@param question integer
---@return table? said  texts: path -> text; nil: there is nothing to keep step
function M.texts(question)
  local proposal, texts = M.open[question], M.changed(question)
  if not proposal and not next(texts) then
    return nil
  elseif proposal then
    proposal.told_texts = texts
  end
  texts = next(texts) and texts or vim.empty_dict()
  return { texts = texts, sides = M.moved_sides(question), open = proposal ~= nil }
end

return M
