-- Keeps the state of every session as the backend has sent it. status(), questions() and a statusline read it without
-- RPC.
local json_null = require("acp_nvim.backend.json_null")
local outbox = require("acp_nvim.backend.outbox")
local question_versions = require("acp_nvim.backend.question_versions")
local session_changes = require("acp_nvim.backend.session_changes")

local M = {
  is_answered = question_versions.is_answered,
  on_change = session_changes.on_change,
  publish_changes = session_changes.publish,
}

---@class acp.Session
---@field status table          as the backend patches it
---@field questions table[]     the open ones, oldest first
---@field commands table[]
---@field origin table          { agent, cwd, roots, id }: to start it again; id: the agent's, of the one that it was
---@field generation integer    which start of the backend knows it
---@field sent integer          number of the last prompt we sent
---@field acked integer         number of the last prompt the backend has handled
---@field turn? integer         the turn that runs
---@field turn_began? integer   when it began, by `vim.uv.now()`
---@field unsent table<integer, { text: string, context: table[] }>  by number: prompts that no agent has been sent yet
---@field waiting integer[]    the queue as the backend has it: the numbers of the prompts
---@field orphaned? boolean     it has ended with its backend

local TAKEN = "taken" -- the agent of sessions that hold what was taken from elsewhere
local AGENTLESS = { replay = true, [TAKEN] = true }

local sessions = {} ---@type table<integer, acp.Session>
local last = 0
local focused = {} ---@type table<integer, integer[]> tabpage -> sessions, the last focused at the end

---@return string
local function shown_state(session)
  local state = session.status.state
  if session.sent <= session.acked then
    return state
  end
  -- the backend has not acknowledged a prompt yet: from the return of prompt() on the session is not idle
  local waiting = { idle = "running", stopped = "starting", failed = "starting" }
  return waiting[state] or state
end

--- A new session; its number is never given again.
---@param fields { agent: string, cwd: string, roots?: string[] }
---@return integer n
function M.new(fields)
  last = last + 1
  sessions[last] = {
    status = {
      session = last,
      agent = fields.agent,
      cwd = fields.cwd,
      state = "starting",
      turn = 0,
      queue = 0,
      pending = 0,
      held = false,
      following = false,
      paused = false,
      steering = false,
    },
    questions = {},
    commands = {},
    origin = { agent = fields.agent, cwd = fields.cwd, roots = fields.roots or {} },
    generation = 0,
    sent = 0,
    acked = 0,
    unsent = {},
    waiting = {},
  }
  session_changes.touch(last)
  return last
end

---@param n integer
---@return boolean
function M.exists(n)
  return sessions[n] ~= nil
end

--- The session's own table, not a copy.
---@param n integer
---@return acp.Session?
function M.session(n)
  return sessions[n]
end

--- The numbers of all sessions, oldest first.
---@return integer[]
function M.numbers()
  local numbers = vim.tbl_keys(sessions)
  table.sort(numbers)
  return numbers
end

