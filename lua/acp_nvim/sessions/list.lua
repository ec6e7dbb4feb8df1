-- Shows `:Acp sessions`, the list of the sessions that live here and those that the running agents have saved.
local acp = require("acp_nvim.api")
local available_agents = require("acp_nvim.config.available_agents")
local backend = require("acp_nvim.backend.process")
local list_rows = require("acp_nvim.sessions.list_rows")
local lists = require("acp_nvim.ui.list")
local live_and_saved = require("acp_nvim.sessions.live_and_saved")
local messages = require("acp_nvim.ui.messages")
local printable = require("acp_nvim.ui.printable")
local prompt_entry = require("acp_nvim.windows.prompt_entry")
local session_end = require("acp_nvim.windows.session_end")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

-- What the user does --------------------------------------------------------------------------------------------------

--- The list gives way to the session's chat.
---@param n integer
local function go(n)
  lists.replace_with(function()
    lists.show_result(prompt_entry.by_user(function()
      return acp.open({ session = n })
    end))
  end)
end

---@param n? integer
---@param message? string
local function went(n, message)
  if lists.show_result(n, message) then
    go(n --[[@as integer]])
  end
end

--- Shows what a subagent has been told, has done and said; nothing else can be done with one.
---@param line acp.SessionLine
---@param fn string  what the user wants to do
local function open_subagent(line, fn)
  if fn ~= "reopen" then
    return messages.show("info", "a subagent can only be read: press <CR>")
  end
  lists.show_result(backend.notify("open_subagent", line.subagent))
end

--- A session may read and write in its folder. That of a saved one is what its agent says: one that is not the current
--- folder and does not lie below it is asked about.
---@param line acp.SessionLine
---@param key string  to be pressed again
---@return string? words
local function why_ask(line, key)
  local here = vim.uv.fs_realpath(vim.fn.getcwd())
  local there = not line.cwd:find("%z") and vim.uv.fs_realpath(line.cwd) or nil
  local is_inside = here and there and vim.startswith(there .. "/", here == "/" and here or here .. "/")
  if line.session or is_inside then
    return nil
  end
  local folder = printable.visible(there or line.cwd)
  return ("press %s again: the agent may then read and write in %s"):format(key, folder)
end

---@param line acp.SessionLine
---@param fn "load"|"resume"|"reopen"
---@param key string
---@param again boolean
---@return string? words  to be asked for it once more
local function bring(line, fn, key, again)
  if line.subagent then
    return open_subagent(line, fn)
  end
  if line.session then
    return go(line.session)
  end
  local words = not again and why_ask(line, key)
  if words then
    return words
  end
  went(acp[fn](line.id, { agent = line.agent, cwd = line.cwd }))
end

---@param refresh boolean
---@param more boolean
local function ask(refresh, more)
  local cwd = vim.fn.getcwd()
  local ok, message = backend.start()
  if ok then
    local wanted = { agent = available_agents.default(), cwd = cwd, refresh = refresh, more = more }
    ok, message = backend.notify("list", wanted)
  end
  lists.show_result(ok, message)
end

--- Shows the last answer in a float, below its question.
---@param line acp.SessionLine
local function show_last_answer(line)
  if line.subagent then
    return open_subagent(line, "reopen")
  end
  local wanted = { agent = line.agent, session = line.session, id = line.id }
  lists.show_result(backend.notify("show_last_answer", wanted))
end

---@param line acp.SessionLine
---@param again boolean
---@return string? words  to be asked for it once more
local function fork(line, again)
  if line.subagent then
    return open_subagent(line, "fork")
  end
  local words = not again and why_ask(line, "f")
  if words then
    return words
  end
  went(acp.fork({ session = line.session, id = line.id, agent = line.agent, cwd = line.cwd }))
end

