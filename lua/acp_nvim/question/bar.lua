-- Builds the prompt's bar while a question is open: what is asked, and the keys that answer from where the user is.
--
--   ? edit src/price.py +1 −4  <M-1> yes  <M-2> ✓✓ all  <M-3> no  <M-d> diff   2 more
--   ? …/price.py <M-1> yes <M-2> ✓✓ all <M-3> no <M-d> diff 2 more             (narrow)
--   ? …ice.py <M-1> yes <M-3> no <M-d> diff                                     (narrower)
--   ? <M-1> yes  <M-3> no  <M-d> diff                                           (very narrow)
--   ? <M-n> 1 yes 3 no                                                          (narrower still)
local answer_gate = require("acp_nvim.question.answer_gate")
local bar_keys = require("acp_nvim.question.bar_keys")
local chats = require("acp_nvim.chat.buffer")
local diff_view = require("acp_nvim.question.diff_view")
local marks = require("acp_nvim.chat.marks")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {}

local LONGEST_NAME = 20 -- of a file, in cells
local COUNTS = { AcpAdded = true, AcpRemoved = true } -- groups of the call's line

-- How the bar gives way, step by step: to be narrow, without the kind of the call, its counts, the subject, options
-- that count always, the diff; without words only where those of the others do not fit. Two blanks stand between two
-- keys where they fit.
---@class acp.BarStep
---@field wide? boolean      only with two blanks
---@field least? integer     cells that the subject may be cut to; nil: it stands whole
---@field part? boolean      the end of a file's name will do
---@field kind? boolean
---@field counts? boolean
---@field bare? boolean      without subject
---@field names? boolean
---@field always? boolean
---@field diff? boolean
---@field file? boolean     the key that refuses one of several files
---@field only_file? boolean  only where there is that key
---@field short? boolean     the modifier once, and then the digits
---@field several? boolean   only where another question is open: which one it is says more than further keys

---@type acp.BarStep[]
local STEPS = {
  { wide = true, kind = true, counts = true, names = true, always = true, file = true, diff = true },
  { wide = true, least = 12, kind = true, counts = true, names = true, always = true, file = true, diff = true },
  { least = 12, counts = true, names = true, always = true, file = true, diff = true },
  { least = 6, names = true, always = true, file = true, diff = true },
  { least = 6, names = true, file = true, diff = true, only_file = true },
  { bare = true, names = true, file = true, diff = true, only_file = true },
  { bare = true, names = true, file = true, only_file = true },
  { least = 6, names = true, always = true, diff = true },
  { least = 6, names = true, diff = true, several = true },
  { least = 6, names = true, several = true },
  { bare = true, names = true, always = true, diff = true },
  { least = 7, names = true, diff = true },
  { least = 7, part = true, names = true, diff = true },
  { bare = true, names = true, diff = true },
  { least = 7, part = true, names = true },
  { bare = true, names = true },
  { bare = true, names = true, short = true },
  { bare = true },
  { bare = true, short = true },
}
local WIDE, ANY = { 2 }, { 2, 1 } -- blanks between two keys

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
  if path and path[1] == #line - #subject.text then -- the agent's words behind it stand in the chat
    line = line:sub(1, path[2]) .. line:sub(path[2] + 1):gsub("  .*", "")
    subject.text = line:sub(path[1] + 1)
  end
  subject.is_path = path ~= nil and path[2] >= #line - 5 -- a line's number may stand behind it
  if subject.is_path then
    subject.text = subject.text:gsub(" and %d+ more$", "") -- the beginning of a path goes first
  end
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

