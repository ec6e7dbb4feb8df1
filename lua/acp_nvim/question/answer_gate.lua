-- Decides when an answer counts: only once its question, in its current version, has been on the screen for 0.7 s. A
-- key pressed at the moment a question appears was meant for something else. One clock holds for every way to answer:
-- keys, the user's own mappings, macros, the mouse, `:w` in a proposal, and `:Acp accept` and the like.
--
--   0 ms      the question appears
--   500       g1, or `:` of `:Acp accept`, or `@q`    too soon, also if the command or the macro ends later
--   700       the keys of the bar light up
--   800       g1                                      answers
--
-- A key that is held since before comes again and again: it counts once it has been let go. The clock starts again when
-- Neovim gains the focus.
local focus = require("acp_nvim.ui.focus")
local session_store = require("acp_nvim.backend.session_store")
local winbar = require("acp_nvim.chat.winbar")

local api = vim.api
local M = {}

local LONG_MS = 700
local HELD_MS = 250 -- a key that is held comes again sooner
local COUNT_MS = 400 -- what follows a digit within this time makes it a count

local TOO_SOON = "the question has just appeared: press %s again"
local TYPED_TOO_SOON = "not sent: the question has just appeared, repeat to answer"
local CHANGED = "not sent: the question came or changed while you typed, repeat to answer"

---@class acp.OnScreenSince
---@field look string    the question and its version
---@field at integer     when it was first drawn so

local seen = {} ---@type table<integer, acp.OnScreenSince>  by question
local active = {} ---@type table<integer, acp.OnScreenSince>  by session: the question of its bar
local moved = {} ---@type table<integer, integer>  by session: when the agent last took a question back or changed it
local refused = {} ---@type table<integer, integer>  by session: when an answer last came too soon
-- When the `:` of the command line was typed that is open or carried out.
local command ---@type { at: integer }?

---@param question acp.Question
---@return string
local function look_of(question)
  return ("%d:%s"):format(question.id, question.version)
end

---@param table_of table<integer, acp.OnScreenSince>
---@param key integer
---@param question acp.Question
---@return boolean fresh
local function begin(table_of, key, question)
  local look = look_of(question)
  if table_of[key] and table_of[key].look == look then
    return false
  end
  table_of[key] = { look = look, at = vim.uv.now() }
  return true
end

---@param since? acp.OnScreenSince
---@param question acp.Question
---@param at integer
---@param least? integer  ms
---@return boolean
local function is_long(since, question, at, least)
  return since ~= nil and since.look == look_of(question) and at - since.at >= (least or LONG_MS)
end

---@param question acp.Question
---@return boolean  it is the one of its session's bar
local function is_first(question)
  local first = session_store.questions(question.session)[1]
  return first ~= nil and first.id == question.id
end

--- The bar's keys light up when they count.
---@param n integer
---@param ms integer
local function light_up(n, ms)
  vim.defer_fn(function()
    winbar.refresh(n)
  end, ms)
end

--- Notes that the session's chat has been drawn. `is_seen` tells which of its questions are on the screen.
---@param n integer
---@param is_seen fun(question: acp.Question): boolean
function M.drawn(n, is_seen)
  local fresh = false
  for index, question in ipairs(session_store.questions(n)) do
    local known = seen[question.id]
    if (known and known.look == look_of(question)) or is_seen(question) then
      fresh = begin(seen, question.id, question) or fresh
      fresh = (index == 1 and begin(active, n, question)) or fresh
    end
  end
  if fresh then
    light_up(n, LONG_MS)
  end
end

--- Notes that the question is on the screen outside its chat, as a diff.
---@param question acp.Question
function M.shown(question)
  local fresh = begin(seen, question.id, question)
  if is_first(question) and begin(active, question.session, question) or fresh then
    light_up(question.session, LONG_MS)
  end
end

--- Notes that the agent has withdrawn or changed a question: its lines in the chat move, and the cursor may be on
--- another question now.
---@param n integer
function M.lines_moved(n)
  moved[n] = vim.uv.now()
end

---@class acp.Intent
---@field place "bar"|"cursor"|"diff"|"merge"  which question is meant: that of the bar, of the cursor, of the window
---@field key? string  that was pressed, as the user knows it
---@field at? integer  when; default: `meant_at`
---@field typed? string  the key as it came from the keyboard, where others have come since

--- Has the question been on the screen long enough at that time? A merge is the user's own text: it is enough that it
--- was there.
---@param question acp.Question
---@param place "bar"|"cursor"|"diff"|"merge"
---@param at integer
---@return boolean
local function is_open(question, place, at)
  if #api.nvim_list_uis() == 0 then -- nobody draws
    return true
  elseif place == "bar" and not is_long(active[question.session], question, at) then
    return false
  end
  return is_long(seen[question.id], question, at, place == "merge" and 0 or nil)
end

--- Is a key held since it came too soon?
---@param question acp.Question
---@param at integer
---@return boolean
local function is_held(question, at)
  return not command and at - (refused[question.session] or 0) < HELD_MS
end

--- Do the keys of the bar count now?
---@param question acp.Question  of the bar
---@return boolean
function M.is_lit(question)
  return is_open(question, "bar", vim.uv.now()) and not is_held(question, vim.uv.now())
end

--- Returns when the user decided to answer: when `:` was typed, or the key that runs the macro; else now.
---@return integer
function M.meant_at()
  return command and command.at or vim.fn.reg_executing() ~= "" and focus.typed_at() or vim.uv.now()
end

--- Why an answer to a question that is on the screen does not count yet.
---@param question acp.Question
---@param intent acp.Intent
---@return string? message
function M.why_not(question, intent)
  local at, n = intent.at or M.meant_at(), question.session
  local is_at_rest = intent.place ~= "cursor" or at - (moved[n] or 0) >= LONG_MS
  if is_open(question, intent.place, at) and is_at_rest and not is_held(question, at) then
    return nil
  end
  M.shown(question) -- where its chat is closed nothing is drawn
  refused[n] = vim.uv.now()
  light_up(n, HELD_MS)
  if intent.key or not command then
    return TOO_SOON:format(intent.key or "the key")
  end
  local since = math.max(seen[question.id].at, intent.place == "bar" and active[n] and active[n].at or 0)
  return since >= command.at and CHANGED or TYPED_TOO_SOON
end

--- How long a digit waits for what may follow it, in milliseconds.
---@return integer
function M.after_digit()
  return vim.o.timeout and math.min(vim.o.timeoutlen, COUNT_MS) or COUNT_MS
end

---@param id? integer  default: all
function M.forget(id)
  if id then
    seen[id] = nil
  else
    seen, active = {}, {}
  end
end

---@return boolean  a command line within the command-line window, which belongs to one that is typed already
local function is_nested()
  return vim.fn.getcmdwintype() ~= ""
end

--- Begins to note when commands are typed. Called with the first chat.
function M.attend()
  local group = api.nvim_create_augroup("acp_nvim.answer_gate", {})
  api.nvim_create_autocmd("CmdlineEnter", {
    group = group,
    pattern = ":",
    callback = function()
      if not is_nested() then
        command = { at = vim.fn.reg_executing() ~= "" and focus.typed_at() or vim.uv.now() }
      end
    end,
  })

  api.nvim_create_autocmd("CmdlineLeave", {
    group = group,
    pattern = ":",
    callback = function()
      local left = command
      if is_nested() then
        return
      end
      vim.schedule(function() -- the command runs first
        if command == left then
          command = nil
        end
      end)
    end,
  })
end

return M
