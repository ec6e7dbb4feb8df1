-- Decides when a key may answer a question. A key pressed at the moment a question appears was meant for something
-- else, so it counts only after the question, in its current version, has been on the screen and in the prompt's bar
-- for a while. A key that is held since then comes again and again: it counts once it has been let go. A digit on the
-- question's lines may be the beginning of a motion with a count.
local state = require("acp_nvim.backend.session_store")
local winbar = require("acp_nvim.chat.winbar")

local M = {}

local LONG_MS = 700
local HELD_MS = 250 -- a key that is held comes again sooner
local COUNT_MS = 400 -- what follows a digit within this time makes it a count

---@class acp.OnScreenSince
---@field look string    the question and its version
---@field at integer     when it was first drawn so

local seen = {} ---@type table<integer, acp.OnScreenSince>  by question
local active = {} ---@type table<integer, acp.OnScreenSince>  by session: the question of its bar
local moved = {} ---@type table<integer, integer>  by session: when the agent last took a question back or changed it

local refused = {} ---@type table<integer, integer>  by session: when a key last came too soon

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
---@return boolean
local function is_long(since, question)
  return since ~= nil and since.look == look_of(question) and vim.uv.now() - since.at >= LONG_MS
end

--- Notes that the session's chat has been drawn. `is_seen` tells which of its questions are on the screen.
---@param n integer
---@param is_seen fun(question: acp.Question): boolean
function M.drawn(n, is_seen)
  local fresh = false
  for index, question in ipairs(state.questions(n)) do
    local known = seen[question.id]
    if (known and known.look == look_of(question)) or is_seen(question) then
      fresh = begin(seen, question.id, question) or fresh
      fresh = (index == 1 and begin(active, n, question)) or fresh
    end
  end
  if fresh then -- the bar's keys light up when they count
    vim.defer_fn(function()
      winbar.refresh(n)
    end, LONG_MS)
  end
end

--- Notes that the question is shown outside its chat, as a diff.
---@param question acp.Question
function M.shown(question)
  begin(seen, question.id, question)
end

--- Notes that the agent has withdrawn or changed a question: its lines in the chat move, and the cursor may be on
--- another question now.
---@param n integer
function M.lines_moved(n)
  moved[n] = vim.uv.now()
end

---@param n integer
---@return boolean
local function are_lines_at_rest(n)
  return moved[n] == nil or vim.uv.now() - moved[n] >= LONG_MS
end

--- Notes that a key came too soon for a question.
---@param n integer  session
function M.came_too_soon(n)
  refused[n] = vim.uv.now()
  vim.defer_fn(function()
    winbar.refresh(n)
  end, HELD_MS)
end

--- Has it been on the screen long enough to be answered by a key?
---@param question acp.Question
---@param by_bar boolean  the key is one of those that the prompt's bar names; else the cursor is on the question
---@return boolean
function M.may_answer(question, by_bar)
  if #vim.api.nvim_list_uis() == 0 then -- nobody draws
    return true
  elseif vim.uv.now() - (refused[question.session] or 0) < HELD_MS then
    return false
  elseif by_bar and not is_long(active[question.session], question) then
    return false
  end
  return is_long(seen[question.id], question) and (by_bar or are_lines_at_rest(question.session))
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

return M
