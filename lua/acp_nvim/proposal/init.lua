-- What an agent wants to do to a file, as a diff: left the file as it is now, right as it shall become. The text of the
-- right side is the decision; the backend makes of it what goes to the agent.
local answer_delay = require("acp_nvim.question.answer_delay")
local answer_elsewhere = require("acp_nvim.proposal.answer_elsewhere")
local open_questions = require("acp_nvim.question.open_questions")
local backend = require("acp_nvim.backend.process")
local bars = require("acp_nvim.proposal.bars")
local buffers = require("acp_nvim.proposal.buffers")
local build = require("acp_nvim.proposal.build")
local close = require("acp_nvim.proposal.close")
local config = require("acp_nvim.config.settings")
local decision = require("acp_nvim.proposal.decision")
local diff_windows = require("acp_nvim.proposal.diff_windows")
local focus = require("acp_nvim.ui.focus")
local held_back = require("acp_nvim.proposal.held_back")
local left_side = require("acp_nvim.proposal.left_side")
local messages = require("acp_nvim.ui.messages")
local on_write = require("acp_nvim.proposal.on_write")
local right_side = require("acp_nvim.proposal.right_side")
local state = require("acp_nvim.backend.session_store")
local store = require("acp_nvim.proposal.store")
local unsaved_lines = require("acp_nvim.proposal.unsaved_lines")

