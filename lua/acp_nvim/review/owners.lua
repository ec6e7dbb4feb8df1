-- Numbers the sessions that changes belong to. Ours are numbers of one Neovim; what an earlier one has written down has
-- the agent's own name of its session. Until a living session has that name, such changes belong to nobody, and their
-- number is negative.
local session_store = require("acp_nvim.backend.session_store")

local M = {}

---@class acp.SessionOwner  a session as its agent knows it
---@field agent? string
---@field session_id? string

local earlier = {} ---@type table<integer, acp.SessionOwner>  by negative number
local last = 0

---@param n integer
---@return acp.SessionOwner
function M.of(n)
  local status = n > 0 and session_store.look(n) or {}
  return earlier[n] or { agent = status.agent, session_id = status.session_id }
end

--- Whether both are the same session of an agent.
---@param one acp.SessionOwner
---@param other acp.SessionOwner
---@return boolean
function M.is_same(one, other)
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

--- A session has a name now: the number under which its changes are known so far.
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
