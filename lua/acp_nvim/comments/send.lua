-- Sends the drafts to an agent in one message: into the running turn, else as a prompt. Those on an open proposal go
-- with the user's answer to it. A draft counts as sent once it is on the wire; until then the outbox has it.
local backend = require("acp_nvim.backend.process")
local follow = require("acp_nvim.comments.follow")
local message = require("acp_nvim.comments.message")
local messages = require("acp_nvim.ui.messages")
local project = require("acp_nvim.project")
local sending = require("acp_nvim.prompt.send")
local session_store = require("acp_nvim.backend.session_store")
local store = require("acp_nvim.comments.store")

local M = {}

---@param text string
---@param n integer
---@return string  "1 comment", "2 comments"
local function counted(text, n)
  return text:format(n == 1 and "1 comment" or ("%d comments"):format(n))
end

--- Whether a prompt with the comment waits for its agent.
---@param comment acp.Comment
---@return boolean
function M.is_under_way(comment)
  for _, n in ipairs(session_store.numbers()) do
    for _, prompt in pairs(session_store.session(n).unsent) do
      for _, item in ipairs(prompt.context) do
        if item.comment == comment.id then
          return true
        end
      end
    end
  end
  return false
end

-- Comments on a proposal --------------------------------------------------------------------------------------------

--- Whether the question waits for its answer, or for the backend to confirm the answer.
---@param id integer
---@return boolean
local function is_open(id)
  return vim.iter(session_store.numbers()):any(function(n)
    return vim.iter(session_store.session(n).questions):any(function(question)
      return question.id == id
    end)
  end)
end

---@param id integer
---@return acp.Comment[]
local function drafts_on(id)
  return vim.tbl_filter(function(comment)
    return comment.question == id and comment.state == "draft"
  end, store.all())
end

--- Returns the drafts on a plan, which is refused with them.
---@param id integer  the question
---@return acp.PlanComment[]
function M.of_plan(id)
  follow.settle()
  return vim.tbl_map(function(comment)
    return { id = comment.id, first = comment.first, last = comment.last, text = comment.text }
  end, drafts_on(id))
end

local told = {} ---@type table<integer, true>  questions of whose comments the backend knows

--- Tells the backend of the comments on a question, which it sends with the answer. Those on a plan are the answer.
---@param id integer
local function tell(id)
  local comments, question = drafts_on(id), session_store.question(id)
  if question and not question.plan and backend.is_running() and (#comments > 0 or told[id]) then
    told[id] = true
    backend.notify("comments_on", { question = id, comments = message.of(comments) })
  end
end

store.on_change(function(comment)
  if comment.question then
    tell(comment.question)
  end
end)

-- A proposal that is decided, or gone with its turn, leaves its comments to the file.
session_store.on_change(function()
  for _, comment in ipairs(store.all()) do
    if comment.question and not is_open(comment.question) then
      store.leave_question(comment)
    end
  end
end)

-- The drafts --------------------------------------------------------------------------------------------------------

--- The drafts of the session's projects.
---@param n integer
---@return acp.Comment[]
function M.drafts_of(n)
  local drafts = vim.tbl_filter(function(comment)
    return comment.state == "draft"
  end, store.all())
  local roots = #drafts > 0 and project.of_session(n) or {}
  return vim.tbl_filter(function(comment)
    return roots[comment.root] ~= nil
  end, drafts)
end

--- Why nothing can be sent, though there may be drafts.
---@param drafts acp.Comment[]
---@return string
local function nothing(drafts)
  local queued = #vim.tbl_filter(M.is_under_way, drafts)
  if queued > 0 then
    return counted("%s already wait in the queue: :Acp queue", queued):gsub("^(1 comment already) wait", "%1 waits")
  elseif #drafts > 0 then
    return counted("not sent: %s will go with your answer to the proposal", #drafts)
  end
  return "no comments to send: :Acp comment adds one"
end

--- Sends all drafts to session `n`.
---@param n integer
---@return true? ok
---@return string? message
function M.send(n)
  vim.iter(vim.tbl_keys(project.of_session(n))):each(store.load)
  follow.settle()
  local drafts = M.drafts_of(n)
  local ready = vim.tbl_filter(function(comment)
    return not (comment.question and is_open(comment.question)) and not M.is_under_way(comment)
  end, drafts)
  if #ready == 0 then
    return nil, (nothing(drafts))
  end
  local items = vim.tbl_map(function(comment)
    return { comment = comment.id }
  end, ready)
  return sending.send_made(n, "send_comments", { comments = message.of(ready) }, { text = "", context = items })
end

--- Comments are on the wire to an agent.
---@param ids integer[]
function M.sent(ids)
  local count = 0
  for _, id in ipairs(ids) do
    local comment = store.get(id)
    if comment and comment.state == "draft" then
      store.change(comment, { state = "sent" })
      count = count + 1
      if not vim.startswith(comment.path, "/") then -- of a plan, which is over
        store.remove(comment)
      end
    end
  end
  if count > 0 then
    messages.show("info", counted("sent: %s", count))
  end
end

return M
