-- Defines the subcommands of `:Acp` for questions: answer, accept, reject, show, allow.
local acp = require("acp_nvim")
local backend = require("acp_nvim.backend.process")
local chat_keys = require("acp_nvim.commands.chat_keys")
local form = require("acp_nvim.form.window")
local next_file = require("acp_nvim.commands.next_file")
local open_questions = require("acp_nvim.question.open_questions")
local proposal = require("acp_nvim.proposal")
local question_keys = require("acp_nvim.question.keys")
local review = require("acp_nvim.review")
local session_store = require("acp_nvim.backend.session_store")

local subcommands = {} ---@type table<string, acp.Subcommand>

--- Does the answer allow nothing? It opens the form, or refuses a question that cannot be shown whole.
---@param question table
---@param option? table
---@return boolean
local function is_harmless(question, option)
  return open_questions.opens_form(question, option) or open_questions.can_refuse(question, option)
end

--- Must the command not answer the question now? Who is in its form has read it.
---@param question table
---@param option table
---@return boolean
---@return string? message  nil: the prompt's bar says why
local function is_held_back(question, option)
  local is_here = question.id == proposal.question_here()
  if is_here and vim.bo.filetype == "acp_form" then
    return false
  end
  return question_keys.holds_back(question, option, is_here and "diff" or "bar")
end

---@param question table
---@param option table
---@return true? ok
---@return string? message
local function answer(question, option)
  local why, is_held = open_questions.why_not(question, option), false
  if not why and not open_questions.opens_form(question, option) then
    is_held, why = is_held_back(question, option)
  end
  if why then
    return nil, why
  end
  return is_held or acp.answer(question.id, option.id)
end

--- The question of this buffer, else the oldest open one of the current session, if the user has seen it as it is now.
---@param may_be_unseen? fun(question: table): boolean
---@return table? question
---@return string? message
local function visible_question(may_be_unseen)
  local question
  local before_us = proposal.question_here()
  if before_us then
    local message
    question, message = session_store.question(before_us)
    if not question then
      return nil, message
    end
  else
    local n = session_store.current()
    question = n and session_store.questions(n)[1]
  end
  if not question then
    local elsewhere = session_store.questions()[1]
    local where = elsewhere and ("session %d asks: :Acp open %d"):format(elsewhere.session, elsewhere.session)
    return nil, "there is no open question" .. (where and (" here; " .. where) or "")
  end
  local is_before_us = before_us and not question.more
  if may_be_unseen and may_be_unseen(question) then
    return question
  elseif not is_before_us and not open_questions.can_answer(question) then
    open_questions.show(question)
    return nil, open_questions.why_unseen(question)
  end
  return question
end

local WOULD = {
  allow_once = "allow this once",
  allow_always = "allow this always",
  reject_once = "refuse this once",
  reject_always = "refuse this always",
}

---@param question table
---@param kind string
---@return table? option
---@return string? message
local function first_of_kind(question, kind)
  for _, option in ipairs(question.options) do
    if option.kind == kind then
      return option
    end
  end
  return nil, ("not sent: no option would %s, choose another with :Acp answer {n}"):format(WOULD[kind])
end

--- Refuses, gives up the turn and sends the text at once. An agent that offers no refusal for once hears of the cancel.
---@param question table
---@param text string
---@return true? ok
---@return string? message
local function refuse_and_send(question, text)
  local option = first_of_kind(question, "reject_once")
  if option then
    local ok, message = answer(question, option)
    if not ok then
      return nil, message
    end
  end
  proposal.cancelled(session_store.questions(question.session))
  return acp.prompt(text, { session = question.session, first = true })
end

---@param base "allow"|"reject"
---@param call acp.Call
---@return any, string?
local function decide(base, call)
  local sends_now = base == "reject" and call.bang and call.rest ~= ""
  local kind = base .. (call.bang and not sends_now and "_always" or "_once")
  local question, message = visible_question(function(question)
    return is_harmless(question, (first_of_kind(question, kind)))
  end)
  if not question then
    return nil, message
  end
  if sends_now then
    return refuse_and_send(question, call.rest)
  end
  local option
  option, message = first_of_kind(question, kind)
  if not option then
    return nil, message
  end
  local ok
  ok, message = answer(question, option)
  if ok and call.rest ~= "" then
    return acp.steer(call.rest, { session = question.session, next = true })
  end
  return ok, message
