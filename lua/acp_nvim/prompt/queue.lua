-- Shows the queued prompts in a buffer, one block for each; writing the buffer changes the queue.
local backend = require("acp_nvim.backend.process")
local bar_segments = require("acp_nvim.ui.bar_segments")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local reload = require("acp_nvim.ui.reload")
local requests = require("acp_nvim.backend.session_requests")
local safe_windows = require("acp_nvim.ui.safe_windows")
local session_store = require("acp_nvim.backend.session_store")
local window_name = require("acp_nvim.ui.window_name")
local window_looks = require("acp_nvim.ui.window_looks")

local api = vim.api
local M = {}

local RULES = api.nvim_create_namespace("acp_nvim.queue")
local PROMPTS = api.nvim_create_namespace("acp_nvim.queue.prompts")
local RULE = "━━━━━━━━ next prompt ━━━━━━━━"

---@class acp.QueueBuffer
---@field separator string
---@field shown acp.message.QueuedPrompt[]

---@class acp.QueueBlock  the lines between two separators; blank ones at its ends are no part of its text
---@field first integer  from 0
---@field last integer
---@field text string

local queues = {} ---@type table<integer, acp.QueueBuffer>  by buffer

--- A line that none of the prompts contains.
---@param items acp.message.QueuedPrompt[]
---@return string
local function separator_for(items)
  local rule, text = RULE, "\n"
  for _, item in ipairs(items) do
    text = text .. item.text .. "\n"
  end
  while text:find("\n" .. rule .. "\n", 1, true) do
    rule = rule .. "━"
  end
  return rule
end

---@param text string
---@return string
local function trim(text)
  return (text:gsub("^%s*\n", ""):gsub("%s+$", ""))
end

