-- Keeps the chips of a prompt: `(parse.py 10-24)` stands for what is read when the prompt is sent. A chip is only its
-- text: cut, pasted, undone or brought back from the history it still means the same, and once deleted it means
-- nothing.
local context_items = require("acp_nvim.prompt.context_items")
local limits = require("acp_nvim.limits")

local api = vim.api
local M = {}

---@class acp.Chip
---@field label fun(): string  as it is to be shown now, without the brackets
---@field read fun(): acp.ContextItem
---@field file? string  all of it: another chip for it is the same one

local NAMESPACE = api.nvim_create_namespace("acp_nvim.chip")

local group = api.nvim_create_augroup("acp_nvim.chip", {})
local known = {} ---@type table<integer, table<string, acp.Chip>> session -> text of a chip -> the chip
local order = {} ---@type table<integer, string[]> session -> those texts, oldest first

---@param n integer
---@param chip acp.Chip
---@param taken? string  the text by which it is known already
---@return string text
local function enter(n, chip, taken)
  known[n], order[n] = known[n] or {}, order[n] or {}
  local label = chip.label()
  local text, count = ("(%s)"):format(label), 1
  local function is_another(other)
    return other and other ~= chip and not (chip.file and other.file == chip.file)
  end
  while is_another(known[n][text]) and text ~= taken do
    count = count + 1
    text = ("(%s #%d)"):format(label, count)
  end
  if not known[n][text] then
    table.insert(order[n], text)
    if #order[n] > limits.CHIPS then
      known[n][table.remove(order[n], 1)] = nil
    end
  end
  known[n][text] = chip
  return text
end

---@param path string
---@return string
local function short(path)
  return (vim.fs.basename(path):gsub("%c", "?"))
end

--- Lines of a buffer, wherever edits move them.
---@param buf integer
---@param first integer
---@param last integer
---@return acp.Chip
local function lines_chip(buf, first, last)
  local name = api.nvim_buf_get_name(buf)
  local shown = name ~= "" and short(name) or "buffer " .. buf
  local mark, gone = nil, false
  local function place() -- from line start to line start: what is changed within the lines does not matter
    local count = api.nvim_buf_line_count(buf)
    first, last = math.min(first, count), math.min(last, count)
    local wanted = { id = mark, end_row = last, end_col = 0, strict = false }
    mark = api.nvim_buf_set_extmark(buf, NAMESPACE, first - 1, 0, wanted)
  end
  local function look()
    local at = api.nvim_buf_is_loaded(buf)
      and api.nvim_buf_get_extmark_by_id(buf, NAMESPACE, mark --[[@as integer]], { details = true })
    if at and at[1] then
      gone = at[3].end_row <= at[1]
      first, last = at[1] + 1, math.max(at[1] + 1, at[3].end_row)
    end
  end
  place()
  -- A buffer that is read again has lost its marks: the chip takes the line numbers that it had last.
  api.nvim_create_autocmd({ "BufUnload", "BufWritePost" }, { group = group, buffer = buf, callback = look })
  api.nvim_create_autocmd("BufReadPost", { group = group, buffer = buf, callback = place })
  local function label()
    look()
    return first == last and ("%s %d"):format(shown, first) or ("%s %d-%d"):format(shown, first, last)
  end
  return {
    label = label,
    read = function()
      look()
      if gone then
        return { missing = ("the lines of (%s) are deleted"):format(label()) }
      elseif api.nvim_buf_is_loaded(buf) then
        return { buffer = buf, first = first, last = last }
      elseif api.nvim_buf_is_valid(buf) and vim.fn.filereadable(name) == 1 then
        return { file = name, first = first, last = last }
      end
      return { missing = ("the buffer of (%s) is gone"):format(label()) }
    end,
  }
end

