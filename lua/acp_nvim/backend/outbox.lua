-- Keeps the prompts of a session that have not been sent to the agent yet.
local M = {}

---@param entry integer|[integer, string]
---@return integer
local function number_of(entry)
  return type(entry) == "table" and entry[1] or entry --[[@as integer]]
end

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
  for _, entry in ipairs(session.waiting) do
    waits[number_of(entry)] = true
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

---@param a string
---@param b string
---@return integer  how many bytes they share at their ends
local function likeness(a, b)
  local most, front, back = math.min(#a, #b), 0, 0
  while front < most and a:byte(front + 1) == b:byte(front + 1) do
    front = front + 1
  end
  while back < most - front and a:byte(#a - back) == b:byte(#b - back) do
    back = back + 1
  end
  return front + back
end

---@param list { text: string, context: table[] }[]
---@param is_it fun(prompt: table): boolean
---@return table?
local function take_out(list, is_it)
  for index, prompt in ipairs(list) do
    if is_it(prompt) then
      return table.remove(list, index)
    end
  end
end

--- Applies the user's edit of the waiting prompts. A prompt whose text is unchanged keeps its attachments; an edited
--- text gets those of the prompt that is most like it.
---@param prompts { text: string, context: table[] }[]
---@param texts string[]
---@return { text: string, context: table[] }[]
function M.edited(prompts, texts)
  local left, edited = vim.list_slice(prompts), {}
  for index, text in ipairs(texts) do
    edited[index] = take_out(left, function(prompt)
      return prompt.text == text
    end) or false
  end
  for index, text in ipairs(texts) do
    if not edited[index] then
      table.sort(left, function(a, b)
        return likeness(a.text, text) > likeness(b.text, text)
      end)
      local like = left[1] and likeness(left[1].text, text) > 0 and table.remove(left, 1)
      edited[index] = { text = text, context = like and like.context or {} }
    end
  end
  return edited
end

--- The text of the prompt that goes out next.
---@param session acp.Session
---@return string?
function M.first_text(session)
  local entry = session.waiting[1]
  if type(entry) == "table" then
    return entry[2]
  end
  return entry and session.unsent[entry] and session.unsent[entry].text
end

--- The number of a queued prompt that was shown with others: prompts of one text are told apart by how many of them
--- follow, because a queue is sent from its front.
---@param session acp.Session
---@param shown string[]  the texts
---@param place integer  of the prompt in `shown`
---@return integer  0: it has none; -1: it has gone
function M.number_at(session, shown, place)
  local text, left = shown[place], 0
  for at = place, #shown do
    left = left + (shown[at] == text and 1 or 0)
  end
  for at = #session.waiting, 1, -1 do
    local entry = session.waiting[at]
    local known = session.unsent[number_of(entry)]
    if (type(entry) == "table" and entry[2] or known and known.text) == text then
      left = left - 1
      if left == 0 then
        return number_of(entry)
      end
    end
  end
  return -1
end

---@param session acp.Session
---@return { seq: integer, text: string, context: table[] }[]
function M.list(session)
  return vim.tbl_map(function(entry)
    return vim.tbl_extend("error", { seq = number_of(entry) }, session.unsent[number_of(entry)])
  end, session.waiting)
end

return M
