-- What an agent wants to do to a file, as a diff: left the file as it is now, right as it shall become. The text of the
-- right side is the decision; the backend makes of it what goes to the agent.
local answering = require("acp_nvim.proposal.answering")
local aside = require("acp_nvim.proposal.aside")
local decision = require("acp_nvim.proposal.decision")
local desk = require("acp_nvim.proposal.desk")
local ending = require("acp_nvim.proposal.ending")
local held_back = require("acp_nvim.proposal.held_back")
local left_side = require("acp_nvim.proposal.left")
local right_side = require("acp_nvim.proposal.right")
local messages = require("acp_nvim.ui.messages")
local sheet = require("acp_nvim.proposal.sheet")
local sides = require("acp_nvim.sides")
local state = require("acp_nvim.backend.session_store")
local unsaved = require("acp_nvim.proposal.unsaved")

local api = vim.api
local M = {
  accept = decision.accept,
  answer = answering.answer,
  cancelled = ending.cancelled,
  done = decision.done,
  ended = ending.ended,
  keep_aside = aside.keep,
  settle = decision.settle,
  texts = desk.texts,
  why_not = answering.why_not,
}

-- Is there room for it ------------------------------------------------------------------------------------------------

---@return boolean  the user is doing nothing that windows could disturb
local function idle()
  local mode = api.nvim_get_mode()
  local busy = vim.fn.getcmdwintype() ~= "" or vim.fn.reg_recording() ~= "" or vim.fn.reg_executing() ~= ""
  local floats = api.nvim_win_get_config(0).relative ~= ""
  return mode.mode == "n" and not mode.blocking and not busy and not floats and vim.fn.state("moS") == ""
end

---@param session integer
---@return boolean
local function may_open_itself(session)
  local taken = vim.iter(vim.tbl_values(desk.open)):any(desk.is_here)
  return not taken and idle() and sides.has_room() and state.current() == session
end

--- The windows of one tabpage show one proposal.
---@param key integer
local function make_room(key)
  for other, proposal in pairs(desk.open) do
    if other ~= key and desk.is_here(proposal) then
      ending.close(other)
    end
  end
end

-- Its windows ---------------------------------------------------------------------------------------------------------

--- The first change in the middle of both windows, their cursors on it.
---@param proposal acp.Proposal
local function show_first(proposal)
  for index, win in pairs({ proposal.sides.left or false, proposal.sides.right }) do
    if win then
      local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
      api.nvim_win_set_cursor(win, { math.max(1, math.min(proposal.shown.first[index], last)), 0 })
    end
  end
  api.nvim_win_call(proposal.sides.right, function()
    vim.cmd("normal! zz")
  end)
end

--- Several files are a quickfix list: `:cnext` goes on.
---@param proposal acp.Proposal
local function set_list(proposal)
  local shown, items = proposal.shown, {}
  for index, file in ipairs(shown.files) do
    local text = ("%s: %s"):format(file.decided and "decided" or "to be decided", file.name)
    items[index] = { bufnr = right_side.buffer(proposal, index), lnum = 1, text = text }
  end
  local what = { items = items, title = "acp: files of the proposal", idx = shown.at, id = proposal.list }
  vim.fn.setqflist({}, proposal.list and "r" or " ", what)
  proposal.list = vim.fn.getqflist({ id = 0 }).id
end

---@param proposal acp.Proposal
---@return { on_closed: fun(alone: boolean), is_ours: fun(win: integer, buf: integer): boolean }
local function hooks_of(proposal)
  return {
    on_closed = function(alone)
      local question = proposal.shown.question
      if desk.is_open(proposal) then
        ending.forget(desk.key_of(proposal))
      end
      if alone and question and state.question(question) then
        messages.show("warn", "this is still asked, all is kept: :Acp shows the question")
      end
    end,
    is_ours = function(win, buf)
      return proposal.sides.right == win and vim.list_contains(vim.tbl_values(proposal.rights), buf)
    end,
  }
end

---@param proposal acp.Proposal
---@param left? integer  buffer
---@param right integer  buffer
local function show_sides(proposal, left, right)
  local shown = proposal.shown
  if not sides.is_open(proposal.sides) then
    proposal.sides = sides.open(left, right, shown, hooks_of(proposal))
    return
  end
  sides.show(proposal.sides, left, right, shown.plain)
  if shown.focus then
    api.nvim_set_current_win(proposal.sides.right)
  end