--- A chip for the session's prompt, as the text that stands for it.
---@param n integer
---@param label string|fun(): string
---@param item acp.ContextItem|fun(): acp.ContextItem
---@return string text
function M.new(n, label, item)
  return enter(n, {
    label = function()
      return (
        (type(label) == "function" and label() or label --[[@as string]]):gsub("[%c()]", "?")
      )
    end,
    read = type(item) == "function" and item or function()
      return item --[[@as acp.ContextItem]]
    end,
    file = type(item) == "table" and item.file or nil,
  })
end

---@param n integer
---@param buf integer
---@param first integer
---@param last integer
---@return string text
function M.lines(n, buf, first, last)
  local count = api.nvim_buf_line_count(buf)
  return enter(n, lines_chip(buf, math.min(first, count), math.min(last, count)))
end

--- All lines of a buffer.
---@param n integer
---@param buf integer
---@return string text
function M.buffer(n, buf)
  local name = api.nvim_buf_get_name(buf)
  local shown = name ~= "" and short(name) or "buffer " .. buf
  return enter(n, {
    label = function()
      return (shown:gsub("[()]", "?"))
    end,
    read = function()
      return api.nvim_buf_is_loaded(buf) and { buffer = buf }
        or { missing = ("the buffer of (%s) is gone"):format(shown) }
    end,
    file = name ~= "" and name or "buffer " .. buf,
  })
end

---@param n integer
---@param path string
---@return string text
function M.file(n, path)
  return M.new(n, short(path) .. (vim.fn.isdirectory(path) == 1 and "/" or ""), { file = path })
end

---@param n integer
---@param text string
---@return { at: integer, text: string }[]
local function found_in(n, text)
  local found = {}
  for shown in pairs(known[n] or {}) do
    local at = text:find(shown, 1, true)
    if at then
      found[#found + 1] = { at = at, text = shown }
    end
  end
  table.sort(found, function(one, other)
    return one.at < other.at
  end)
  return found
end

---@param text string
---@param old string
---@param new string
---@return string
local function replaced(text, old, new)
  return (text:gsub(vim.pesc(old), (new:gsub("%%", "%%%%"))))
end

--- The text with every chip as it is by now, and what the chips stand for.
---@param n integer
---@param text string
---@return string text
---@return table[] context  ready for the backend
function M.resolve(n, text)
  local items, renamed = {}, {}
  for index, found in ipairs(found_in(n, text)) do
    local chip = known[n][found.text]
    items[index] = chip.read()
    local now = ("(%s)"):format(chip.label())
    if now ~= found.text and not found.text:find("#%d+%)$") then
      -- by way of a text that nobody has written: what one is called now another may have been called before
      local between = ("\1%d\2"):format(index)
      text = replaced(text, found.text, between)
      renamed[between] = enter(n, chip, found.text)
    end
  end
  for between, now in pairs(renamed) do
    text = replaced(text, between, now)
  end
  return text, context_items.read_all(items)
end

--- Is the text nothing but chips?
---@param n integer
---@param text string
---@return boolean
function M.is_nothing_else(n, text)
  local found = found_in(n, text)
  for _, each in ipairs(found) do
    text = replaced(text, each.text, "")
  end
  return #found > 0 and not text:find("%S")
end

--- Another label for a chip that is known by `text`, and with it another text.
---@param n integer
---@param text string
---@return string text
function M.renamed(n, text)
  return enter(n, known[n][text], text)
end

--- Marks the chips of a line that is being drawn.
---@param n integer
---@param buf integer
---@param row integer
---@param namespace integer  of the decoration provider
function M.draw(n, buf, row, namespace)
  if not known[n] then
    return
  end
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  for shown in pairs(line:find("(", 1, true) and known[n] or {}) do
    local first, last = line:find(shown, 1, true)
    while first do
      local mark = { end_col = last, hl_group = "AcpChip", ephemeral = true }
      api.nvim_buf_set_extmark(buf, namespace, row, first - 1, mark)
      first, last = line:find(shown, last + 1, true)
    end
  end
end

--- Forgets the chips of a session that has ended.
---@param n integer
function M.wipe(n)
  known[n], order[n] = nil, nil
end

return M
