-- The prompts of a session that no agent has been sent yet.
local M = {}

---@param entry integer|[integer, string]
---@return integer
local function number_of(entry)
  return type(entry) == "table" and entry[1] or entry --[[@as integer]]
end

--- Forgets the prompts that have gone to the agent.
---@param session acp.Session
function M.forget_what_went(session)
  local waits = {} ---@type table<integer, true>
  for _, entry in ipairs(session.waiting) do
    waits[number_of(entry)] = true
  end
  for seq in pairs(session.unsent) do
    if seq <= session.acked and not waits[seq] then
      session.unsent[seq] = nil
    end
  end
end

--- What no backend has sent, in order; it waits no longer.
---@param session acp.Session
---@return { text: string, context: table[] }[]
function M.take(session)
  local prompts = {}
  for _, entry in ipairs(session.waiting) do
    local known = session.unsent[number_of(entry)] or { text = "", context = {} }
    local text = type(entry) == "table" and entry[2] or known.text
    prompts[#prompts + 1] = { text = text, context = known.context }
  end
  for seq = session.acked + 1, session.sent do
    prompts[#prompts + 1] = session.unsent[seq]
  end
  session.unsent, session.waiting = {}, {}
  return prompts
end

---@param session acp.Session
---@return { seq: integer, text: string, context: table[] }[]
function M.list(session)
  return vim.tbl_map(function(entry)
    return vim.tbl_extend("error", { seq = number_of(entry) }, session.unsent[number_of(entry)])
  end, session.waiting)
end

return M
