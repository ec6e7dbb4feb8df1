-- Builds the prompt's bar while a question is open: what is asked, and the keys that answer from there.
--
--   ? edit src/price.py +1 −4   <M-1> yes  <M-2> ✓✓ all  <M-3> no  <M-d> diff   2 more
--   ? …/price.py <M-1> yes <M-2> ✓✓ all <M-3> no <M-d> diff 2 more             (narrow)
--   ? <M-1> ✓ <M-2> ✓✓ <M-3> ✗                                                  (very narrow)
--   ? <M-n> 1 ✓ 2 ✓✓ 3 ✗                                                        (narrower still)
local answer_delay = require("acp_nvim.question.answer_delay")
local chats = require("acp_nvim.chat.buffer")
local marks = require("acp_nvim.chat.marks")
local option_labels = require("acp_nvim.question.option_labels")
local printable = require("acp_nvim.ui.printable")
local state = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {}

local MOST_KEYS = 9
local COUNTS = { AcpAdded = true, AcpRemoved = true } -- groups of the call's line

---@class acp.BarKeys
---@field option string  a format for the option's number
---@field diff string
---@field is_command? boolean  what stands for the diff says so itself
---@field after? string  what stands behind them

---@type table<string, acp.BarKeys>
local KEYS = {
  insert = { option = "<M-%d>", diff = "<M-d>" },
  normal = { option = "g%d", diff = "gd" },
  elsewhere = { option = "%d", diff = ":Acp diff", is_command = true, after = ":Acp answer {n}" },
}

-- How the bar gives way, step by step: to be narrow, without the kind of the call, its counts, the subject, names, diff.
---@class acp.BarStep
---@field gap integer        between two keys
---@field least? integer     cells that the subject may be cut to; nil: it stands whole
---@field kind? boolean
---@field counts? boolean
---@field bare? boolean      without subject
---@field names? boolean
---@field diff? boolean
---@field short? boolean     the modifier once, and then the digits

---@type acp.BarStep[]
local STEPS = {
  { gap = 2, kind = true, counts = true, names = true, diff = true },
  { gap = 1, least = 12, kind = true, counts = true, names = true, diff = true },
  { gap = 1, least = 12, counts = true, names = true, diff = true },
  { gap = 1, least = 6, names = true, diff = true },
  { gap = 1, bare = true, names = true, diff = true },
  { gap = 1, bare = true, names = true },
  { gap = 1, bare = true, diff = true },
  { gap = 1, bare = true },
  { gap = 1, bare = true, short = true },
}

-- What is asked -------------------------------------------------------------------------------------------------------

---@class acp.BarSubject
---@field kind string
---@field text string
---@field is_path boolean  the end says most
---@field counts string

--- Returns the line of the question's tool call in the chat, without the header above it.
---@param question acp.Question
---@return acp.Chat? chat
---@return integer? row
---@return [string, string][]? beside  what stands at the end of the line
local function line_of(question)
  local chat = chats.get(question.session)
  local first = chat and question.key and marks.row_of(chat, question.key)
  for _, found in ipairs(chat and first and marks.between(chat, first, first + 1) or {}) do
    if found.mark.kind == "tool" and found.mark.key == question.key then
      return chat, found.row, found.mark.eol
    end
  end
end

--- Returns the subject of a question, as the line of its tool call in the chat shows it.
---@param question acp.Question
---@return acp.BarSubject
local function subject_of(question)
  local subject = { kind = "", text = printable.visible(question.title), is_path = false, counts = "" }
  local chat, row, eol = line_of(question)
  if not chat or not row then
    return subject
  end
  local line = api.nvim_buf_get_lines(chat.buf, row, row + 1, true)[1]
  local path = marks.path_span(chat, row)
  local kind, text = line:match("^(%S+)%s+(.+)$")
  subject.kind, subject.text = kind or "", text or line
  subject.is_path = path ~= nil and path[2] >= #line - 5 -- a line's number may stand behind it
  for _, chunk in ipairs(eol or {}) do
    subject.counts = subject.counts .. (COUNTS[chunk[2]] and chunk[1] or "")
  end
  return subject
end

