-- Makes the prompts: an ordinary buffer for each session, whose text is sent as it is, with the history before its
-- first and after its last line.
local auto_context = require("acp_nvim.prompt.auto_context")
local buffer_text = require("acp_nvim.prompt.buffer_text")
local chips = require("acp_nvim.prompt.chips")
local completion = require("acp_nvim.prompt.completion")
local hints = require("acp_nvim.prompt.hints")
local history = require("acp_nvim.prompt.history")
local history_walk = require("acp_nvim.prompt.history_walk")
local messages = require("acp_nvim.ui.messages")
local requests = require("acp_nvim.backend.session_requests")
local saved_drafts = require("acp_nvim.prompt.saved_drafts")
local sending = require("acp_nvim.prompt.send")
local session_store = require("acp_nvim.backend.session_store")
local text_change = require("acp_nvim.prompt.text_change")
local welcome = require("acp_nvim.chat.welcome")

local api = vim.api
local M = {}

---@class acp.Prompt: acp.HistoryWalk
---@field kept? string      what stood in a buffer that is gone; the next one begins with it

local prompts = {} ---@type table<integer, acp.Prompt>
local group = api.nvim_create_augroup("acp_nvim.prompt", {})

local SAVE_MS = 1000 -- after the first key that is not on the disk
local is_save_due = false

---@param n integer
---@return acp.Prompt
local function prompt_of(n)
  if not prompts[n] then
    local session = session_store.session(n)
    prompts[n] = { buf = -1, cwd = session and session.origin.cwd or vim.fn.getcwd() }
  end
  return prompts[n]
end

--- Adds prompts, sent or not, to the history of the session's project.
---@param n integer
---@param items string[]
function M.history_add(n, items)
  history.add(prompt_of(n).cwd, items)
end

history.on_dropped(function(list, count)
  for _, prompt in pairs(prompts) do
    if prompt.at and history.of(prompt.cwd) == list then
      prompt.at = math.max(1, prompt.at - count)
    end
  end
end)

--- Keeps the text of a buffer that is about to go, for the next one and in the history.
---@param n integer
---@param buf integer
local function keep(n, buf)
  local prompt, text = prompts[n], buffer_text.get(buf)
  if not prompt or not text:find("%S") then
    return
  end
  if prompt.at then
    M.history_add(n, { prompt.draft })
  end
  M.history_add(n, { text })
  prompt.kept, prompt.at, prompt.draft = text, nil, nil
end

--- Writes what stands in a session's prompt and has not been sent. While an earlier prompt is shown that is the draft
--- behind it.
---@param n integer
local function save_draft(n)
  local prompt = prompts[n]
  if not prompt or not api.nvim_buf_is_loaded(prompt.buf) then
    return
  end
  local text = not history_walk.is_at_earlier(prompt) and buffer_text.get(prompt.buf) or ""
  local texts = vim.tbl_filter(function(item)
    return item:find("%S") ~= nil and not chips.is_nothing_else(n, item)
  end, { prompt.at and prompt.draft or "", text })
  saved_drafts.save(n, prompt.cwd, texts)
end

local function save_drafts()
  is_save_due = false
  for n in pairs(prompts) do
    save_draft(n)
  end
end

text_change.on_text(function()
  if not is_save_due then
    is_save_due = true
    vim.defer_fn(save_drafts, SAVE_MS)
  end
end)

api.nvim_create_autocmd({ "FocusLost", "VimLeavePre" }, { group = group, callback = save_drafts })

-- When the terminal window is closed, Neovim drops the texts of its buffers without unloading them, and then ends.
api.nvim_create_autocmd("UILeave", {
  group = group,
  callback = function()
    for n, prompt in vim.spairs(prompts) do
      if api.nvim_buf_is_loaded(prompt.buf) then
        M.history_add(n, { buffer_text.get(prompt.buf) })
      end
    end
  end,
})