--- Returns a view of the status for reading at once, not for keeping. It is no copy, since it is read with every redraw
--- and an agent can make it large.
---@param n integer
---@return table? status
function M.look(n)
  local session = sessions[n]
  if not session then
    return nil
  end
  return setmetatable({ state = shown_state(session), questions = #M.questions(n) }, { __index = session.status })
end

---@param n integer
---@return table? status  a copy
function M.get(n)
  local now = M.look(n)
  return now and vim.tbl_extend("force", vim.deepcopy(sessions[n].status), now)
end

--- Whether the session has an agent: a replay has none, nor what was taken from elsewhere.
---@param n integer
---@return boolean
function M.has_agent(n)
  return not AGENTLESS[sessions[n].origin.agent]
end

--- The sessions that hold what was taken from elsewhere, oldest first. None of them is the current one by itself.
---@return integer[]
function M.taken()
  return vim.tbl_filter(function(n)
    return M.is_taken(sessions[n].origin.agent)
  end, M.numbers())
end

--- Whether a session with that agent holds what was taken.
---@param agent? string
---@return boolean
function M.is_taken(agent)
  return agent == TAKEN
end

--- The buffer's session, else the one last focused in this tabpage, else the one last started.
---@param buf? integer  default: the current one
---@return integer?
function M.current(buf)
  local here = vim.b[buf or 0].acp_session
  if here and sessions[here] then
    return here
  end
  local order, numbers = focused[vim.api.nvim_get_current_tabpage()] or {}, M.numbers()
  for i = #order, 1, -1 do
    if sessions[order[i]] then
      return order[i]
    end
  end
  for i = #numbers, 1, -1 do
    if sessions[numbers[i]].origin.agent ~= TAKEN then
      return numbers[i]
    end
  end
  return nil
end

--- Makes `n` the session last focused in this tabpage.
---@param n integer
function M.focus(n)
  if sessions[n] and sessions[n].origin.agent == TAKEN then
    return
  end
  local tab = vim.api.nvim_get_current_tabpage()
  local order = vim.tbl_filter(function(other)
    return other ~= n and sessions[other] ~= nil
  end, focused[tab] or {})
  focused[tab] = vim.list_extend(order, { n })
end

-- Keys of a patch that do not belong to the status.
local ASIDE = { ack = true, waiting = true }

--- Merges a patch of the backend into the status; a null removes the key.
---@param n integer
---@param patch table
function M.patch(n, patch)
  local session = sessions[n]
  if not session then
    return
  end
  local before = shown_state(session)
  session.acked = math.max(session.acked, patch.ack or 0)
  session.waiting = patch.waiting or session.waiting
  if patch.ack or patch.waiting then
    outbox.forget_sent(session)
  end
  for key, value in pairs(patch) do
    if value == vim.NIL then
      value = nil
    end
    if not ASIDE[key] and not vim.deep_equal(session.status[key], value) then
      session.status[key] = json_null.clean(value)
      session_changes.touch(n)
    end
  end
  if before ~= shown_state(session) then
    session_changes.touch(n)
  end
end

--- Counts a prompt that is about to be sent, and keeps it until it has gone to the agent.
---@param n integer
---@param prompt { text: string, context: table[] }
---@return integer seq
function M.add_prompt(n, prompt)
  session_changes.touch(n)
  return outbox.add(sessions[n], prompt)
end

--- Notes the text of a prompt that the backend has written.
---@param n integer
---@param seq integer
---@param text string
function M.set_prompt_text(n, seq, text)
  local prompt = sessions[n] and sessions[n].unsent[seq]
  if prompt then
    prompt.text = text
  end
end

--- Keeps the prompts that a dead backend has not sent, under new numbers, for the next backend.
---@param n integer
---@return integer count
function M.hold_unsent(n)
  session_changes.touch(n)
  return outbox.keep_for_next(sessions[n], outbox.take(sessions[n]))
end

--- The user has edited the queue: what was added gets a number.
---@param n integer
---@param items { seq?: integer, text: string }[]
function M.edit_queue(n, items)
  session_changes.touch(n)
  outbox.edit(sessions[n], items)
end

--- The user has edited the prompts that wait for a backend.
---@param n integer
---@param numbers integer[]
function M.set_unsent(n, numbers)
  sessions[n].acked = sessions[n].sent
  M.patch(n, { waiting = numbers, queue = #numbers, held = #numbers > 0 })
end

--- The prompts that wait for a backend.
---@param n integer
---@return { seq: integer, text: string, context: table[] }[]
function M.unsent(n)
  return outbox.list(sessions[n])
end

--- The open questions of session `n`, or of all, oldest first: those with no answer on its way.
---@param n? integer
---@return table[] questions  the tables themselves
function M.questions(n)
  local open = {}
  for _, number in ipairs(n and { n } or M.numbers()) do
    for _, question in ipairs(sessions[number] and sessions[number].questions or {}) do
      if question_versions.is_open(question) then
        open[#open + 1] = question
      end
    end
  end
  if not n then
    table.sort(open, function(a, b)
      return a.id < b.id
    end)
  end
  return open
end

---@param n integer
---@param list table[]
function M.set_questions(n, list)
  if not sessions[n] then
    return
  end
  question_versions.record(list)
  sessions[n].questions = list
  session_changes.touch(n)
end

--- The open question with that id, or why there is none.
---@param id integer|string
---@return table? question
---@return string? message
function M.question(id)
  for _, question in ipairs(M.questions()) do
    if question.id == id then
      return question
    end
  end
  return nil, question_versions.why_closed(id)
end

--- Marks the question as answered; it opens again only if the backend sends a newer version.
---@param question table
function M.answered(question)
  question_versions.answer(question)
  session_changes.touch(question.session)
end

---@param n integer
---@param list table[]
function M.set_commands(n, list)
  if sessions[n] then
    sessions[n].commands = list
    session_changes.touch(n)
  end
end

--- Forgets a session that has ended.
---@param n integer
function M.drop(n)
  sessions[n] = nil
  session_changes.forget(n)
end

return M
