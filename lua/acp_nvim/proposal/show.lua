-- Shows a file of a proposal in the two windows, and another one once `:w` has decided the first, or the quickfix list
-- or a command has brought its right side into a window.
local bars = require("acp_nvim.proposal.bars")
local buffers = require("acp_nvim.proposal.buffers")
local close = require("acp_nvim.proposal.close")
local decision = require("acp_nvim.proposal.decision")
local diff_windows = require("acp_nvim.proposal.diff_windows")
local follow_live = require("acp_nvim.proposal.follow_live")
local messages = require("acp_nvim.ui.messages")
local on_write = require("acp_nvim.proposal.on_write")
local plan_comments = require("acp_nvim.proposal.plan_comments")
local refuse_hunk = require("acp_nvim.proposal.refuse_hunk")
local reload = require("acp_nvim.ui.reload")
local safe_windows = require("acp_nvim.ui.safe_windows")
local session_store = require("acp_nvim.backend.session_store")
local side_history = require("acp_nvim.proposal.side_history")
local sides = require("acp_nvim.proposal.sides")
local store = require("acp_nvim.proposal.store")
local unsaved_lines = require("acp_nvim.proposal.unsaved_lines")

local api = vim.api
local M = {}

--- Puts the cursors on the first change, in the middle of both windows.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
local function show_first(proposal, file)
  local left = vim.split(file.sides.left or "", "\n", { plain = true })
  local right = vim.split(file.sides.right or "", "\n", { plain = true })
  local row, is_diff = 1, not store.is_one_hunk(file.sides)
  while is_diff and left[row] and left[row] == right[row] do
    row = row + 1
  end
  for _, win in ipairs({ proposal.windows.right, proposal.windows.left }) do
    api.nvim_win_set_cursor(win, { math.min(row, api.nvim_buf_line_count(api.nvim_win_get_buf(win))), 0 })
  end
  api.nvim_win_call(proposal.windows.right, function()
    vim.cmd("normal! zz")
  end)
end

---@param proposal acp.Proposal
---@param left? integer  buffer
---@param right integer  buffer
---@param how { focus: boolean, plain?: boolean }
local function show_sides(proposal, left, right, how)
  if diff_windows.is_open(proposal.windows) then
    diff_windows.show(proposal.windows, left, right, how.plain)
    if how.focus then
      diff_windows.enter(proposal.windows)
    end
    return
  end
  proposal.windows = diff_windows.open(left, right, how, {
    on_closed = function(alone)
      close.windows_gone(proposal)
      if alone and session_store.question(proposal.key) then
        messages.show("warn", "not decided yet, your edits are kept: the question is in the chat (:Acp)")
      end
    end,
    is_ours = function(win, buf)
      return proposal.windows ~= nil
        and proposal.windows.right == win
        and vim.iter(proposal.files):any(function(file)
          return file.buf == buf
        end)
    end,
  })
end

local told = {} ---@type table<integer, table<string, true>>  by session: the notes that have been shown

--- Shows a note of the bar in a message, in long words and once a session. A plugin that shows messages as toasts would
--- put it over the bar, which has the note in any case.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@param note? string
---@param focus boolean
local function tell_note(proposal, file, note, focus)
  local editable = sides.is_editable(proposal, file)
  local is_in_chat = not file.sides.fits -- why it has no place in the file
  if not note or not messages.is_echoed() or (editable and not focus) or is_in_chat then
    return
  end
  local session = proposal.message.session
  told[session] = told[session] or {}
  if not told[session][note] then
    told[session][note] = true
    messages.show(editable and "info" or "warn", note)
  end
end

--- Shows the file whose right side has come into a window without us, most of the time from the quickfix list.
---@param proposal acp.Proposal
---@param buf integer
---@param win integer
local function entered(proposal, buf, win)
  if not diff_windows.is_open(proposal.windows) or not api.nvim_win_is_valid(win) then
    return
  end
  for index, file in ipairs(proposal.files) do
    if file.buf == buf and index ~= proposal.at and api.nvim_win_get_buf(win) == buf then
      if win ~= proposal.windows.right then -- that window is the user's
        api.nvim_win_call(win, function()
          vim.cmd("silent! buffer #")
        end)
      end
      return M.show_file(proposal, index, true)
    end
  end
end