---@param buf integer
---@return acp.QueueBlock[]
local function blocks_of(buf)
  local blocks, first = {}, 0
  local lines = api.nvim_buf_get_lines(buf, 0, -1, true)
  lines[#lines + 1] = queues[buf].separator
  for row, line in ipairs(lines) do
    if line == queues[buf].separator then
      local text = table.concat(lines, "\n", first + 1, row - 1)
      if vim.trim(text) ~= "" then
        blocks[#blocks + 1] = { first = first, last = row - 2, text = trim(text) }
      end
      first = row
    end
  end
  return blocks
end

-- Which prompt a block is -------------------------------------------------------------------------------------------

--- Returns the prompts whose marks stand in the block, from its end. The mark of a prompt whose lines were deleted
--- comes to stand where the next block begins, before that one's own.
---@param buf integer
---@param block acp.QueueBlock
---@return integer[] places  in `shown`
local function marked(buf, block)
  local found = api.nvim_buf_get_extmarks(buf, PROMPTS, { block.first, 0 }, { block.last, -1 }, {})
  local places = vim.tbl_map(function(mark)
    return mark[1]
  end, found)
  table.sort(places, function(a, b)
    return a > b
  end)
  return places
end

--- Returns the prompt of each block: the one whose text it still has, else the one whose mark stands in it.
---
---     shown    edited         is
---     one      two            prompt 2, by its text: it was moved up
---     two      another one    prompt 1, by its mark
---     three                   prompt 3 goes
---              more           a new one
---
--- A block that was moved and then edited is a new prompt, without what went along with the old one.
---@param buf integer
---@param blocks acp.QueueBlock[]
---@return table<integer, acp.message.QueuedPrompt>  by the index of the block
local function prompts_of(buf, blocks)
  local shown, prompts, taken = queues[buf].shown, {}, {} ---@type table<integer, true>
  local function take(places, is_it)
    for index, block in ipairs(blocks) do
      for _, place in ipairs(not prompts[index] and places(block) or {}) do
        if not taken[place] and not prompts[index] and is_it(block, shown[place]) then
          prompts[index], taken[place] = shown[place], true
        end
      end
    end
  end
  local function has_its_text(block, prompt)
    return trim(prompt.text) == block.text
  end
  local function here(block)
    return marked(buf, block)
  end
  take(here, has_its_text)
  take(function()
    return vim.tbl_keys(shown)
  end, has_its_text)
  take(here, function()
    return true
  end)
  return prompts
end

---@param buf integer
---@param blocks acp.QueueBlock[]
---@param items acp.message.QueuedPrompt[]  one for each block, or what they show by now
local function remember(buf, blocks, items)
  queues[buf].shown = items
  api.nvim_buf_clear_namespace(buf, PROMPTS, 0, -1)
  for place, block in ipairs(blocks) do
    api.nvim_buf_set_extmark(buf, PROMPTS, block.first, 0, { id = place })
  end
end

-- Writing and showing it --------------------------------------------------------------------------------------------

--- Says how many prompts are held. Without a backend none is sent by itself.
---@param count integer
local function say_held(count)
  local many = ("%d prompt%s paused"):format(count, count == 1 and "" or "s")
  messages.show("info", count == 0 and "no prompt is paused" or many .. ": send a prompt to resume, or :Acp queue!")
end

---@param n integer
---@param buf integer
local function write(n, buf)
  local blocks, shown = blocks_of(buf), queues[buf].shown
  local prompts, items = prompts_of(buf, blocks), {}
  for index, block in ipairs(blocks) do
    local prompt = prompts[index] or { text = "", attached = {} }
    local is_edited = trim(prompt.text) ~= block.text
    local text = is_edited and block.text or prompt.text
    items[index] = { seq = prompt.seq, text = text, edited = is_edited, attached = prompt.attached }
  end
  session_store.edit_queue(n, items)
  local numbers = vim.tbl_map(function(item)
    return item.seq
  end, items)
  if requests.has_lost_backend(n) then
    session_store.set_unsent(n, numbers)
    say_held(#items)
  else
    ---@type acp.message.QueueSet
    local command = { session = n, items = {}, shown = {} }
    for index, item in ipairs(items) do
      command.items[index] = { seq = item.seq, text = item.text, edited = item.edited }
    end
    for index, prompt in ipairs(shown) do
      command.shown[index] = prompt.seq
    end
    local ok, problem = backend.notify("queue_set", command)
    if not ok then
      return messages.show("error", problem or "the queue was not changed")
    end
  end
  remember(buf, blocks, items)
  vim.bo[buf].modified = false
end

---@param buf integer
---@param items acp.message.QueuedPrompt[]
local function lay_out(buf, items)
  local lines, blocks = {}, {}
  queues[buf] = { separator = separator_for(items), shown = items }
  for index, item in ipairs(items) do
    if index > 1 then
      lines[#lines + 1] = queues[buf].separator
    end
    blocks[index] = { first = #lines }
    vim.list_extend(lines, vim.split(item.text, "\n", { plain = true }))
    blocks[index].last = #lines - 1
  end
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  vim.bo[buf].modified = false
  remember(buf, blocks, items)
  api.nvim_buf_clear_namespace(buf, RULES, 0, -1)
  for index, block in ipairs(blocks) do
    if index > 1 then
      api.nvim_buf_set_extmark(buf, RULES, block.first - 1, 0, { line_hl_group = "AcpNote" })
    end
    local attached = vim.tbl_map(function(words)
      return { { "  with " .. printable.visible(words), "AcpNote" } }
    end, items[index].attached)
    api.nvim_buf_set_extmark(buf, RULES, block.last, 0, { virt_lines = attached })
  end
end

---@param n integer
---@return integer buf
local function create(n)
  local buf = api.nvim_create_buf(false, false)
  vim.bo[buf].buftype = "acwrite"
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  api.nvim_buf_set_name(buf, ("acp://%d/queue"):format(n))
  vim.b[buf].acp_session = n
  vim.bo[buf].filetype = "acp_queue"
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      write(n, buf)
    end,
  })
  reload.fill_by(buf, function()
    lay_out(buf, queues[buf].shown)
  end)
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      queues[buf] = nil
    end,
  })
  return buf
end

---@param buf integer
---@param items acp.message.QueuedPrompt[]
local function set_items(buf, items)
  local undolevels = vim.bo[buf].undolevels
  vim.bo[buf].undolevels = -1 -- undo does not lead back to an empty queue
  lay_out(buf, items)
  vim.bo[buf].undolevels = undolevels
end

--- Puts the prompt under the cursor into the running turn.
function M.steer()
  local buf = api.nvim_get_current_buf()
  local n = vim.b[buf].acp_session
  if vim.bo[buf].modified then
    return messages.show("info", "the queue has changed: :w first, then the prompt can go into the turn")
  elseif not session_store.exists(n) or requests.has_lost_backend(n) then
    return messages.show("info", "no turn is running: the prompt stays in the queue")
  end
  local row = api.nvim_win_get_cursor(0)[1] - 1
  for _, block in ipairs(blocks_of(buf)) do
    if row <= block.last + 1 then
      return backend.notify("queue_steer", { session = n, seq = queues[buf].shown[marked(buf, block)[1]].seq })
    end
  end
  messages.show("info", "the queue is empty")
end

--- Closes the window of the queue, unless its edits are not written.
function M.close()
  if vim.bo.modified then
    messages.show("warn", "the queue has changed: :w keeps, :q! drops")
  elseif vim.fn.winnr("$") == 1 and vim.fn.tabpagenr("$") == 1 then
    messages.show("info", "this is the last window")
  else
    vim.cmd.close()
  end
end

--- Shows the queue in a window of its own; a buffer that is already there and unchanged is brought up to date.
---@param n integer
---@param items acp.message.QueuedPrompt[]
function M.open(n, items)
  local buf = vim.fn.bufnr(("^acp://%d/queue$"):format(n))
  if buf < 0 then
    buf = create(n)
  end
  if not vim.bo[buf].modified then
    set_items(buf, items)
  end
  local win = vim.fn.bufwinid(buf)
  if win > 0 then
    return api.nvim_set_current_win(win)
  end
  safe_windows.run(function()
    win = panes.split(buf, math.min(12, math.floor(vim.o.lines / 3)))
  end)
  local maps = not vim.g.no_plugin_maps
  local steers = maps and (session_store.look(n) or {}).steering
  local words = vim.list_extend({ "Queue" }, steers and { "<M-CR> into the turn" } or {})
  vim.list_extend(words, { "edit, then :w", maps and "q closes" or nil })
  words[#words + 1] = "between prompts: " .. queues[buf].separator
  local bar = bar_segments.of_words(buf, words)
  window_looks.set(win, { winbar = bar, statusline = window_name.of("Queue") })
end

---@param item table  what goes along with a prompt
---@return string
local function in_words(item)
  local name = vim.fs.basename(item.image or item.audio or item.file or "") or ""
  local lines = item.first and (" %d-%d"):format(item.first, item.last or item.first) or ""
  return (name ~= "" and name or item.title or "text") .. lines
end

--- Shows the prompts that outlived their backend.
---@param n integer
---@return true
function M.open_unsent(n)
  local items = {} ---@type acp.message.QueuedPrompt[]
  for index, prompt in ipairs(session_store.unsent(n)) do
    items[index] = { seq = prompt.seq, text = prompt.text, attached = vim.tbl_map(in_words, prompt.context) }
  end
  M.open(n, items)
  say_held(#items)
  return true
end

return M
