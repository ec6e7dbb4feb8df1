-- Offers the user's comments on lines of files, of pending changes and of proposals. They belong to a project, survive
-- a restart, and are sent to an agent in one message.
--
--   is made       target (which lines) > store (all of them, and their record on the disk)
--   stays there   follow (edits, undo, another text) > place; agent_changes (done)
--   is shown      marks
--   is sent       message > send; one on an open proposal goes with its answer
local agent_changes = require("acp_nvim.comments.agent_changes")
local follow = require("acp_nvim.comments.follow")
local limits = require("acp_nvim.limits")
local marks = require("acp_nvim.comments.marks")
local project = require("acp_nvim.project")
local send = require("acp_nvim.comments.send")
local session_store = require("acp_nvim.backend.session_store")
local store = require("acp_nvim.comments.store")
local subject = require("acp_nvim.comments.subject")
local target = require("acp_nvim.comments.target")

local M = {
  changed_on_disk = agent_changes.changed_on_disk,
  in_buffer = target.in_buffer,
  in_file = target.in_file,
  in_proposal = target.in_proposal,
  in_lines = follow.in_lines,
  of_plan = send.of_plan,
  on_change = store.on_change,
  provide_sides = subject.provide_sides,
  removed_at = target.removed_at,
  resolve = target.resolve,
  send = send.send,
  sent = send.sent,
  words = marks.words,
}

local QUEUED = "this comment waits in the queue: :Acp queue edits what is sent"

---@param text any
---@return string? text
---@return string? message
local function checked(text)
  if type(text) ~= "string" or vim.trim(text) == "" then
    return nil, "a comment needs a text"
  elseif #text > limits.COMMENT_BYTES then
    return nil, ("a comment may have %d KiB: send a longer text as a prompt"):format(limits.COMMENT_BYTES / 1024)
  end
  return vim.trim(text)
end

--- Adds a comment.
---@param about acp.NewComment
---@param text any
---@return integer? id
---@return string? message
function M.add(about, text)
  local words, message = checked(text)
  if not words then
    return nil, message
  end
  return store.add(vim.tbl_extend("error", { text = words }, about)).id
end

---@param id any
---@return acp.Comment? comment
---@return string? message
local function found(id)
  local comment = store.get(id)
  return comment, not comment and ("there is no comment %s"):format(tostring(id)) or nil
end

--- Gives a comment another text or state. One that was sent is a draft again when its text changes.
---@param id any
---@param text any    nil: as it was
---@param new_state any  nil: as follows from the text
---@return integer? id
---@return string? message
function M.change(id, text, new_state)
  local comment, message = found(id)
  if not comment then
    return nil, message
  elseif text ~= nil then
    text, message = checked(text)
  end
  if message then
    return nil, message
  elseif new_state ~= nil and not vim.list_contains({ "draft", "sent", "done" }, new_state) then
    return nil, ("a comment is 'draft', 'sent' or 'done', not '%s'"):format(tostring(new_state))
  elseif text and text ~= comment.text and send.is_under_way(comment) then
    return nil, QUEUED
  end
  local is_new = text and text ~= comment.text
  local now = new_state or (is_new and "draft") or comment.state
  if is_new or now ~= comment.state then
    store.change(comment, { text = text or comment.text, state = now })
  end
  return comment.id
end

--- Removes a comment.
---@param id any
---@return true? ok
---@return string? message
function M.remove(id)
  local comment, message = found(id)
  if not comment then
    return nil, message
  elseif send.is_under_way(comment) then
    return nil, QUEUED
  end
  store.remove(comment)
  return true
end

--- Reads the comments of the projects that the user is in: of the current file, and of the current session.
function M.load()
  local n, shown = session_store.current(), subject.of(vim.api.nvim_get_current_buf())
  local roots = n and project.of_session(n) or { [project.of_folder(vim.fn.getcwd())] = true }
  if shown and vim.startswith(shown.path, "/") then
    roots[project.of_file(shown.path)] = true
  end
  vim.iter(vim.tbl_keys(roots)):each(store.load)
end

--- Another Neovim may have changed them while the user was there.
vim.api.nvim_create_autocmd("FocusGained", {
  group = vim.api.nvim_create_augroup("acp_nvim.comments.focus", {}),
  callback = store.load_again,
})

--- Returns the comments of all projects that have been looked at, in the order of their paths and lines.
---@return acp.Comment[]
function M.all()
  follow.settle()
  return store.all()
end

local counts = {} ---@type table<integer, integer>  drafts by session: statuslines ask with every redraw

store.on_change(function()
  counts = {}
end)

--- How many comments of the session's projects have not been sent.
---@param n integer
---@return integer
function M.count_drafts(n)
  counts[n] = counts[n] or #send.drafts_of(n)
  return counts[n]
end

return M