local api = vim.api
local M = {
  answer = answer_elsewhere.answer,
  cancelled = close.cancelled,
  done = decision.done,
  ended = close.ended,
  preview = build.preview,
  settle = decision.settle,
  why_not = answer_elsewhere.why_not,
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
  local taken = vim.iter(vim.tbl_values(store.open)):any(store.is_here)
  return not taken and idle() and diff_windows.has_room() and state.current() == session
end

--- The windows of one tabpage show one proposal.
---@param key integer
local function make_room(key)
  for other, proposal in pairs(store.open) do
    if other ~= key and store.is_here(proposal) then
      close.close(other)
    end
  end
end

-- Its windows ---------------------------------------------------------------------------------------------------------

--- The first lines that differ.
---@param file acp.ProposalFile
---@return integer line
local function first_change(file)
  local left = vim.split(file.sides.left or "", "\n", { plain = true })
  local right = vim.split(file.sides.right or "", "\n", { plain = true })
  for row = 1, math.min(#left, #right) do
    if left[row] ~= right[row] then
      return row
    end
  end
  return math.min(#left, #right) + 1
end

--- The first change in the middle of both windows, their cursors on it.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
local function show_first(proposal, file)
  local windows, row = proposal.windows, first_change(file)
  for _, win in pairs({ windows.left or false, windows.right }) do
    if win then
      local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
      api.nvim_win_set_cursor(win, { math.max(1, math.min(row, last)), 0 })
    end
  end
  api.nvim_win_call(windows.right, function()
    vim.cmd("normal! zz")
  end)
end

---@param proposal acp.Proposal
---@return { on_closed: fun(alone: boolean), is_ours: fun(win: integer, buf: integer): boolean }
local function hooks_of(proposal)
  local key = proposal.key
  return {
    on_closed = function(alone)
      if store.open[key] then
        close.forget(key)
      end
      if alone and state.question(key) then
        messages.show("warn", "this is still asked, all is kept: :Acp shows the question")
      end
    end,
    is_ours = function(win, buf)
      local now = store.open[key]
      return now ~= nil
        and now.windows ~= nil
        and now.windows.right == win
        and vim.iter(now.files):any(function(file)
          return file.buf == buf
        end)
    end,
  }
end

---@param proposal acp.Proposal
---@param left? integer  buffer
---@param right integer  buffer
---@param how { focus: boolean, plain?: boolean }
local function show_sides(proposal, left, right, how)
  if not diff_windows.is_open(proposal.windows) then
    proposal.windows = diff_windows.open(left, right, how, hooks_of(proposal))
    return
  end
  diff_windows.show(proposal.windows, left, right, how.plain)
  if how.focus then
    api.nvim_set_current_win(proposal.windows.right)
  end
end

---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@param note? string
---@param focus boolean
local function tell_note(proposal, file, note, focus)
  local editable = right_side.is_editable(proposal, file)
  if note and (focus or not editable) and not proposal.told then
    proposal.told = true
    messages.show(editable and "info" or "warn", note)
  end
end

local show_file ---@type fun(proposal: acp.Proposal, index: integer, focus: boolean)

--- A right side has come into a window by another way than ours: the quickfix list, most of the time.
---@param key integer
---@param buf integer
---@param win integer
local function entered(key, buf, win)
  local proposal = store.open[key]
  if not proposal or not diff_windows.is_open(proposal.windows) or not api.nvim_win_is_valid(win) then
    return
  end
  for index, file in ipairs(proposal.files) do
    if file.buf == buf and index ~= proposal.at and api.nvim_win_get_buf(win) == buf then
      if win ~= proposal.windows.right then -- that window is the user's
        api.nvim_win_call(win, function()
          vim.cmd("silent! buffer #")
        end)
      end
      return show_file(proposal, index, true)
    end
  end
end

--- Shows another file of the question that is open, in front of the user.
---@param key integer
---@param index integer
local function go_to(key, index)
  local proposal = store.open[key]
  if proposal then
    show_file(proposal, index, true)
  end
end

---@param proposal acp.Proposal
---@param file acp.ProposalFile
local function make_buffer(proposal, file)
  local key = proposal.key
  if not right_side.make_buffer(proposal, file) or key == store.VIEW then
    return
  end
  local buf = file.buf --[[@as integer]]
  on_write.listen(key, file.path, buf, function(index)
    go_to(key, index)
  end)
  api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    callback = function()
      local win = api.nvim_get_current_win()
      vim.schedule(function()
        entered(key, buf, win)
      end)
    end,
  })
end

--- Several files are a quickfix list: `:cnext` goes on.
---@param proposal acp.Proposal
local function set_list(proposal)
  local items = {}
  for index, file in ipairs(proposal.files) do
    make_buffer(proposal, file)
    local text = ("%s: %s"):format(file.decided and "decided" or "to be decided", file.name)
    items[index] = { bufnr = file.buf, lnum = 1, text = text }
  end
  local what = { items = items, title = "acp: files of the proposal", idx = proposal.at, id = proposal.list }
  vim.fn.setqflist({}, proposal.list and "r" or " ", what)
  proposal.list = vim.fn.getqflist({ id = 0 }).id
end

---@param proposal acp.Proposal
---@param focus boolean
local function show(proposal, focus)
  local file = store.current_file(proposal)
  make_buffer(proposal, file)
  right_side.show(proposal, file)
  local left, right = left_side.buffer(proposal, file), file.buf --[[@as integer]]
  local left_bar, right_bar, note = bars.of(proposal, file)
  show_sides(proposal, left, right, { focus = focus, plain = file.sent.plain })
  tell_note(proposal, file, note, focus)
  buffers.highlight(file.path, right, { right, left == file.left_buf and left or nil })
  diff_windows.set_bars(proposal.windows, left_bar, right_bar)
  left_side.follow(proposal, file, left)
  unsaved_lines.mark(proposal, file, left)
  if #proposal.files > 1 then
    set_list(proposal)
  end
end

show_file = function(proposal, index, focus)
  proposal.at = index
  show(proposal, focus)
  show_first(proposal, store.current_file(proposal))
end

-- What the backend sends ----------------------------------------------------------------------------------------------

---@param message acp.ProposalMessage
---@return acp.Proposal
local function new_proposal(message)
  local files = vim.tbl_map(function(sent)
    return { sent = sent, path = sent.path, name = sent.name, bases = {} }
  end, message.files)
  return { key = message.question or store.VIEW, message = message, files = files, at = 1 }
end

--- The file of the same path as the one that is before the user.
---@param proposal acp.Proposal
---@param old acp.Proposal
---@return integer index
local function same_file(proposal, old)
  local path = store.current_file(old).path
  for index, file in ipairs(proposal.files) do
    if file.path == path then
      return index
    end
  end
  return 1
end

--- Another version takes the place of the one that is open, or of the one that is kept.
---@param message acp.ProposalMessage
---@param old acp.Proposal
local function renew(message, old)
  local proposal, key = new_proposal(message), old.key
  for _, name in ipairs({ "windows", "follower", "list", "told", "told_unsent", "marked" }) do
    proposal[name] = old[name]
  end
  proposal.at = same_file(proposal, old)
  right_side.take_over(proposal, old)
  right_side.take_over_begun(proposal)
  if not store.open[key] then
    store.kept[key] = next(store.edited_of(proposal)) and proposal or nil
    return
  end
  store.open[key] = proposal
  show(proposal, message.focus or false)
end

---@param message acp.ProposalMessage
local function open(message)
  local proposal = new_proposal(message)
  local kept = store.kept[proposal.key]
  if kept then
    proposal.at = same_file(proposal, kept)
    right_side.take_over(proposal, kept)
    store.kept[proposal.key] = nil
  end
  right_side.take_over_begun(proposal)
  store.open[proposal.key] = proposal
  show_file(proposal, proposal.at, message.focus or false)
end

---@param question acp.Question
---@return boolean asked_for  false: it may not open now
local function open_by_itself(question)
  if focus.is_away() or not may_open_itself(question.session) then
    return false
  end
  backend.notify("diff", { question = question.id, auto = true })
  return true
end

--- May it not open by itself now? Then it is announced, and opens once the user is idle.
---@param message acp.ProposalMessage
---@return boolean
local function is_held_back(message)
  local plain = message.files[1].plain
  if not message.auto or store.open[message.question] or (not plain and may_open_itself(message.session)) then
    return false
  end
  if not plain then
    held_back.add(message.question, open_by_itself)
  end
  open_questions.announce(message.question)
  return true
end

--- Opens the diff, or shows in the open one what is new.
---@param message acp.ProposalMessage
function M.show(message)
  local key = message.question or store.VIEW
  if message.question and not state.question(message.question) then
    return close.close(key, true)
  elseif message.renews and not store.find(key) or is_held_back(message) then
    return
  end
  held_back.remove(key)
  if key == store.VIEW then
    close.close(key)
  end
  if message.renews or store.open[key] then
    renew(message, store.find(key) --[[@as acp.Proposal]])
  else
    make_room(key)
    open(message)
  end
  local question = state.question(key)
  if question and question.version == message.version and store.open[key] then
    answer_delay.shown(question)
  end
end

--- A question has come: its diff opens by itself before a user who is idle, else once the user is.
---@param question acp.Question
---@return boolean taken  false: it is to be announced
function M.offer(question)
  local fits = question.kind == "permission" and question.has_diff
  if not config.get().review.auto_open or not fits then
    return false
  elseif open_by_itself(question) then
    return true
  end
  held_back.add(question.id, open_by_itself)
  return false
end

-- What others ask -----------------------------------------------------------------------------------------------------

--- The question on one of whose sides the user is.
---@return integer?
function M.question_here()
  local proposal = store.under_cursor()
  return proposal and proposal.message.question or vim.b.acp_question
end

--- Sends the right sides as they are; false where there is none here.
---@return boolean
function M.accept()
  local proposal = store.under_cursor()
  local index = proposal and decision.accept(proposal)
  if proposal and index then
    show_file(proposal, index, true)
  end
  return proposal ~= nil
end

--- Is the diff of the question as it is now before the user, and have all its files been?
---@param question acp.Question
---@return boolean
function M.is_shown(question)
  local proposal = store.open[question.id]
  if not proposal or not store.is_here(proposal) or proposal.message.version ~= question.version then
    return false
  end
  return vim.iter(proposal.files):all(function(file)
    return file.is_filled == true and not file.changed
  end)
end

return M