--- Makes `buf` the session's prompt, with the text that was kept; `:bdelete` leaves nothing of an earlier time.
---@param n integer
---@param buf integer
local function equip(n, buf)
  local prompt = prompt_of(n)
  hints.set(buf, n)
  text_change.follow(n, buf)
  vim.bo[buf].buftype = "nofile"
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  vim.bo[buf].buflisted = false
  vim.b[buf].acp_session = n
  vim.bo[buf].filetype = "acp_prompt"
  completion.prepare(n)
  if prompt.kept then
    buffer_text.set(buf, prompt.kept)
    prompt.kept = nil
  end
end

---@param n integer
---@param buf integer
local function watch(n, buf)
  local function on(events, callback)
    api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = callback })
  end
  on("BufUnload", function()
    keep(n, buf)
  end)
  on("BufReadCmd", function() -- `:edit`, or `:buffer` after `:bdelete`
    equip(n, buf)
  end)
  on("InsertEnter", function()
    completion.prepare(n)
    if auto_context.add_chip(n, buf) then
      api.nvim_feedkeys(vim.keycode("<End>"), "in", false) -- behind the chip, before what has been typed ahead
    end
  end)
  on("InsertLeave", function()
    auto_context.on_insert_leave(n, buf)
    save_draft(n)
  end)
  on("BufWipeout", function()
    hints.take(buf)
  end)
  on({ "BufEnter", "BufLeave" }, function()
    hints.redraw(buf)
  end)
end

--- A session file brings the name back, as an ordinary buffer in which the user may have written.
---@param n integer
---@param name string
local function take_over(n, name)
  local leftover = vim.fn.bufnr("^" .. name .. "$")
  if leftover > 0 then
    keep(n, leftover)
    api.nvim_buf_delete(leftover, { force = true })
  end
end

---@param n integer
---@return integer buf
local function create(n)
  local name = ("acp://%d/prompt"):format(n)
  take_over(n, name)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_name(buf, name)
  watch(n, buf)
  equip(n, buf)
  return buf
end

--- Puts the draft that a Neovim has left which is gone into the prompt, or into the history where the prompt has text.
---@param n integer
---@param buf integer
local function take_left_drafts(n, buf)
  local origin = session_store.exists(n) and session_store.session(n).origin
  if not origin or not session_store.has_agent(n) then
    return
  end
  saved_drafts.take_left(prompt_of(n).cwd, function(texts)
    local draft = not buffer_text.get(buf):find("%S") and table.remove(texts) or nil
    M.history_add(n, texts)
    if draft then
      buffer_text.set(buf, draft)
      save_draft(n)
    end
  end)
end

--- The session's prompt buffer, made if need be.
---@param n integer
---@return integer buf
function M.buffer(n)
  local prompt = prompt_of(n)
  if not api.nvim_buf_is_loaded(prompt.buf) then
    prompt.buf = create(n)
    take_left_drafts(n, prompt.buf)
  end
  return prompt.buf
end

--- The session's prompt buffer, if it has one.
---@param n integer
---@return integer?
function M.known(n)
  local buf = prompts[n] and prompts[n].buf
  return buf and api.nvim_buf_is_loaded(buf) and buf or nil
end

--- The text that has not been sent.
---@param n integer
---@return string
function M.draft(n)
  local buf = M.known(n)
  local text = buf and buffer_text.get(buf) or ""
  return text:find("%S") and text or ""
end

--- Takes over the text of another session's prompt of the project, if this one is empty.
---@param n integer
---@param text string
function M.inherit(n, text)
  if M.draft(n) ~= "" or not vim.list_contains(history.of(prompt_of(n).cwd), text) then
    return
  end
  local buf = M.buffer(n)
  buffer_text.set(buf, text)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), vim.v.maxcol })
  end
end

---@param n integer
---@param verb "queue_release"|"retry"
local function request(n, verb)
  local ok, problem = requests.send(n, verb)
  if not ok then
    messages.show("error", problem or "nothing was sent")
  end
end