end

---@param proposal acp.Proposal
local function tell_note(proposal)
  local shown = proposal.shown
  if shown.note and (shown.focus or not shown.editable) and not proposal.told then
    proposal.told = true
    messages.show(shown.editable and "info" or "warn", shown.note)
  end
end

---@param proposal acp.Proposal
local function fill(proposal)
  local others = proposal.shown.others
  if others then
    desk.kept[desk.key_of(proposal)] = nil -- made for the one before
    right_side.fill_others(proposal, others)
  end
  right_side.fill(proposal)
  proposal.told_texts = nil
end

---@param proposal acp.Proposal
local function show(proposal)
  local shown, path = proposal.shown, desk.path_of(proposal)
  fill(proposal)
  local left, right = left_side.buffer(proposal), right_side.buffer(proposal, shown.at)
  show_sides(proposal, left, right)
  tell_note(proposal)
  sheet.highlight(path, right, { right, left == proposal.lefts[path] and left or nil })
  sides.set_bars(proposal.sides, shown.left_bar, shown.right_bar)
  left_side.follow(proposal, left)
  unsaved.mark(proposal, left)
  if #shown.files > 1 then
    set_list(proposal)
  end
end

-- The seam ------------------------------------------------------------------------------------------------------------

--- What is shown comes into the proposal that is open, or a new one opens.
---@param key integer
---@param shown acp.ProposedSide
local function show_as(key, shown)
  local proposal = desk.open[key] or { shown = shown, rights = {}, pages = {}, lefts = {}, changed = {} }
  local moved = not desk.open[key] or proposal.shown.at ~= shown.at
  right_side.note_changed(proposal, shown)
  if desk.open[key] and not shown.focus and moved then
    return right_side.fill_behind(proposal, shown)
  end
  proposal.shown, desk.open[key] = shown, proposal
  show(proposal)
  if moved then
    show_first(proposal)
  end
  local question = shown.question and state.question(shown.question)
  if question and question.version == shown.version then
    require("acp_nvim.question.answer_delay").shown(question)
  end
end

---@param question acp.Question
---@return boolean asked_for  false: it may not open now
local function open_by_itself(question)
  if require("acp_nvim.question.open_questions").is_away() or not may_open_itself(question.session) then
    return false
  end
  require("acp_nvim.backend.process").notify("diff", { question = question.id, auto = true })
  return true
end

--- Opens the diff, or shows in the open one what is new.
---@param shown acp.ProposedSide
function M.show(shown)
  local key = shown.question or desk.VIEW
  if shown.question and not state.question(shown.question) then
    return ending.close(key, true)
  elseif shown.auto and not desk.open[key] and (shown.plain or not may_open_itself(shown.session)) then
    if not shown.plain then
      held_back.add(key, open_by_itself)
    end
    return require("acp_nvim.question.open_questions").announce(shown.question)
  end
  held_back.remove(key)
  if key == desk.VIEW then
    ending.close(key)
  end
  make_room(key)
  show_as(key, shown)
end

--- A question has come: its diff opens by itself before a user who is idle, else once the user is.
---@param question acp.Question
---@return boolean taken  false: it is to be announced
function M.offer(question)
  local config = require("acp_nvim.config.settings").get()
  local fits = question.kind == "permission" and question.has_diff
  if not config.review.auto_open or not fits then
    return false
  elseif open_by_itself(question) then
    return true
  end
  held_back.add(question.id, open_by_itself)
  return false
end

--- The question on one of whose sides the user is.
---@return integer?
function M.question_here()
  local proposal = desk.under_cursor()
  return proposal and proposal.shown.question or vim.b.acp_question
end

--- Is the diff of the question as it is now before the user, and have all its files been?
---@param question acp.Question
---@return boolean
function M.is_shown(question)
  local proposal = desk.open[question.id]
  if not proposal or not desk.is_here(proposal) or proposal.shown.version ~= question.version then
    return false
  end
  return next(proposal.changed) == nil
    and vim.iter(proposal.shown.files):all(function(file)
      return proposal.pages[file.path] ~= nil
    end)
end

return M
