-- Keeps the prompts of a session that have not been sent to the agent yet.
local M = {}

--- Counts a prompt that is about to be sent.
---@param session acp.Session
---@param prompt { text: string, context: table[] }
---@return integer seq
function M.add(session, prompt)
  session.sent = session.sent + 1
  session.unsent[session.sent] = { text = prompt.text, context = prompt.context }
  return session.sent
end

--- Keeps prompts for the next backend, under new numbers.
---@param session acp.Session
---@param prompts { text: string, context: table[] }[]
---@return integer count
function M.keep_for_next(session, prompts)
  for _, prompt in ipairs(prompts) do
    session.waiting[#session.waiting + 1] = M.add(session, prompt)
  end
  session.acked = session.sent
  return #prompts
end

--- Forgets the prompts that have gone to the agent.
---@param session acp.Session
function M.forget_sent(session)
  local waits = {} ---@type table<integer, true>
  for _, seq in ipairs(session.waiting) do
    waits[seq] = true
  end
  for seq in pairs(session.unsent) do
    if seq <= session.acked and not waits[seq] then
      session.unsent[seq] = nil
    end
  end
end

--- Takes the prompts that have not been sent out of the outbox, in order.
---@param session acp.Session
---@return { text: string, context: table[] }[]
function M.take(session)
  local prompts = {}
  for _, seq in ipairs(session.waiting) do
    prompts[#prompts + 1] = session.unsent[seq]
  end
  for seq = session.acked + 1, session.sent do
    local known = session.unsent[seq]
    prompts[#prompts + 1] = known.text ~= "" and known or nil -- the backend has not written it: the comments are drafts
  end
  session.unsent, session.waiting = {}, {}
  return prompts
end

--- Notes how the user has edited the queue. What was added gets a number.
---@param session acp.Session
---@param items { seq?: integer, text: string }[]
function M.edit(session, items)
  for _, item in ipairs(items) do
    local known = item.seq and session.unsent[item.seq]
    if known then
      known.text = item.text
    elseif not item.seq then
      item.seq = M.add(session, { text = item.text, context = {} })
    end
  end
end

--- The text of the prompt that goes out next.
---@param session acp.Session
---@return string?
function M.first_text(session)
  local first = session.unsent[session.waiting[1]]
  return first and first.text
end

---@param session acp.Session
---@return { seq: integer, text: string, context: table[] }[]
function M.list(session)
  return vim
    .iter(session.waiting)
    :map(function(seq)
      local prompt = session.unsent[seq]
      return prompt and vim.tbl_extend("error", { seq = seq }, prompt)
    end)
    :totable()
end

return M