--- Sends the text, or from an empty prompt what the agent of a failed session has not answered, or a paused queue. The
--- text stays if it is not taken. An open menu would stand over the emptied prompt: it is closed first, which only keys
--- can do.
---@param n integer
---@param how? "steer"  into the running turn
function M.send(n, how)
  if not session_store.exists(n) then
    return messages.show("warn", "not sent, this session is closed: :Acp takes your text along")
  elseif vim.fn.pumvisible() == 1 then
    local again = ("<C-x><C-z><Cmd>lua require('acp_nvim.prompt.buffer').send(%d, %s)<CR>"):format(n, how and "'steer'")
    return api.nvim_feedkeys(vim.keycode(again), "n", false)
  end
  local buf = M.buffer(n)
  local text = buffer_text.get(buf)
  if not text:find("%S") then
    local typing, status = vim.fn.mode() ~= "n", session_store.look(n) or {}
    if status.state == "failed" then
      return request(n, "retry")
    elseif not typing and welcome.continue(n) then
      return
    elseif status.held then
      return request(n, "queue_release")
    end
    return messages.show("info", "nothing to send: the prompt is empty")
  end
  local ok, problem = sending.send(n, text, { steer = how == "steer" or nil })
  if not ok then
    return messages.show("error", problem or "the prompt was not sent")
  end
  M.clear(n)
end

--- Walks the history: from the first line back, from the last line on, and from any line of an earlier prompt that has
--- not been edited. Elsewhere the key keeps its meaning.
---@param n integer
---@param step -1|1
function M.history(n, step)
  local row, last = api.nvim_win_get_cursor(0)[1], api.nvim_buf_line_count(0)
  local at_edge = row == (step < 0 and 1 or last)
  if not at_edge and not history_walk.is_at_earlier(prompt_of(n)) or vim.fn.pumvisible() == 1 then
    local key = step < 0 and "<C-p>" or "<C-n>"
    return api.nvim_feedkeys(vim.keycode(key), "n", false)
  end
  if history_walk.step(prompt_of(n), step) then
    local line = step < 0 and 1 or api.nvim_buf_line_count(0)
    api.nvim_win_set_cursor(0, { line, vim.v.maxcol })
  end
end

--- Writes `text` at the end of the prompt.
---@param n integer
---@param text string
function M.insert(n, text)
  buffer_text.append(M.buffer(n), text)
end

--- Puts another text in the place of a chip; without one the chip goes.
---@param n integer
---@param old string
---@param new? string
function M.replace(n, old, new)
  local buf = M.known(n)
  if buf then
    buffer_text.replace(buf, old, new)
  end
end

--- The chips of a prompt that holds nothing else: `:Acp prompt` takes them along.
---@param n integer
---@return string
function M.chips(n)
  local draft = M.draft(n)
  return chips.is_nothing_else(n, draft) and vim.trim(draft) or ""
end

--- Empties the prompt after its text has been sent.
---@param n integer
function M.clear(n)
  local prompt, buf = prompt_of(n), M.buffer(n)
  prompt.at, prompt.draft = nil, nil
  auto_context.on_sent(n, buffer_text.get(buf))
  buffer_text.set(buf, "")
  save_draft(n) -- what was sent is no draft
  if api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode == "i" then
    auto_context.add_chip(n, buf)
  end
end

--- Puts `text` into the prompt in the current window; a draft that stood there goes into the history.
---@param n integer
---@param text string
function M.put(n, text)
  local prompt, buf = prompt_of(n), M.buffer(n)
  M.history_add(n, { not prompt.at and buffer_text.get(buf) or nil })
  prompt.at, prompt.draft = nil, nil
  buffer_text.set(buf, text)
  api.nvim_win_set_cursor(0, { api.nvim_buf_line_count(buf), vim.v.maxcol })
end

--- Forgets the prompt of a session that has ended; its draft goes into the history.
---@param n integer
function M.wipe(n)
  local prompt = prompts[n]
  if M.known(n) then
    keep(n, prompt.buf)
  end
  chips.wipe(n)
  auto_context.forget(n)
  saved_drafts.remove(n)
  prompts[n] = nil
  if prompt and api.nvim_buf_is_valid(prompt.buf) then
    hints.take(prompt.buf)
    api.nvim_buf_delete(prompt.buf, { force = true })
  end
end

return M