--- Says again what the keys do, and in the chat what is edited: both depend on what the right sides hold.
---@param proposal acp.Proposal
local function tell_edited(proposal)
  if store.is_open(proposal) and diff_windows.is_open(proposal.windows) then
    local file = store.current_file(proposal)
    local left, right = bars.of(proposal, file)
    vim.bo[file.buf].modifiable = sides.is_editable(proposal, file)
    diff_windows.set_bars(proposal.windows, left, right)
    decision.tell_edits_soon(proposal)
  end
end

plan_comments.on_change(function(question)
  if store.all[question] then
    tell_edited(store.all[question])
  end
end)

---@param proposal acp.Proposal
---@param buf integer  of a right side
---@return acp.ProposalFile?
local function filled_file(proposal, buf)
  return vim.iter(proposal.files):find(function(file)
    return file.buf == buf and file.is_filled
  end)
end

---@param proposal acp.Proposal
---@param buf integer  of a right side
local function watch_edits(proposal, buf)
  local is_due = false
  api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, last, stop)
      local file = filled_file(proposal, buf)
      if file then
        side_history.note(file, first, last, stop)
      end
      if not is_due then
        is_due = true
        vim.schedule(function()
          is_due = false
          file = filled_file(proposal, buf)
          if file then
            side_history.settle(file)
          end
          tell_edited(proposal)
        end)
      end
    end,
  })
end

--- `:edit` takes back what the user has made of the right side, as it does with a file.
---@param proposal acp.Proposal
---@param buf integer  of a right side
local function reloaded(proposal, buf)
  local file = filled_file(proposal, buf)
  if file then
    sides.refill(file)
  end
  watch_edits(proposal, buf)
  vim.schedule(function()
    tell_edited(proposal)
  end)
end

--- Makes the buffer of a right side, if there is none yet, and listens to what becomes of it.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
local function prepare_buffer(proposal, file)
  if not sides.make_buffer(proposal, file) or proposal.key == store.VIEW then
    return
  end
  local buf = file.buf --[[@as integer]]
  watch_edits(proposal, buf)
  reload.fill_by(buf, function()
    reloaded(proposal, buf)
  end)
  if proposal.message.kind ~= "plan" then
    refuse_hunk.map(proposal, buf)
  end
  on_write.listen(proposal, file.path, buf, function(index)
    if store.is_open(proposal) then
      M.show_file(proposal, index, true)
    end
  end)
  api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    callback = function()
      local win = api.nvim_get_current_win()
      vim.schedule(function()
        entered(proposal, buf, win)
      end)
    end,
  })
end

--- Makes a quickfix list of several files: `:cnext` goes on.
---@param proposal acp.Proposal
local function set_list(proposal)
  local items = {}
  for index, file in ipairs(proposal.files) do
    prepare_buffer(proposal, file)
    local text = ("%s: %s"):format(file.decided and "decided" or "to be decided", file.name)
    items[index] = { bufnr = file.buf, lnum = 1, text = text }
  end
  local what = { items = items, title = "acp: files of the proposal", idx = proposal.at, id = proposal.list }
  vim.fn.setqflist({}, proposal.list and "r" or " ", what)
  proposal.list = vim.fn.getqflist({ id = 0 }).id
end

--- Shows the current file of the proposal.
---@param proposal acp.Proposal
---@param focus boolean  the user goes to the right side
function M.show(proposal, focus)
  local file = store.current_file(proposal)
  local left = safe_windows.run(function()
    prepare_buffer(proposal, file)
    sides.fill(proposal, file)
    local buf = sides.left(proposal, file)
    show_sides(proposal, buf, file.buf --[[@as integer]], { focus = focus, plain = file.sent.plain })
    return buf
  end)
  local right = file.buf --[[@as integer]]
  local left_bar, right_bar, note = bars.of(proposal, file)
  tell_note(proposal, file, note, focus)
  buffers.highlight(file.path, right, { right, left == file.left_buf and left or nil })
  diff_windows.set_bars(proposal.windows, left_bar, right_bar)
  if proposal.stop_following then
    proposal.stop_following()
  end
  local live = not file.sent.plain and sides.live_buffer(file)
  proposal.stop_following = live and follow_live.watch(file, live) or nil
  unsaved_lines.mark(proposal, file, left or right)
  if #proposal.files > 1 then
    set_list(proposal)
  end
end

--- Shows another file, with its first change in the middle.
---@param proposal acp.Proposal
---@param index integer
---@param focus boolean
function M.show_file(proposal, index, focus)
  proposal.at = index
  M.show(proposal, focus)
  show_first(proposal, store.current_file(proposal))
end

return M