---@param line acp.SessionLine
---@param again boolean
---@return string? words  to be asked for it once more
local function close(line, again)
  if line.subagent then
    lists.show_result(backend.notify("cancel_subagent", line.subagent))
    return
  end
  if not line.session then
    return messages.show("info", "this session is not open: d deletes it")
  end
  local pending = (session_store.look(line.session) or {}).pending or 0
  if pending > 0 and not again then
    return ("%d %s pending: press x again to close"):format(pending, pending == 1 and "change" or "changes")
  end
  lists.show_result(acp.close_session({ session = line.session }))
end

---@param line acp.SessionLine
---@param again boolean
---@return string? words  to be asked for it once more
local function delete(line, again)
  if line.subagent then
    return open_subagent(line, "delete")
  end
  if line.can.delete == false or not line.id then
    messages.show("warn", ("%s cannot delete this session"):format(line.agent))
  elseif not again then
    return "press d again to delete permanently"
  else
    lists.show_result(acp.delete(line.id, { agent = line.agent }))
  end
end

---@param fn "load"|"resume"|"reopen"
---@param key string
---@return fun(line: acp.SessionLine, again: boolean): string?
local function by(fn, key)
  return function(line, again)
    return bring(line, fn, key, again)
  end
end

local function more()
  ask(false, true)
end

local function anew()
  ask(true, false)
end

--- At the end of the list there may be more. Only a key starts an ended backend again.
local function at_end()
  if not backend.is_running() then
    return
  end
  for _, listing in ipairs(live_and_saved.saved()) do
    if listing.state == "more" then
      return more()
    end
  end
end

local function closed()
  live_and_saved.set_saved({})
  if backend.is_running() and vim.v.exiting == vim.NIL then
    backend.notify("list_end", {})
  end
end

-- The seam ------------------------------------------------------------------------------------------------------------

local list = lists.new({
  name = "acp://sessions",
  filetype = "acp_sessions",
  title = "Sessions",
  bar = "<CR> go to  l load  r resume  f fork  x close  d delete  K answer",
  keys = {
    { "<CR>", "open the session", run = by("reopen", "<CR>") },
    { "l", "load it, with its conversation", run = by("load", "l") },
    { "r", "resume it, without showing its conversation", run = by("resume", "r") },
    { "f", "fork: a new session with this history", run = fork },
    { "x", "close it here (twice, if changes are pending)", run = close },
    { "d", "delete permanently (press d twice)", run = delete },
    { "K", "show the last answer, below its question", run = show_last_answer },
    { "m", "load more of what the agents have saved", always = more },
    { "R", "ask the agents again", always = anew },
  },
  rows = list_rows.rows,
  remarks = list_rows.remarks,
  at_end = at_end,
  closed = closed,
})

--- The cursor begins at the newest other session: <CR> goes there.
---@param current? integer
local function begin_at_another(current)
  local at
  for row, line in ipairs(live_and_saved.all()) do
    at = line.session and line.session ~= current and row or at
  end
  if at then
    vim.api.nvim_win_set_cursor(0, { at, 0 })
  end
end

--- Opens the list, or goes to it.
---@return true? ok
---@return string? message
function M.open()
  if vim.fn.getcmdwintype() ~= "" then
    return nil, "close the command-line window first"
  end
  local ok, message = backend.start()
  if not ok then
    return nil, message
  end
  local win = list:window()
  if win then
    vim.api.nvim_set_current_win(win)
  else
    local current = session_store.current()
    list:open(1 / 3)
    begin_at_another(current)
  end
  live_and_saved.begin_asking((available_agents.default()))
  ask(win ~= nil, false)
  backend.notify("first_words", {})
  return true
end

--- Called by the backend with the sessions that the agents have saved.
---@param saved acp.Listed[]
function M.show_saved(saved)
  if list.buffer then
    live_and_saved.set_saved(saved)
    list:redraw()
  end
end

--- Called by the backend with how the kept conversations begin.
---@param words table<string, string>
function M.show_first_words(words)
  live_and_saved.set_first_words(words)
  list:redraw()
end

session_end.on_end(function()
  list:redraw()
end)

session_store.on_change(function()
  list:redraw()
end)

return M
