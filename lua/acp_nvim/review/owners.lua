-- Numbers the sessions that changes belong to. Ours are numbers of one Neovim; what an earlier one has written down has
-- the agent's own name of its session. Until a living session has that name, such changes belong to nobody, and their
-- number is negative.
local session_store = require("acp_nvim.backend.session_store")

local M = {}

---@class acp.SessionOwner  a session as its agent knows it
---@field agent? string
---@field session_id? string
---@field life? string  of one that was begun by us: an agent may give a name again; nil: it was loaded by its name

local earlier = {} ---@type table<integer, acp.SessionOwner>  by negative number
local lives = {} ---@type table<integer, string>  by number
local last = 0

---@param n integer
---@return acp.SessionOwner
function M.of(n)
  if earlier[n] then
    return earlier[n]
  end
  local session = session_store.session(n) or { status = {}, origin = {} }
  local owner = { agent = session.status.agent, session_id = session.status.session_id or session.origin.id }
  if not session.origin.id then
    lives[n] = lives[n] or ("%d-%d-%d"):format(os.time(), vim.uv.os_getpid(), n)
    owner.life = lives[n]
  end
  return owner
end

--- Whether both are the same session of an agent.
---@param one acp.SessionOwner
---@param other acp.SessionOwner
---@return boolean
function M.is_same(one, other)
  if one.life and other.life then
    return one.life == other.life
  end
  return one.session_id ~= nil and one.session_id == other.session_id and one.agent == other.agent
end

--- The number under which a session is known.
---@param owner acp.SessionOwner
---@return integer?
function M.find(owner)
  for _, n in ipairs(vim.list_extend(session_store.numbers(), vim.tbl_keys(earlier))) do
    if M.is_same(M.of(n), owner) then
      return n
    end
  end
end

--- The number of a session of an earlier Neovim.
---@param owner acp.SessionOwner
---@return integer  a living one's, if that has gone on with it
function M.number(owner)
  local known = M.find(owner)
  if known then
    return known
  end
  last = last - 1
  earlier[last] = owner
  return last
end

--- A session is there, and may go on with an earlier one: the number under which its changes are known so far.
---@param n integer
---@return integer?
function M.adopt(n)
  local owner = M.of(n)
  for number, each in pairs(earlier) do
    if M.is_same(each, owner) then
      earlier[number] = nil
      return number
    end
  end
end

--- The sessions that hold what was taken from elsewhere, oldest first: those of earlier Neovims, too.
---@return integer[]
function M.taken()
  local numbers = vim.tbl_filter(function(n)
    return session_store.is_taken(earlier[n].agent)
  end, vim.tbl_keys(earlier))
  table.sort(numbers)
  return vim.list_extend(numbers, session_store.taken())
end

---@param n integer
---@return integer? n  nil: no living session has it
function M.living(n)
  return n > 0 and n or nil
end

--- The sessions whose changes belong to whoever reviews: those of what was taken from elsewhere, and those that no
--- living one has gone on with, the newest first.
---@return integer[]
function M.ownerless()
  local numbers = vim.tbl_keys(earlier)
  table.sort(numbers)
  return vim.list_extend(session_store.taken(), numbers)
end

return M
