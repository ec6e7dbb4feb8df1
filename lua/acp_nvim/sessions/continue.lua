-- The conversation that went on last in a folder, and how it goes on: `:Acp continue`, and `<CR>` in an empty chat.
local agents = require("acp_nvim.config.known_agents")
local ago = require("acp_nvim.ui.relative_time")
local backend = require("acp_nvim.backend.process")
local reach = require("acp_nvim.api.session_argument")
local messages = require("acp_nvim.ui.messages")
local printable = require("acp_nvim.ui.printable")
local state = require("acp_nvim.backend.session_store")

local M = {}

---@class acp.Earlier  a conversation that is over, as its transcript tells
---@field file string
---@field agent string
---@field id? string     the agent's
---@field title? string  the first words of its user
---@field updated integer  seconds since 1970

local waiting = {} ---@type table<string, fun(kept?: acp.Earlier)[]>  folder -> who has asked

--- Has the backend look for the newest conversation of a folder that is over.
---@param cwd string
---@param answer fun(kept?: acp.Earlier)
function M.ask(cwd, answer)
  waiting[cwd] = waiting[cwd] or {}
  table.insert(waiting[cwd], answer)
  backend.notify("earlier", { cwd = cwd })
end

--- Port: what the backend has found.
---@param cwd string
---@param kept? acp.Earlier
function M.told(cwd, kept)
  local callbacks = waiting[cwd] or {}
  waiting[cwd] = nil
  for _, answer in ipairs(callbacks) do
    answer(kept ~= vim.NIL and kept or nil)
  end
end

--- Has nothing been said in it, and is nothing about to be?
---@param n integer
---@return boolean
function M.is_empty(n)
  local status = state.look(n) or {}
  local origin = state.session(n).origin
  return status.turn == 0 and status.queue == 0 and not origin.id and origin.agent ~= "replay"
end

--- The newest session of the folder that lives here and in which something has been said.
---@param cwd string
---@return integer?
function M.living(cwd)
  local numbers = state.numbers()
  for i = #numbers, 1, -1 do
    local origin = state.session(numbers[i]).origin
    if origin.cwd == cwd and origin.agent ~= "replay" and not M.is_empty(numbers[i]) then
      return numbers[i]
    end
  end
end

--- An empty session has given way to the one that goes on.
---@param n? integer
local function close_empty(n)
  local is_idle = n and state.exists(n) and M.is_empty(n) and require("acp_nvim.prompt.buffer").draft(n) == ""
  if n and is_idle then
    require("acp_nvim").close_session({ session = n })
  end
end

---@param kept acp.Earlier
---@return string
local function name(kept)
  return ('"%s" (%s)'):format(printable.cut(printable.visible(kept.title or "untitled"), 40), ago(kept.updated))
end

---@param cwd string
---@param kept acp.Earlier
---@return integer? n
---@return string said  or why not
local function go_on(cwd, kept)
  local agent = kept.id and agents.find(kept.agent)
  if not agent then
    local n, message = require("acp_nvim").replay(kept.file)
    local why = ("%s was with %s, which is not configured: a replay"):format(name(kept), printable.visible(kept.agent))
    return n, message or why
  end
  local more = { id = kept.id, transcript = kept.file, about = kept.title }
  local n, message = reach.begin("new", { agent = agent, cwd = cwd, roots = {} }, more)
  return n, message or ("continuing %s with %s"):format(name(kept), printable.visible(agent))
end

---@param n integer
local function show(n)
  state.focus(n)
  require("acp_nvim").open({ session = n })
end

--- Goes on with the newest session of the folder: one that lives, else the newest that was kept. Its agent loads it,
--- else resumes it, else begins anew below what was said.
---@param cwd? string  default: the current folder
---@return true? ok
---@return string? message
function M.continue(cwd)
  cwd = cwd or vim.fn.getcwd()
  local before = state.current()
  local n = M.living(cwd)
  if n then
    show(n)
    local status = state.look(n) or {}
    local what = status.title or status.about or ("session %d"):format(n)
    messages.show("info", ('here is "%s"'):format(printable.cut(what, 40)))
    close_empty(before)
    return true
  end
  local ok, message = backend.start()
  if not ok then
    return nil, message
  end
  M.ask(cwd, function(kept)
    if not kept then
      local where = printable.visible(vim.fn.fnamemodify(cwd, ":~"))
      return messages.show("info", "nothing to continue (:Acp sessions lists what agents have saved): " .. where)
    end
    local began, said = go_on(cwd, kept)
    if began then
      show(began)
      close_empty(before)
    end
    messages.show(began and "info" or "error", said)
  end)
  return true
end

return M
