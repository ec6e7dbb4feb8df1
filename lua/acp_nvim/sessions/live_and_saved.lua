-- Merges the sessions that live here with those that the agents have saved: each is listed once.
local session_store = require("acp_nvim.backend.session_store")
local state_words = require("acp_nvim.chat.state_words")

local M = {}

---@class acp.Listed     what one agent has saved, as the backend tells it
---@field agent string
---@field state "none"|"asking"|"more"|"done"|"cut"|"failed"
---@field error? string
---@field can { load: boolean, resume: boolean, fork: boolean, delete: boolean }
---@field sessions { id: string, title?: string, cwd?: string, updated?: integer }[]

---@class acp.SessionLine
---@field key string        the same session has the same one each time
---@field session? integer  it lives here
---@field id? string        the agent's
---@field agent string
---@field cwd string
---@field title string
---@field state string
---@field hl string
---@field updated? integer  when something last happened in it
---@field first_words? string  of its user
---@field questions integer  that are open
---@field pending integer    changes that wait in review
---@field can table<string, boolean>
---@field subagent? { session: integer, id: string }  it is one that the agent has begun in that session

local listings = {} ---@type acp.Listed[]
local first_words = {} ---@type table<string, string>  the agent's id of a session -> how its transcript begins

---@class acp.Activity
---@field seen string  what the session did when it was looked at last
---@field at integer   since when, in seconds since 1970

local activities = {} ---@type table<integer, acp.Activity>  by session

--- Notes when something happens in a session: a turn begins or ends, a question comes.
---@param n integer
local function note_activity(n)
  local status = session_store.look(n)
  if not status then
    activities[n] = nil
    return
  end
  local seen = ("%s %s %s"):format(status.state, status.turn, status.questions)
  if not activities[n] or activities[n].seen ~= seen then
    activities[n] = { seen = seen, at = os.time() }
  end
end

session_store.on_change(note_activity)

--- Sets how the kept conversations begin.
---@param words table<string, string>
function M.set_first_words(words)
  first_words = words
end

--- Replaces the list of saved sessions.
---@param list acp.Listed[]
function M.set_saved(list)
  listings = list
end

--- Notes which agents the backend is about to ask, until it says so itself: those that run, else the one it starts.
---@param default? string
function M.begin_asking(default)
  if #listings > 0 then
    return
  end
  local agents = {} ---@type table<string, true>
  for _, n in ipairs(session_store.numbers()) do
    local status = session_store.look(n) or {}
    if status.pid then
      agents[status.agent] = true
    end
  end
  local names = vim.tbl_keys(agents)
  table.sort(names)
  listings = vim.tbl_map(function(name)
    return { agent = name, state = "asking", can = {}, sessions = {} }
  end, #names > 0 and names or { default })
end

---@return acp.Listed[]
function M.saved()
  return listings
end

local SUBAGENT_STATES = {
  running = { "running", "AcpSpinner" },
  requires_action = { "needs you", "AcpQuestion" },
  idle = { "done", "AcpDone" },
}

---@param n integer
---@param status table
---@return acp.SessionLine[]
local function subagents_of(n, status)
  return vim.tbl_map(function(child)
    local state_shown = SUBAGENT_STATES[child.state] or { child.state or "ended", "AcpPending" }
    return {
      key = ("live %d %s"):format(n, child.id),
      subagent = { session = n, id = child.id },
      agent = "",
      cwd = status.cwd,
      title = "└ " .. child.title,
      questions = 0,
      pending = 0,
      state = state_shown[1],
      hl = state_shown[2],
      can = {},
    }
  end, status.subagents or {})
end

--- What a session does; of an idle one, how its last turn has ended.
---@param status table
---@return string text
---@return string hl
local function doing(status)
  local state_word = state_words.of(status)
  if status.state ~= "idle" or status.error or not status.stop_reason then
    return state_word.word, state_word.hl
  elseif status.stop_reason == "end_turn" then
    return "done", "AcpDone"
  end
  return status.stop_reason == "cancelled" and "cancelled" or "stopped", "AcpCancelled"
end

---@param agent string
---@return acp.Listed?
local function listing_of(agent)
  for _, listing in ipairs(listings) do
    if listing.agent == agent then
      return listing
    end
  end
end

---@return acp.SessionLine[]
---@return table<string, true> there  what need not be listed once more
local function live()
  local lines, there = {}, {}
  for _, n in ipairs(session_store.numbers()) do
    local status = assert(session_store.look(n))
    local text, hl = doing(status)
    local listing = listing_of(status.agent)
    lines[#lines + 1] = {
      key = "live " .. n,
      session = n,
      id = status.session_id,
      agent = status.agent,
      cwd = status.cwd,
      title = status.title or status.about or ("session %d"):format(n),
      state = text,
      hl = hl,
      updated = activities[n] and activities[n].at,
      first_words = status.about,
      questions = status.questions,
      pending = status.pending or 0,
      can = listing and listing.can or {},
    }
    vim.list_extend(lines, subagents_of(n, status))
    if status.session_id then
      there[status.agent .. "\0" .. status.session_id] = true
    end
  end
  return lines, there
end

--- Puts the first words behind titles that more than one session has.
---     Fix the tests                 Fix the tests · those of the parser
---     Fix the tests          ->     Fix the tests · and then the docs
---     Rename parse                  Rename parse
---@param lines acp.SessionLine[]
local function tell_apart(lines)
  local count = {} ---@type table<string, integer>
  for _, line in ipairs(lines) do
    count[line.title] = (count[line.title] or 0) + 1
  end
  for _, line in ipairs(lines) do
    local words = line.first_words
    if count[line.title] > 1 and words and words ~= line.title then
      line.title = ("%s · %s"):format(line.title, words)
    end
  end
end

--- The sessions that run here, then the saved ones that do not.
---@return acp.SessionLine[]
function M.all()
  local lines, there = live()
  for _, listing in ipairs(listings) do
    for _, saved in ipairs(listing.sessions) do
      local key = listing.agent .. "\0" .. saved.id
      if not there[key] then
        there[key] = true
        lines[#lines + 1] = {
          key = key,
          id = saved.id,
          agent = listing.agent,
          cwd = saved.cwd or vim.fn.getcwd(),
          title = saved.title or first_words[saved.id] or "untitled",
          state = "saved",
          hl = "AcpPending",
          updated = saved.updated,
          first_words = first_words[saved.id],
          questions = 0,
          pending = 0,
          can = listing.can,
        }
      end
    end
  end
  tell_apart(lines)
  return lines
end

--- The agents' ids of all sessions that are known, for completion.
---@return string[]
function M.ids()
  local ids = {}
  for _, line in ipairs(M.all()) do
    ids[#ids + 1] = line.id
  end
  return ids
end

return M
