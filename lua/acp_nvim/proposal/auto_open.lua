-- Opens a proposal by itself before an idle user. If the user is typing, or in a window that must not be disturbed, or
-- there is no room for sides that can be read, the question is announced, and the oldest one opens after a second
-- without a key in normal mode. What is no diff of the file is announced, and opens when the user asks.
local backend = require("acp_nvim.backend.process")
local build = require("acp_nvim.proposal.build")
local config = require("acp_nvim.config.settings")
local diff_windows = require("acp_nvim.proposal.diff_windows")
local focus = require("acp_nvim.ui.focus")
local open_questions = require("acp_nvim.question.open_questions")
local session_store = require("acp_nvim.backend.session_store")
local store = require("acp_nvim.proposal.store")

local api = vim.api
local M = {}

local IDLE_MS = 1000
local LOOK_MS = 200 -- between two looks at whether the user is idle

local waiting = {} ---@type table<integer, true>  questions
local is_looking = false
local last_key = 0 -- when
local keys = api.nvim_create_namespace("acp_nvim.proposal.auto_open")

---@return boolean  the user is doing nothing that windows could disturb
local function is_idle()
  local mode = api.nvim_get_mode()
  local busy = vim.fn.getcmdwintype() ~= "" or vim.fn.reg_recording() ~= "" or vim.fn.reg_executing() ~= ""
  local floats = api.nvim_win_get_config(0).relative ~= ""
  return mode.mode == "n" and not mode.blocking and not busy and not floats and vim.fn.state("moS") == ""
end

---@param session integer
---@return boolean
local function may_open(session)
  local taken = vim.iter(vim.tbl_values(store.all)):any(store.is_here)
  return not taken and is_idle() and diff_windows.has_room() and session_store.current() == session
end

---@param question acp.Question
---@return boolean asked_for  false: it may not open now
local function ask_for(question)
  if focus.is_away() or not may_open(question.session) then
    return false
  end
  backend.notify("diff", { question = question.id, auto = true })
  return true
end

local function look()
  local oldest ---@type acp.Question?
  for id in pairs(waiting) do
    local question = session_store.question(id)
    waiting[id] = question and true
    oldest = question and (not oldest or id < oldest.id) and question or oldest
  end
  if oldest and vim.uv.now() - last_key >= IDLE_MS and ask_for(oldest) then
    waiting[oldest.id] = nil
  end
  is_looking = next(waiting) ~= nil
  if is_looking then
    vim.defer_fn(look, LOOK_MS)
  else
    vim.on_key(nil, keys)
  end
end

---@param id integer
local function open_later(id)
  waiting[id] = true
  if not is_looking then
    is_looking, last_key = true, vim.uv.now()
    vim.on_key(function()
      last_key = vim.uv.now()
    end, keys)
    vim.defer_fn(look, LOOK_MS)
  end
end

--- Opens the diff of a new question before an idle user, else once the user is idle.
---@param question acp.Question
---@return boolean taken  false: it is to be announced
function M.offer(question)
  local fits = question.kind == "permission" and question.has_diff
  if not config.get().review.auto_open or not fits then
    return false
  elseif ask_for(question) then
    return true
  end
  open_later(question.id)
  return false
end

--- Is it a diff of the file? Not where too much differs, or where the change has no place in the file.
---@param file acp.AgentsFile
---@return boolean
local function is_diff(file)
  return not file.plain and (not file.problem or build.sides(file).fits)
end

--- Is the user no longer idle, now that the diff has come, or is it none? Then its question is announced instead.
---@param message acp.ProposalMessage
---@return boolean
function M.is_announced(message)
  local known = store.all[message.question]
  if not message.auto or known and known.windows then
    return false
  elseif is_diff(message.files[1]) then
    if may_open(message.session) then
      return false
    end
    open_later(message.question)
  end
  open_questions.announce(message.question)
  return true
end

--- Stops waiting: the question is shown, or no longer asked.
---@param id integer
function M.forget(id)
  waiting[id] = nil
end

return M