--- The answers that stand in the bar: all, or those that count once, if there are any, and the one that waits for its
--- key again: that a no is still possible must be seen.
---@param keys acp.BarKeys
---@param step acp.BarStep
---@return acp.BarKey[]
local function answers_of(keys, step)
  local some = vim.tbl_filter(function(answer)
    return answer.is_armed or not answer.is_always
  end, keys.answers)
  return (step.always or #some == 0) and keys.answers or some
end

--- Builds the part of the bar after the subject: the keys with what they answer.
---@param keys acp.BarKeys
---@param step acp.BarStep
---@param gap integer  between two keys
---@param more integer
---@return acp.BarChunk[]
local function answers(keys, step, gap, more)
  local chunks, before = {}, keys.before
  local function add(key, text)
    vim.list_extend(chunks, { { (" "):rep(gap) }, { before .. key, true }, { text ~= "" and " " .. text or "" } })
    before = ""
  end
  local listed = answers_of(keys, step)
  if step.short and keys.modifier and listed[1].short then
    add(keys.modifier, "")
  end
  for _, answer in ipairs(listed) do
    add(step.short and answer.short or answer.key, step.names and answer.name or answer.mark)
  end
  if step.file and keys.file then
    add(keys.file.key, keys.file.name)
  end
  if step.diff and keys.diff then
    add(keys.diff.key, keys.diff.name)
  end
  if more > 0 then
    vim.list_extend(chunks, { { ("%s%d more"):format((" "):rep(2 * gap - 1), more) } })
  end
  return chunks
end

--- The cells that a path needs so that its file is named, if that is not too long.
---@param subject acp.BarSubject
---@return integer
local function least_of(subject)
  local name = vim.fn.strwidth(vim.fs.basename(subject.text)) + 2
  return subject.is_path and name <= LONGEST_NAME and name or 0
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
  local least = step.least and math.max(step.least, step.part and 0 or least_of(subject)) or whole
  if room < math.min(whole, least) then
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
  local subject = subject_of(question)
  local armed = vim.iter(keys.answers):find(function(answer)
    return answer.is_armed
  end)
  for _, step in ipairs(STEPS) do
    for _, gap in ipairs(step.wide and WIDE or ANY) do
      local chunks = answers(keys, step, gap, more)
      local fits = (not step.several or more > 0) and (not step.only_file or keys.file)
      fits = fits and not (step.short and armed) -- its key stands whole
      local margin = step.bare and gap == 1 and 0 or 1
      local head = fits and head_of(subject, step, width - margin - width_of(chunks))
      if head then
        table.insert(chunks, 1, { head })
        return chunks
      end
    end
  end
  local last = armed and armed.key .. " " .. armed.name or keys.modifier or keys.answers[1].key
  return { { " ? " }, { printable.cut(keys.before .. last, math.max(1, width - 3)), true } }
end

--- The question that keys and commands are about: the one on whose diff the user is, else the oldest.
---@param questions acp.Question[]
---@param win integer  where the user is
---@return acp.Question?
local function asked(questions, win)
  local here = diff_view.question_here(win)
  for _, question in ipairs(questions) do
    if question.id == here then
      return question
    end
  end
  return questions[1]
end

--- The bar as a statusline expression; nil: nothing is asked in that session.
---@param n integer
---@param place "insert"|"normal"|"elsewhere"
---@param mode string  as mode() tells
---@param width integer
---@return string?
function M.text(n, place, mode, width)
  local questions = session_store.questions(n)
  local win = tonumber(vim.g.actual_curwin) or api.nvim_get_current_win() -- Neovim makes ours the current one
  win = api.nvim_win_is_valid(win) and win or 0
  local question = asked(questions, win)
  if not question then
    return nil
  end
  local lit = answer_gate.is_lit(question)
  local parts = {}
  for _, chunk in
    ipairs(fitted(question, bar_keys.of(question, place, mode, api.nvim_win_get_buf(win)), width, #questions - 1))
  do
    local group = chunk[2] and lit and "AcpQuestionKey" or "AcpQuestionBar"
    parts[#parts + 1] = ("%%#%s#%s"):format(group, (chunk[1]:gsub("%%", "%%%%")))
  end
  return table.concat(parts) .. "%#AcpQuestionBar#"
end

return M
