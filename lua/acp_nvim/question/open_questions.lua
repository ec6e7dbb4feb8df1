-- Decides which questions may be answered: those that have been on the screen. Any other is shown first.
local announcement = require("acp_nvim.question.announcement")
local answer_gate = require("acp_nvim.question.answer_gate")
local chats = require("acp_nvim.chat.buffer")
local config = require("acp_nvim.config.settings")
local decoration_provider = require("acp_nvim.chat.decoration_provider")
local diff_view = require("acp_nvim.question.diff_view")
local focus = require("acp_nvim.ui.focus")
local form = require("acp_nvim.form.window")
local messages = require("acp_nvim.ui.messages")
local scroll = require("acp_nvim.question.scroll")
local seen_rows = require("acp_nvim.question.seen_rows")
local session_store = require("acp_nvim.backend.session_store")
local session_windows = require("acp_nvim.windows.session_windows")
local unasked_message = require("acp_nvim.ui.unasked_message")
local visible_rows = require("acp_nvim.question.visible_rows")

local api = vim.api
local M = {}

---@class acp.Question: acp.message.OpenQuestion

local open = {} ---@type table<integer, acp.Question>
local announced = {} ---@type table<integer, true>
local being_drawn = {} ---@type table<integer, integer>  window -> session
local told = {} ---@type table<integer, integer>  question -> the number of our last message about it

-- What has been drawn -------------------------------------------------------------------------------------------------

--- Records that Neovim draws a window on the session's chat.
---@param session integer
---@param win integer
function M.drawing(session, win)
  being_drawn[win] = session
end

--- Is everything that the question asks for on the screen as a diff?
---@param question acp.Question
---@return boolean
local function is_shown_as_diff(question)
  return not question.more and diff_view.is_shown(question)
end

--- Is the current version on the screen, in the chat or as a diff that shows all of it?
---@param question acp.Question
---@return boolean
local function is_on_screen(question)
  if is_shown_as_diff(question) then
    return true
  elseif #api.nvim_list_uis() == 0 then -- nobody draws
    seen_rows.record(question)
  end
  return seen_rows.has_seen(question)
end

--- Records which questions were on the screen that Neovim has drawn.
function M.drawn()
  if not next(being_drawn) then
    return
  end
  local keys = {} ---@type table<integer, table<integer|string, true>>  session -> entries on the screen
  for win, session in pairs(being_drawn) do
    local chat = api.nvim_win_is_valid(win) and chats.get(session)
    if chat then
      keys[session] = vim.tbl_extend("force", keys[session] or {}, visible_rows.entries_in(win, chat))
    end
    being_drawn[win] = nil
  end
  for _, question in pairs(open) do
    local here = keys[question.session]
    if here and (here[question.key] or here[question.id]) then
      seen_rows.record(question)
    end
  end
  for session, here in pairs(keys) do
    answer_gate.drawn(session, function(question)
      if here[question.key] or here[question.id] then
        return is_on_screen(question) or question.cut and #visible_rows.visible_parts(question) > 0
      end
      return is_shown_as_diff(question) -- whatever the chat shows
    end)
  end
end

---@param session integer
local function draw_again(session)
  local chat = chats.get(session)
  if chat then
    -- Without `flush = false` Neovim 0.12 draws at once, in the middle of a frame.
    api.nvim__redraw({ buf = chat.buf, valid = false, flush = false })
  end
end

--- May the question be answered? Only if its current version is on the screen, or a diff that shows all of it; and a
--- key has been typed since Neovim has lost the focus, if it has.
---@param question acp.Question
---@return boolean
function M.can_answer(question)
  return not focus.is_away() and is_on_screen(open[question.id] or question)
end

--- May the question be refused? If it is too long for the chat, it is enough that a part of it is on the screen.
---@param question acp.Question
---@param option? table
---@return boolean
function M.can_refuse(question, option)
  local rejects = option ~= nil and vim.startswith(option.kind, "reject")
  return rejects and question.cut and not focus.is_away() and #visible_rows.visible_parts(question) > 0
end

--- Returns why the question may not be answered yet, and what to do. The caller shows the question.
---@param question acp.Question
---@return string message
function M.why_unseen(question)
  if focus.is_away() then
    return "not sent: no key has been typed since Neovim lost the focus"
  elseif visible_rows.is_covered(question) then
    return "not sent: a float covers the question, leave it and repeat"
  end
  return "not sent: the question was not fully visible. It is now: repeat to answer"
