-- Sends a prompt: the text with what goes along with it.
local backend = require("acp_nvim.backend.process")
local chats = require("acp_nvim.chat.buffer")
local chips = require("acp_nvim.prompt.chips")
local context_items = require("acp_nvim.prompt.context_items")
local files = require("acp_nvim.documents.find")
local history = require("acp_nvim.prompt.history")
local limits = require("acp_nvim.limits")
local mentions = require("acp_nvim.prompt.mentions")
local requests = require("acp_nvim.backend.session_requests")
local review = require("acp_nvim.review")
local session_store = require("acp_nvim.backend.session_store")
local views = require("acp_nvim.chat.views")

local M = {}

---@param text any
---@return string? message  why it cannot be sent
local function problem(text)
  if type(text) ~= "string" or vim.trim(text) == "" then
    return "nothing to send: the prompt has no text"
  elseif #text > limits.PROMPT_BYTES then
    return ("the prompt is %.1f MB, the limit is 1 MB: attach it as a file"):format(#text / 2 ^ 20)
  end
end

--- What goes along: what the caller gives, what chips in the text stand for, and what it names with `@`.
---@param n integer
---@param text string
---@param given table[]  ready for the backend
---@return string text  with every chip as it is by now
---@return table[] context
local function gathered(n, text, given)
  local origin = session_store.session(n).origin
  local folders = vim.list_extend({ origin.cwd }, origin.roots)
  folders[#folders + 1] = vim.fn.getcwd()
  local named = mentions.find(text, folders)
  local shown, from_chips = chips.resolve(n, text)
  local items = vim.list_extend(vim.list_extend({}, given), from_chips)
  return shown, vim.list_extend(items, context_items.read_all(named))
end

--- Checks a prompt before there is a session for it.
---@param text any
---@param items? acp.ContextItem[]  what the caller gives along with it
---@return table[]? given  ready for the backend
---@return string? message
function M.check(text, items)
  local message = problem(text)
  if message then
    return nil, message
  end
  return context_items.read(items or {})
end

--- Sends a prompt that is ready, or of which the backend makes the text.
---@param n integer
---@param verb "prompt"|"send_comments"
---@param payload table  but for its number, and the files that are read before the turn
---@param prompt { text: string, context: table[] }  what the outbox keeps until it has gone to the agent
---@return true? ok
---@return string? message
function M.send_made(n, verb, payload, prompt)
  if not session_store.has_agent(n) then
    local what = session_store.session(n).origin.agent == "replay" and "a replay" or "what you have taken"
    return nil, what .. " has no agent that reads prompts: :Acp new starts a session"
  end
  local ok, message = backend.start()
  if not ok then
    return nil, message
  end
  payload.seq, payload.files = session_store.add_prompt(n, prompt), vim.list_extend(files.loaded(), review.files())
  review.flush(true) -- the agent is told of what the user has undone until now
  ok, message = requests.send(n, verb, payload)
  local chat = ok and chats.get(n)
  if chat then -- who has just spoken looks at the answer, not at what they have scrolled up to
    views.keep(chat.buf --[[@as integer]], chat.asks == true, vim.fn.win_findbuf(chat.buf), {})
  end
  return ok, message
end

--- Sends a prompt that has been checked to session `n`; while a turn runs it is queued.
---@param n integer
---@param text string
---@param given table[]  as `check` has returned it
---@param how { first?: boolean, next?: boolean, steer?: boolean }
---  first: cancel the running turn, wait for its answer, send this; next: ahead of the queue;
---  steer: into the running turn
---@return true? ok
---@return string? message
function M.send_checked(n, text, given, how)
  local shown, items = gathered(n, text, given)
  for _, item in ipairs(items) do
    if item.late then -- it will be there in a moment: the prompt stays until then
      return nil, item.late
    end
  end
  local prompt = { text = shown, context = items }
  local payload = vim.tbl_extend("error", { first = how.first, next = how.next, steer = how.steer }, prompt)
  local ok, message = M.send_made(n, "prompt", payload, prompt)
  if ok then
    history.add(session_store.session(n).origin.cwd, { shown })
  end
  return ok, message
end

--- Sends a text to session `n`.
---@param n integer
---@param text string
---@param how? { steer?: boolean }
---@return true? ok
---@return string? message
function M.send(n, text, how)
  local given, message = M.check(text)
  if not given then
    return nil, message
  end
  return M.send_checked(n, text, given, how or {})
end

return M