end

--- Does a question wait for the user here: on a side of its diff, or in the current session?
---@return boolean
local function is_asked()
  local n = session_store.current()
  return proposal.question_here() ~= nil or n ~= nil and session_store.questions(n)[1] ~= nil
end

--- On a change that waits for a review they mean keep and undo; a text goes to the agent whose change it was. A
--- question goes first: the agent waits for the answer.
---@param verb "keep"|"undo"
---@param call acp.Call
---@return boolean is_on_hunk
---@return true? ok
---@return string? message
local function decide_hunk(verb, call)
  local hunk = not call.bang and not is_asked() and review.hunk_at_cursor() or nil
  if not hunk then
    return false
  end
  local ok, message = review.decide(verb, { hunk }, { after = next_file.after({ hunk }) }), nil
  if ok and call.rest ~= "" then
    ok, message = acp.steer(call.rest, { session = hunk.session, next = true })
  end
  return true, ok, message
end

subcommands.accept = {
  doc = "answers the oldest open question with its first option that allows once, with ! always; if none is open, "
    .. "keeps the change under the cursor",
  bang = true,
  run = function(call)
    if form.accept() or (not call.bang and proposal.accept()) then
      return true
    end
    local is_on_hunk, ok, message = decide_hunk("keep", call)
    if is_on_hunk then
      return ok, message
    end
    return decide("allow", call)
  end,
}

subcommands.reject = {
  args = "[text]",
  doc = "answers the oldest open question with its first option that rejects once, with ! always; if none is open, "
    .. "undoes the change under the cursor; either way the text goes into the turn, or becomes the next prompt if the "
    .. "agent cannot take it; with ! and a text the answer is once, the turn is cancelled and the text is sent now",
  bang = true,
  run = function(call)
    local is_on_hunk, ok, message = decide_hunk("undo", call)
    if is_on_hunk then
      return ok, message
    end
    return decide("reject", call)
  end,
}

---@param question table
---@param word string  a number, or an option's id
---@return table? option
---@return string? message
local function option_of(question, word)
  local option = question.options[tonumber(word) or 0]
  for _, candidate in ipairs(option and {} or question.options) do
    if candidate.id == word then
      option = candidate
    end
  end
  return option,
    not option and ("not sent: choose an option from 1 to %d, not '%s'"):format(#question.options, word) or nil
end

subcommands.answer = {
  args = "[n]",
  doc = "answers the oldest open question with option n; without a number shows the question",
  bang = true,
  complete = function()
    local n = session_store.current()
    local question = n and session_store.questions(n)[1]
    local numbers = {}
    for i in ipairs(question and question.options or {}) do
      numbers[i] = tostring(i)
    end
    return numbers
  end,
  run = function(call)
    local question, message = visible_question(function(question)
      return call.rest ~= "" and is_harmless(question, (option_of(question, call.rest)))
    end)
    if not question then
      return nil, message
    elseif call.rest == "" then
      return open_questions.show(question) or true
    end
    local option
    option, message = option_of(question, call.rest)
    if option and call.bang then
      option, message = first_of_kind(question, (option.kind:gsub("_once$", "_always")))
    end
    if not option then
      return nil, message
    end
    return answer(question, option)
  end,
}

subcommands.diff = {
  args = "[n]",
  doc = "shows the change that the oldest open question, the n-th one, or the tool call under the cursor asks for",
  run = function(call)
    return chat_keys.diff(tonumber(call.rest))
  end,
}

subcommands.allow = {
  doc = "shows the rule that the oldest open question's exact command or path would make; with ! the rule holds for "
    .. "this session, and the question is answered with its first option that allows once",
  bang = true,
  run = function(call)
    local question, message = visible_question()
    if not question then
      return nil, message
    end
    if call.bang then
      local why, _ = proposal.why_not(question, { kind = "allow_always" }), nil
      if not why then
        _, why = is_held_back(question, { kind = "allow_once" })
      end
      if why then
        return nil, why
      end
    end
    local wanted = { question = question.id, version = question.version, set = call.bang }
    return backend.notify("allow", wanted)
  end,
}

return subcommands