end

--- Does the option only open the question's form?
---@param question table
---@param option? table
---@return boolean
function M.opens_form(question, option)
  return option ~= nil and option.id == "answer" and #(question.fields or {}) > 0
end

--- Returns why the option cannot be chosen: what the chat cannot show whole may be refused, or allowed by a rule, but
--- not allowed here. Nor is an answer sent that would drop the user's edits of a proposal.
---@param question table
---@param option table
---@return string? message
function M.why_not(question, option)
  if question.cut and not vim.startswith(option.kind, "reject") and not M.opens_form(question, option) then
    return "not sent: too long to be shown in full, so it can only be rejected"
  end
  return diff_view.why_not(question, option)
end

-- Showing it ----------------------------------------------------------------------------------------------------------

--- Scrolls the question into view; the user's window, cursor and mode stay.
---@param question acp.Question
function M.show(question)
  question = open[question.id] or question
  if not session_windows.open(question.session) then
    return
  end
  local lines = visible_rows.lines_of(question)
  for _, win in ipairs(lines and vim.fn.win_findbuf(lines.chat.buf) or {}) do
    if lines and api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage() then
      scroll.show(win, question, lines)
    end
  end
  draw_again(question.session)
end

--- Shows why an answer was not sent; the message is cleared when the question ends. The question is not announced any
--- more: the announcement would replace this message.
---@param question acp.Question
---@param why string
function M.refuse(question, why)
  announced[question.id] = true
  messages.show("warn", why)
  told[question.id] = messages.shown_so_far()
end

---@param id integer
---@return boolean
local function is_out_of_sight(id)
  return open[id] ~= nil and (focus.is_away() or not visible_rows.is_visible(open[id]))
end

--- Announces a question that is out of sight, once.
---@param id integer
function M.announce(id)
  if announced[id] or not config.get().notify or not is_out_of_sight(id) then
    return
  end
  announced[id] = true
  unasked_message.show("warn", announcement.message(open[id]), function()
    return is_out_of_sight(id)
  end)
end

-- The seam ------------------------------------------------------------------------------------------------------------

---@param question acp.Question
local function begun(question)
  if not diff_view.offer(question) then
    vim.schedule(function() -- its lines come with the same frame
      M.announce(question.id)
    end)
  end
end

---@param question acp.Question
local function ended(question)
  announced[question.id] = nil
  if told[question.id] then
    messages.clear_outdated(told[question.id])
    told[question.id] = nil
  end
  seen_rows.forget(question.id)
  answer_gate.forget(question.id)
  diff_view.ended(question.id)
  form.ended(question.id)
end

--- Called with all open questions of a session when they have changed.
---@param n integer
---@param list acp.Question[]
function M.update(n, list)
  local before = open
  open = {}
  for id, question in pairs(before) do
    open[id] = question.session ~= n and question or nil
  end
  for _, question in ipairs(list) do
    open[question.id] = question
    if not before[question.id] then
      begun(question)
    end
  end
  for id, question in pairs(before) do
    local now = open[id]
    if not session_store.is_answered(id) and (not now or now.version ~= question.version) then
      answer_gate.lines_moved(n)
    end
    if not now then
      ended(question)
    end
  end
  chats.set_asking(n, #list > 0)
  draw_again(n)
end

--- The question whose lines contain the row.
---@param n integer
---@param row integer
---@return acp.Question?
function M.at(n, row)
  for _, question in pairs(open) do
    local lines = question.session == n and visible_rows.lines_of(question)
    if lines and lines.first <= row and row <= lines.last then
      return question
    end
  end
end

--- Begins to record what is drawn and what the user types. Called with the first chat.
function M.attend()
  answer_gate.attend()
  local group = api.nvim_create_augroup("acp_nvim.question", {})
  -- The user leaves a float that hid a question: its chat is drawn again, so that the question counts as seen.
  api.nvim_create_autocmd("WinEnter", {
    group = group,
    callback = function()
      for _, question in pairs(open) do
        draw_again(question.session)
      end
    end,
  })

  -- Who comes back has to see the question first, as with one that has just come.
  focus.on_gained(function()
    seen_rows.forget()
    answer_gate.forget()
    for _, question in pairs(open) do
      draw_again(question.session)
      if is_shown_as_diff(question) then
        answer_gate.shown(question)
      end
    end
  end)

  decoration_provider.on_window(M.drawing)
  decoration_provider.on_drawn(M.drawn)
end

return M
