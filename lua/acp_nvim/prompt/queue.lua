-- Shows the queued prompts in a buffer, one block for each; writing the buffer changes the queue.
local backend = require("acp_nvim.backend.process")
local bar_segments = require("acp_nvim.ui.bar_segments")
local messages = require("acp_nvim.ui.messages")
local outbox = require("acp_nvim.backend.outbox")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local reload = require("acp_nvim.ui.reload")
local requests = require("acp_nvim.backend.session_requests")
local safe_windows = require("acp_nvim.ui.safe_windows")
local state = require("acp_nvim.backend.session_store")
local window_name = require("acp_nvim.ui.window_name")
local window_looks = require("acp_nvim.ui.window_looks")

local api = vim.api
local M = {}

local NAMESPACE = api.nvim_create_namespace("acp_nvim.queue")
local ATTACHED = api.nvim_create_namespace("acp_nvim.queue.attached")
local RULE = "━━━━━━━━ next prompt ━━━━━━━━"
local separators = {} ---@type table<integer, string>
local opened = {} ---@type table<integer, string[]> buffer -> the prompts that it showed
local attachments = {} ---@type table<integer, table<string, string[]>> buffer -> a prompt -> what goes along with it
local originals = {} ---@type table<integer, table<string, string>> buffer -> a block -> the prompt that it shows

--- A line that none of the prompts contains.
---@param items string[]
---@return string
local function separator_for(items)
  local text, rule = "\n" .. table.concat(items, "\n") .. "\n", RULE
  while text:find("\n" .. rule .. "\n", 1, true) do
    rule = rule .. "━"
  end
  return rule
end

---@param buf integer
---@return string[]
local function items_of(buf)
  local items, block = {}, {}
  local function finish()
    local item = vim.trim(table.concat(block, "\n"))
    if item ~= "" then
      items[#items + 1] = (table.concat(block, "\n"):gsub("^%s*\n", ""):gsub("%s+$", ""))
    end
    block = {}
  end
  for _, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, true)) do
    if line == separators[buf] then
      finish()
    else
      block[#block + 1] = line
    end
  end
  finish()
  return items
end

---@param buf integer
local function paint(buf)
  api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  for row, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, true)) do
    if line == separators[buf] then
      api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, 0, { line_hl_group = "AcpNote" })
    end
  end
end

-- The backend compares what was shown with what is still queued: meanwhile prompts may have gone out. A block lacks the
-- blank lines at its prompt's ends; unedited, it is still that prompt.
---@param buf integer
---@param items string[]
local function remember(buf, items)
  opened[buf], originals[buf] = items, {}
  local blocks = items_of(buf)
  for index, item in ipairs(#blocks == #items and items or {}) do
    originals[buf][blocks[index]] = item
  end
end

--- Says how many prompts are held. Without a backend none is sent by itself.
---@param count integer
local function say_held(count)
  local many = ("%d prompt%s paused"):format(count, count == 1 and "" or "s")
  messages.show("info", count == 0 and "no prompt is paused" or many .. ": send a prompt to resume, or :Acp queue!")
end

---@param n integer
---@param buf integer
local function write(n, buf)
  local items = vim.tbl_map(function(block)
    return originals[buf][block] or block
  end, items_of(buf))
  if requests.has_lost_backend(n) then
    say_held(state.edit_unsent(n, items))
    remember(buf, items)
    vim.bo[buf].modified = false
    return
  end
  local ok, problem = backend.notify("queue_set", { session = n, items = items, was = opened[buf] })
  if not ok then
    return messages.show("error", problem or "the queue was not changed")
  end
  remember(buf, items)
  vim.bo[buf].modified = false
end

---@param buf integer
---@param row integer  the last of a prompt's
---@param attached string[]
local function show_attached(buf, row, attached)
  local lines = vim.tbl_map(function(words)
    return { { "  with " .. printable.visible(words), "AcpNote" } }
  end, attached)
  api.nvim_buf_set_extmark(buf, ATTACHED, row, 0, { virt_lines = lines })
end

---@param buf integer
---@param items string[]
---@param attached string[][]  what goes along with each, in words
local function lay_out(buf, items, attached)
  local lines, ends = {}, {}
  separators[buf] = separator_for(items)
  for index, item in ipairs(items) do
    if index > 1 then
      lines[#lines + 1] = separators[buf]
    end
    vim.list_extend(lines, vim.split(item, "\n", { plain = true }))
    ends[index] = #lines
  end
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  vim.bo[buf].modified = false
  remember(buf, items)
  paint(buf)
  api.nvim_buf_clear_namespace(buf, ATTACHED, 0, -1)
  for index, row in ipairs(ends) do
    show_attached(buf, row - 1, attached[index] or {})
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
    local attached = vim.tbl_map(function(item)
      return attachments[buf][item] or {}
    end, opened[buf])
    lay_out(buf, opened[buf], attached)
  end)
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      separators[buf], opened[buf], originals[buf], attachments[buf] = nil, nil, nil, nil
    end,
  })
  return buf
end

---@param buf integer
---@param items string[]
---@param attached string[][]  what goes along with each, in words
local function set_items(buf, items, attached)
  attachments[buf] = {}
  for index, item in ipairs(items) do
    attachments[buf][item] = attached[index]
  end
  local undolevels = vim.bo[buf].undolevels
  vim.bo[buf].undolevels = -1 -- undo does not lead back to an empty queue
  lay_out(buf, items, attached)
  vim.bo[buf].undolevels = undolevels
end

--- Puts the prompt under the cursor into the running turn.
function M.steer()
  local buf = api.nvim_get_current_buf()
  local n = vim.b[buf].acp_session
  if vim.bo[buf].modified then
    return messages.show("info", "the queue has changed: :w first, then the prompt can go into the turn")
  elseif not state.exists(n) or requests.has_lost_backend(n) then
    return messages.show("info", "no turn is running: the prompt stays in the queue")
  end
  local place = 1
  for _, line in ipairs(api.nvim_buf_get_lines(buf, 0, api.nvim_win_get_cursor(0)[1], true)) do
    place = place + (line == separators[buf] and 1 or 0)
  end
  local item = opened[buf][place]
  if not item then
    return messages.show("info", "the queue is empty")
  end
  local seq = outbox.number_at(assert(state.session(n)), opened[buf], place)
  backend.notify("queue_steer", { session = n, text = item, seq = seq })
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
---@param items string[]
---@param attached string[][]  what goes along with each, in words
function M.open(n, items, attached)
  local buf = vim.fn.bufnr(("^acp://%d/queue$"):format(n))
  if buf < 0 then
    buf = create(n)
  end
  if not vim.bo[buf].modified then
    set_items(buf, items, attached)
  end
  local win = vim.fn.bufwinid(buf)
  if win > 0 then
    return api.nvim_set_current_win(win)
  end
  safe_windows.run(function()
    win = panes.split(buf, math.min(12, math.floor(vim.o.lines / 3)))
  end)
  local maps = not vim.g.no_plugin_maps
  local steers = maps and (state.look(n) or {}).steering
  local words = vim.list_extend({ "Queue" }, steers and { "<M-CR> into the turn" } or {})
  vim.list_extend(words, { "edit, then :w", maps and "q closes" or nil })
  words[#words + 1] = "between prompts: " .. separators[buf]
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
  local items, attached = {}, {}
  for index, prompt in ipairs(state.unsent(n)) do
    items[index], attached[index] = prompt.text, vim.tbl_map(in_words, prompt.context)
  end
  M.open(n, items, attached)
  say_held(#items)
  return true
end

return M