---@param subject acp.BarSubject
---@param width integer
---@return string
local function cut(subject, width)
  if vim.fn.strwidth(subject.text) <= width then
    return subject.text
  elseif not subject.is_path then
    return printable.cut(subject.text, width)
  end
  local short = printable.cut_start(subject.text, width)
  local folders = short:match("/.+$") -- whole ones, if there is room for one
  return folders and "…" .. folders or short
end

-- The bar -------------------------------------------------------------------------------------------------------------

---@class acp.BarChunk
---@field [1] string
---@field [2]? true  a key

---@param chunks acp.BarChunk[]
---@return integer
local function width_of(chunks)
  local width = 0
  for _, chunk in ipairs(chunks) do
    width = width + vim.fn.strwidth(chunk[1])
  end
  return width
end

-- Our own questions, whose options have ids that are words.
local OURS = { conflict = true, outside = true }

---@class acp.ShortName
---@field sign string
---@field name string

---@param question acp.Question
---@return acp.ShortName[]
local function names_of(question)
  return option_labels.short(vim.tbl_map(function(option)
    return { name = OURS[question.kind] and option.id or option.name, kind = option.kind }
  end, question.options))
end

--- Builds the part of the bar after the subject: the keys with what they answer.
---@param question acp.Question
---@param names acp.ShortName[]  of its options
---@param keys acp.BarKeys
---@param step acp.BarStep
---@param more integer
---@return acp.BarChunk[]
local function answers(question, names, keys, step, more)
  local chunks, gap = {}, (" "):rep(step.gap)
  local function add(key, text)
    vim.list_extend(chunks, { { gap }, { key, true }, { text ~= "" and " " .. text or "" } })
  end
  if step.short then
    vim.list_extend(chunks, { { gap }, { (keys.option:gsub("%%d", "n")), true } })
  end
  for number, short in ipairs(names) do
    if number <= MOST_KEYS then
      local sign = (short.sign ~= "" or step.names) and short.sign or option_labels.SIGNS[question.options[number].kind]
      local name = step.names and short.name or ""
      add(step.short and tostring(number) or keys.option:format(number), vim.trim(("%s %s"):format(sign or "", name)))
    end
  end
  if step.diff and question.has_diff then
    add(keys.diff, keys.is_command and "" or "diff")
  end
  if keys.after then
    add(keys.after, "")
  end
  if more > 0 then
    vim.list_extend(chunks, { { ("%s%d more"):format((" "):rep(2 * step.gap - 1), more) } })
  end
  return chunks
end

---@param subject acp.BarSubject
---@param step acp.BarStep
---@param room integer
---@return string? head  nil: it does not fit
local function head_of(subject, step, room)
  if step.bare then
    return room >= 2 and " ?" or nil
  end
  local before = step.kind and subject.kind ~= "" and (" ? %s "):format(subject.kind) or " ? "
  local after = step.counts and subject.counts or ""
  room = room - vim.fn.strwidth(before .. after)
  local whole = vim.fn.strwidth(subject.text)
  if room < math.min(whole, step.least or whole) then
    return nil
  end
  return before .. cut(subject, room) .. after
end

---@param question acp.Question
---@param keys acp.BarKeys
---@param width integer
---@param more integer
---@return acp.BarChunk[]
local function fitted(question, keys, width, more)
  local subject, names = subject_of(question), names_of(question)
  for _, step in ipairs(STEPS) do
    local chunks = answers(question, names, keys, step, more)
    local head = head_of(subject, step, width - width_of(chunks))
    if head then
      table.insert(chunks, 1, { head })
      return chunks
    end
  end
  return { { printable.cut(" ? " .. (keys.after or keys.option:gsub("%%d", "{n}")), width) } }
end

--- The bar as a statusline expression; nil: nothing is asked in that session.
---@param n integer
---@param mode "insert"|"normal"|"elsewhere"
---@param width integer
---@return string?
function M.text(n, mode, width)
  local questions = state.questions(n)
  local question = questions[1]
  if not question then
    return nil
  end
  local lit = answer_delay.may_answer(question, true)
  local parts = {}
  for _, chunk in ipairs(fitted(question, KEYS[mode], width, #questions - 1)) do
    local group = chunk[2] and lit and "AcpQuestionKey" or "AcpQuestionBar"
    parts[#parts + 1] = ("%%#%s#%s"):format(group, (chunk[1]:gsub("%%", "%%%%")))
  end
  return table.concat(parts) .. "%#AcpQuestionBar#"
end

return M
