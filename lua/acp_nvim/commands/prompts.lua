-- Defines the subcommands of `:Acp` for prompts, turns and the queue.
local acp = require("acp_nvim")
local attachments = require("acp_nvim.prompt.attachments")
local completion = require("acp_nvim.prompt.completion")
local path_argument = require("acp_nvim.ui.path_argument")
local pickers = require("acp_nvim.sessions.pickers")
local prompt = require("acp_nvim.prompt.buffer")
local proposal = require("acp_nvim.proposal")
local queue = require("acp_nvim.prompt.queue")
local requests = require("acp_nvim.backend.session_requests")
local session_argument = require("acp_nvim.commands.session_argument")
local sessions = require("acp_nvim.commands.sessions")
local session_windows = require("acp_nvim.windows.session_windows")
local session_store = require("acp_nvim.backend.session_store")

local subcommands = {} ---@type table<string, acp.Subcommand>

---@param words string[]
---@param lead string
---@return string[]
local function complete_prompt(words, lead)
  return completion.words(lead, #words == 0)
end

--- Closes the proposals of the current session, because a command of the user's cancels its questions.
local function give_up_questions()
  local n = session_store.current()
  if n then
    proposal.cancelled(session_store.questions(n))
  end
end

subcommands.prompt = {
  args = "{text}",
  doc = "sends a prompt, with a range also those lines; during a turn it is queued, with ! the turn is cancelled "
    .. "first; without a text it goes to the prompt",
  bang = true,
  range = true,
  complete = complete_prompt,
  run = function(call)
    local context
    if call.rest == "" and not call.range and not call.bang then
      return sessions.open.run(call)
    elseif call.range and attachments.is_prompt() then
      return nil, attachments.NOT_ITSELF
    elseif call.range then
      local item = { buffer = vim.api.nvim_get_current_buf(), first = call.range.first, last = call.range.last }
      context = { item }
    end
    if call.bang then
      give_up_questions()
    end
    local n = session_store.current()
    local chips = n and call.rest ~= "" and prompt.chips(n) or ""
    local text = chips ~= "" and call.rest .. " " .. chips or call.rest
    local ok, message = acp.prompt(text, { context = context, first = call.bang })
    if ok and n and chips ~= "" then
      prompt.clear(n)
    elseif ok and not n then
      session_windows.open(assert(session_store.current())) -- beside the file that the user is in
    end
    return ok, message
  end,
}

subcommands.steer = {
  args = "{text}",
  doc = "sends the text into the running turn, before the agent's next step; if the agent cannot take it, it is queued",
  complete = complete_prompt,
  run = function(call)
    return acp.steer(call.rest)
  end,
}

---@param words string[]
---@param lead string
---@return string[]
local function complete_add(words, lead)
  local files = path_argument.complete(lead, "file")
  return #words == 0 and vim.list_extend(attachments.kinds(), files) or files
end

--- Goes to the prompt, behind what stands in it.
---@param n integer
---@param typing boolean
local function go_to_prompt(n, typing)
  if not session_windows.open(n, { focus = true }) then
    return
  end
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buf), vim.v.maxcol })
  if typing then
    vim.cmd("startinsert!")
  end
end

subcommands.add = {
  args = "[file…|diagnostics|diff|quickfix|image {path}|clipboard]",
  doc = "adds the lines of the range, files, or one of these items to the prompt, by default the current file, and "
    .. "goes there; with ! in insert mode",
  bang = true,
  range = true,
  complete = complete_add,
  run = function(call)
    local n, message = session_store.current(), nil
    if not n then
      n, message = acp.new_session()
    end
    if not n then
      return nil, message
    end
    local ok
    ok, message = attachments.add(n, call.rest, call.range)
    if ok then
      go_to_prompt(n, call.bang)
    end
    return ok, message
  end,
}

subcommands.history = {
  doc = "lists the earlier prompts of this project; the one you pick can be edited and sent again",
  run = session_argument.with_current(function(_, n)
    return pickers.pick_prompt(n)
  end),
}

subcommands.cancel = {
  doc = "cancels the running turn and pauses the queue; with ! moves the queue into the prompt history",
  bang = true,
  run = function(call)
    give_up_questions()
    return acp.cancel({ clear = call.bang })
  end,
}

subcommands.queue = {
  doc = "edits the queued prompts in a buffer; with ! resumes a paused queue",
  bang = true,
  run = session_argument.with_current(function(call, n)
    if not call.bang and requests.has_lost_backend(n) then
      return queue.open_unsent(n)
    end
    return acp._send(n, call.bang and "queue_release" or "queue_open")
  end),
}

return subcommands
