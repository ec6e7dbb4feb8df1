-- Draws what an empty chat shows: which agent answers and where, the first keys, and what can be continued. These are
-- virtual lines, which go with the first entry.
local chats = require("acp_nvim.chat.buffer")
local earlier_session = require("acp_nvim.chat.earlier_session")
local event = require("acp_nvim.system.event")
local session_store = require("acp_nvim.backend.session_store")
local welcome_lines = require("acp_nvim.chat.welcome_lines")

local api = vim.api
local on_continue = event.new()

local M = {
  on_continue = on_continue.add, -- fn(cwd): the user wants the last conversation of the folder
}

local NAMESPACE = api.nvim_create_namespace("acp_nvim.welcome")

---@class acp.Greeting
---@field buf integer
---@field asked boolean    for what can be continued
---@field kept? acp.Earlier
---@field text? string     as it is drawn

local greetings = {} ---@type table<integer, acp.Greeting>  session -> what its empty chat shows

---@param buf integer
---@return integer? width
---@return integer? rows  below the first line
local function room(buf)
  local width, rows
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    local height = info.height - (info.winbar or 0) - 1
    if not width or info.width < width then
      width, rows = info.width, height
    end
  end
  return width and width - 2 * welcome_lines.MARGIN, rows
end

---@param chat acp.Chat
---@return boolean
local function is_blank(chat)
  return api.nvim_buf_line_count(chat.buf) == 1
    and api.nvim_buf_get_lines(chat.buf, 0, 1, true)[1] == ""
    and not next(chat.marks)
end

---@param n integer
---@param buf integer
local function draw(n, buf)
  local greeting = greetings[n]
  local width, rows = room(buf)
  if not width or not rows then
    return
  end
  local lines = welcome_lines.of(n, greeting.kept, width, rows)
  local text = vim.inspect(lines)
  if greeting.text ~= text then
    greeting.text = text
    api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
    api.nvim_buf_set_extmark(buf, NAMESPACE, 0, 0, { virt_lines = lines })
  end
end

--- Asks the backend, once, what could be continued instead.
---@param n integer
local function ask(n)
  greetings[n].asked = earlier_session.find_saved(session_store.session(n).origin.cwd, function(kept)
    if greetings[n] then
      greetings[n].kept = kept
      M.refresh(n)
    end
  end)
end

--- Draws the welcome of an empty chat, or removes it.
---@param n integer
function M.refresh(n)
  local chat, greeting = chats.get(n), greetings[n]
  local shows = chat and session_store.exists(n) and earlier_session.is_empty(n) and is_blank(chat)
  if chat and shows then
    greetings[n] = greeting and greeting.buf == chat.buf and greeting or { buf = chat.buf, asked = false }
    draw(n, chat.buf --[[@as integer]])
    if not greetings[n].asked then
      ask(n)
    end
  elseif greeting then
    greetings[n] = nil
    if api.nvim_buf_is_valid(greeting.buf) then
      api.nvim_buf_clear_namespace(greeting.buf, NAMESPACE, 0, -1)
    end
  end
end

--- Removes the welcome if text has come.
---@param n integer
function M.text_has_come(n)
  if greetings[n] then
    M.refresh(n)
  end
end

--- Continues what the empty chat offers to continue.
---@param n integer
---@return boolean taken  false: it is not empty, or there is nothing
function M.continue(n)
  local greeting = greetings[n]
  if greeting and (greeting.kept or earlier_session.newest_live(session_store.session(n).origin.cwd)) then
    on_continue.call(session_store.session(n).origin.cwd)
    return true
  end
  return false
end

session_store.on_change(function(n)
  if greetings[n] then
    M.refresh(n)
  end
end)

api.nvim_create_autocmd({ "WinResized", "WinEnter", "FocusGained" }, {
  group = api.nvim_create_augroup("acp_nvim.welcome", {}),
  callback = function()
    for n in pairs(greetings) do
      M.refresh(n)
    end
  end,
})

return M
