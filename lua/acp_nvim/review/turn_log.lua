-- Remembers the turns of a project: whose they were, when, what the user asked for, and which files they have changed.
-- They are noted as a turn begins and once its changes are known, and are read again in a later Neovim.
--
--   turns.json    { turns = { { owner = { claude, sess-7 }, turn = 2, prompt = "Fix it", time = 1730000000, files } } }
--
-- A session is known by its number in this Neovim, and by its agent's own name for it in all others.
local limits = require("acp_nvim.limits")
local owners = require("acp_nvim.review.owners")
local project = require("acp_nvim.project")
local records = require("acp_nvim.project.records")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

---@class acp.TurnOfFile  what a turn has done to a file
---@field path string
---@field added integer
---@field removed integer
---@field by acp.ChangedBy
---@field call? acp.message.CallName
---@field created? boolean  by the turn

---@class acp.LoggedTurn
---@field owner acp.SessionOwner
---@field session? integer  of this Neovim
---@field turn integer
---@field prompt string     its beginning, where it is very long
---@field time number       when it began, in seconds since 1970; turns of one second are in their order
---@field tokens? table     what it took; nil: nobody knows
---@field files? acp.TurnOfFile[]  nil: it is not over yet, or was cut short
---@field stop_reason? string
---@field restored? integer  the turn before which it has gone back
---@field roots table<string, true>  of its session's projects; not written

local RECORD = { name = "turns", version = 1 }

local log = {} ---@type acp.LoggedTurn[]  oldest first
local is_cut = {} ---@type table<string, true>  projects of which older turns were dropped
local loaded = {} ---@type table<string, true>  projects whose record was read

---@param one acp.LoggedTurn
---@return string
local function key(one)
  return ("%s %s %d %d"):format(one.owner.agent, one.owner.session_id or "", one.turn, one.time)
end

---@param one acp.LoggedTurn
---@param other acp.LoggedTurn
---@return boolean
local function began_before(one, other)
  return one.time < other.time or (one.time == other.time and one.turn < other.turn)
end

--- Adds the turns of a record that are not known yet.
---@param root string
---@param found? table
local function add(root, found)
  local known = {}
  for _, one in ipairs(log) do
    known[key(one)] = one
  end
  for _, one in ipairs(found and vim.islist(found.turns) and found.turns or {}) do
    local here = known[key(one)]
    if not here then
      one.roots = {}
      log[#log + 1], here = one, one
    end
    here.roots[root] = true
  end
  is_cut[root] = is_cut[root] or (found and found.is_cut) or nil
  table.sort(log, began_before)
end

---@param root string
local function load(root)
  if not loaded[root] or records.has_changed(root, RECORD) then
    loaded[root] = true
    add(root, records.read(root, RECORD))
  end
end

--- The turns of a project that are kept, oldest first.
---@param root string
---@return acp.LoggedTurn[]
local function kept(root)
  local first = os.time() - limits.TURN_SECONDS
  local list = vim.tbl_filter(function(one)
    return one.roots[root] and one.time >= first
  end, log)
  return #list > limits.LOGGED_TURNS and vim.list_slice(list, #list - limits.LOGGED_TURNS + 1) or list
end

--- Forgets the turns that are not kept.
---@param root string
local function drop_older(root)
  local stays = kept(root)
  for _, one in ipairs(log) do
    if one.roots[root] and not vim.list_contains(stays, one) then
      one.roots[root], is_cut[root] = nil, true
    end
  end
  log = vim.tbl_filter(function(one)
    return next(one.roots) ~= nil
  end, log)
end

---@param one acp.LoggedTurn
---@return table
local function written(one)
  local result = vim.tbl_extend("force", one, {})
  result.roots, result.session = nil, nil
  return result
end

---@param one acp.LoggedTurn
local function write(one)
  for root in pairs(one.roots) do
    loaded[root] = true
    records.write_soon(root, RECORD, function()
      add(root, records.read(root, RECORD))
      drop_older(root)
      return { turns = vim.tbl_map(written, kept(root)), is_cut = is_cut[root] }
    end)
  end
end

---@param one acp.LoggedTurn
---@param session integer
---@return boolean
local function is_of(one, session)
  return one.session == session or owners.is_same(one.owner, owners.of(session))
end

--- Reads what earlier Neovims have noted of a project.
M.load = load

--- A turn of a session.
---@param session integer
---@param turn integer
---@return acp.LoggedTurn?
function M.find(session, turn)
  for i = #log, 1, -1 do
    if log[i].turn == turn and is_of(log[i], session) then
      return log[i]
    end
  end
end

--- The turns of a session, oldest first.
---@param session integer
---@return acp.LoggedTurn[]
function M.of_session(session)
  return vim.tbl_filter(function(one)
    return is_of(one, session)
  end, log)
end

--- The turns that no session of this Neovim has had or has gone on with, oldest first.
---@return acp.LoggedTurn[]
function M.of_nobody()
  return vim.tbl_filter(function(one)
    return not one.session and not M.session_of(one)
  end, log)
end

--- The living session that a turn belongs to.
---@param one acp.LoggedTurn
---@return integer?
function M.session_of(one)
  local n = one.session or owners.find(one.owner)
  return n and n > 0 and session_store.exists(n) and n or nil
end

--- Of a turn: that one, and all later ones of its projects, oldest first.
---@param of acp.LoggedTurn
---@return acp.LoggedTurn[]
function M.since(of)
  local has_begun = false
  return vim.tbl_filter(function(one)
    has_begun = has_begun or one == of
    return has_begun and vim.iter(of.roots):any(function(root)
      return one.roots[root] ~= nil
    end)
  end, log)
end

--- Whether older turns of a session's project are no longer kept.
---@param root string
---@return boolean
function M.is_cut(root)
  return is_cut[root] ~= nil
end

--- The highest number that a turn of an agent's session has had.
---@param owner acp.SessionOwner
---@return integer
function M.last_turn(owner)
  return vim.iter(log):fold(0, function(most, one)
    return owners.is_same(one.owner, owner) and math.max(most, one.turn) or most
  end)
end

--- A turn begins.
---@param session integer
---@param turn integer
---@param prompt string
---@param restored? integer
function M.begin(session, turn, prompt, restored)
  if not session_store.exists(session) then
    return
  end
  local seconds, microseconds = vim.uv.gettimeofday()
  local one = {
    owner = owners.of(session),
    session = session,
    turn = turn,
    prompt = prompt,
    time = seconds + microseconds / 1e6,
    restored = restored,
    roots = project.of_session(session),
  }
  vim.iter(vim.tbl_keys(one.roots)):each(load)
  log[#log + 1] = one
  write(one)
end

--- A turn has ended.
---@param session integer
---@param turn integer
---@param stop_reason? string
---@param tokens? table
function M.ended(session, turn, stop_reason, tokens)
  local one = M.find(session, turn)
  if one then
    one.stop_reason, one.tokens = stop_reason, tokens
  end
end

--- All that a turn has changed is known.
---@param session integer
---@param turn integer
---@param files acp.TurnOfFile[]
function M.over(session, turn, files)
  local one = M.find(session, turn)
  if one then
    one.files = files
    write(one)
  end
end

return M
