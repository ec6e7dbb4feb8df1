-- Tells the backend what the user has made of the right sides so far, so that the question in the chat shows what would
-- be sent: after a pause, not while the user is typing, and at once when the windows close.
local backend = require("acp_nvim.backend.process")
local side_text = require("acp_nvim.proposal.side_text")
local state = require("acp_nvim.backend.session_store")
local store = require("acp_nvim.proposal.store")

local api = vim.api
local M = {}

local PAUSE_MS = 150 -- in which changes pool

---@param proposal acp.Proposal
---@return table<string, { left?: string, right: string }>  path -> sides, of files that differ from the proposal
local function edited_files(proposal)
  local found = vim.empty_dict()
  for _, file in ipairs(proposal.files) do
    local text, sides = store.decided_text(file), file.sides
    if text and sides then
      found[file.path] = {
        left = sides.left and side_text.join(sides.left, sides.left_final),
        right = side_text.join(text, sides.right_final),
      }
    end
  end
  return found
end

--- Tells it, if it is not known yet.
---@param proposal acp.Proposal
function M.tell(proposal)
  local message = proposal.message
  if message.kind ~= "proposal" or not state.question(proposal.key) or not backend.is_running() then
    return
  end
  local edited = { question = proposal.key, version = message.version, files = edited_files(proposal) }
  local before = proposal.told_edits
  local is_same = before and before.version == edited.version
  if vim.deep_equal(edited.files, is_same and before and before.files or {}) then
    return
  end
  proposal.told_edits = edited
  backend.notify("edited", edited)
end

--- Tells what becomes of a right side while it is open.
---@param proposal acp.Proposal
---@param buf integer
function M.watch(proposal, buf)
  local is_due = false
  local function due()
    if api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode:find("^[iR]") then
      api.nvim_create_autocmd("ModeChanged", { pattern = "*:n", once = true, callback = vim.schedule_wrap(due) })
      return
    end
    is_due = false
    if store.is_open(proposal) then -- when they close it is told
      M.tell(proposal)
    end
  end
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      if not is_due then
        is_due = true
        vim.defer_fn(due, PAUSE_MS)
      end
    end,
  })
end

return M
