-- Draws what an empty chat shows: which agent answers and where, the first keys, and what can be continued. These are
-- virtual lines, which go with the first entry.
local chats = require("acp_nvim.chat.buffer")
local earlier_session = require("acp_nvim.chat.earlier_session")
local event = require("acp_nvim.system.event")
local git_branch = require("acp_nvim.system.git_branch")
local global_keys = require("acp_nvim.config.global_keys")
local printable = require("acp_nvim.ui.printable")
local relative_time = require("acp_nvim.ui.relative_time")
local state = require("acp_nvim.backend.session_store")

local api = vim.api
local on_continue = event.new()

local M = {
  on_continue = on_continue.add, -- fn(cwd): the user wants the last conversation of the folder
}

local NAMESPACE = api.nvim_create_namespace("acp_nvim.welcome")
local MARGIN = 2
local KEYS_WIDTH = 7 -- of the column that they stand in
local LEAST_TITLE = 16
local WIDE, LOW = 68, 14
local KEYS = { -- what they do fits a chat of 30 columns
  { "i", "write a prompt" },
  { "<C-s>", "send it" },
  { "@  /", "file, command" },
  { "<M-1>", "answer a question" },
  { "g?", "all keys" },
}

---@alias acp.Chunk [string, string]  text and highlight group

---@class acp.Greeting
---@field buf integer
---@field asked boolean    for what can be continued
---@field kept? acp.Earlier
---@field text? string     as it is drawn

local greetings = {} ---@type table<integer, acp.Greeting>  session -> what its empty chat shows

---@param list? { id: string, name: string }[]
---@param id? string
---@return string?
local function name_of(list, id)
  for _, item in ipairs(list or {}) do
    if item.id == id then
      return printable.visible(item.name)
    end
  end
  return id and printable.visible(id)
end

local STATES = {
  starting = { "starting …", "AcpSpinner" },
  auth = { "logged out: :Acp login", "AcpWarning" },
  failed = { "failed: see :Acp log", "AcpError" },
  stopped = { "stopped: :Acp restart", "AcpCancelled" },
}

--- The agent with its mode and model, or why it does not answer.
---@param status table
---@return acp.Chunk[]
local function who(status)
  local line = { { printable.visible(status.agent_title or status.agent or ""), "AcpAgent" } }
  local doing = STATES[status.state]
  if doing then
    line[2] = { "  " .. doing[1], doing[2] }
    return line
  end
  for _, name in ipairs({ name_of(status.modes, status.mode) or "", name_of(status.models, status.model) or "" }) do
    line[#line + 1] = name ~= "" and { " · " .. name, "AcpCount" } or nil
  end
  return line
end

--- Cuts a path at its beginning: its end says most.
---@param path string
---@param width integer
---@return string
local function end_of(path, width)
  local cells = vim.fn.strwidth(path)
  if cells <= width then
    return path
  end
  return "…" .. vim.fn.strcharpart(path, math.max(0, vim.fn.strchars(path) - math.max(0, width - 1)))
end

---@param cwd string
---@param width integer
---@return acp.Chunk[]
local function where(cwd, width)
  local path = printable.visible(vim.fn.fnamemodify(cwd, ":~"))
  local branch = git_branch.of(cwd)
  if not branch then
    return { { end_of(path, width), "AcpPath" } }
  end
  local on = printable.cut("  on " .. printable.visible(branch), math.floor(width / 2))
  return { { end_of(path, width - vim.fn.strwidth(on)), "AcpPath" }, { on, "AcpCount" } }
end

--- The title is cut, not what the key does nor how long ago it was; where that leaves little, it has a line of its own.
---@param does string
---@param title string
---@param when string
---@param width integer
---@return acp.Chunk[][] lines
local function continuing(does, title, when, width)
  local key = { "<CR>" .. (" "):rep(KEYS_WIDTH - 4), "AcpOption" }
  title = printable.visible(title)
  local room = width - KEYS_WIDTH - vim.fn.strwidth(does .. when) - 4
  if room >= math.min(LEAST_TITLE, vim.fn.strwidth(title)) then
    title = printable.cut(title, room)
    return { { key, { does .. ' "', "AcpTool" }, { title, "AcpHeading" }, { '" ', "AcpTool" }, { when, "AcpCount" } } }
  end
  title = printable.cut(title, math.max(1, width - KEYS_WIDTH - 2))
  local first = { key, { '"', "AcpTool" }, { title, "AcpHeading" }, { '"', "AcpTool" } }
  local left = math.max(0, math.min(KEYS_WIDTH, width - vim.fn.strwidth(does .. when) - 1))
  return { first, { { (" "):rep(left) .. does .. " ", "AcpTool" }, { when, "AcpCount" } } }
end

---@param n integer
---@param width integer
---@return acp.Chunk[][]
local function offer(n, width)
  local living, kept = earlier_session.newest_live(state.session(n).origin.cwd), greetings[n].kept
  if living then
    local status = state.look(living) or {}
    local title = status.title or status.about or ("session %d"):format(living)
    return continuing("go to", title, ("(session %d)"):format(living), width)
  elseif kept then
    return continuing("continue", kept.title or "untitled", ("(%s)"):format(relative_time(kept.updated)), width)
  end
  return {}
end

--- One below the other, or in a low window side by side.
---@param width integer
---@param is_low boolean
---@return acp.Chunk[][]
local function keys(width, is_low)
  if vim.g.no_plugin_maps then
    return { { { ":help acp_nvim-mappings", "AcpOption" }, { "  keys for here", "AcpTool" } } }
  end
  local lines, room = {}, 0
  for _, key in ipairs(KEYS) do
    local gap = is_low and 1 or KEYS_WIDTH - #key[1]
    local cells = #key[1] + gap + #key[2]
    if not is_low or cells > room then
      lines[#lines + 1], room = {}, width
    end
    local line, behind = lines[#lines], is_low and "   " or ""
    vim.list_extend(line, { { key[1] .. (" "):rep(gap), "AcpOption" }, { key[2] .. behind, "AcpTool" } })
    room = room - cells - #behind
  end
  return lines
end

---@param width integer
---@return acp.Chunk[][]
local function maps(width)
  if global_keys.is_used() then
    return {}
  end
  local setting, what = { 'keys = "<leader>a"', "AcpOption" }, { "in setup() maps the rest", "AcpCount" }
  if width < WIDE then
    return { { setting }, { what } }
  end
  return { { setting, { " ", "AcpTool" }, what, { "   :help acp_nvim-keys", "AcpCount" } } }
end

--- The parts from top to bottom, each some lines.
---@param n integer
---@param width integer
---@param is_low boolean
---@return acp.Chunk[][][]
local function parts(n, width, is_low)
  local status = state.look(n) or {}
  return {
    { who(status), where(state.session(n).origin.cwd, width) },
    offer(n, width),
    keys(width, is_low),
    maps(width),
  }
end

---@param line acp.Chunk[]
---@param width integer
---@return acp.Chunk[]
local function fitted(line, width)
  local shown = { { (" "):rep(MARGIN), "AcpTool" } }
  for _, chunk in ipairs(line) do
    local text = width > 0 and printable.cut(chunk[1], width) or ""
    width = width - vim.fn.strwidth(text)
    shown[#shown + 1] = { text, chunk[2] }
  end
  return shown
end

--- As many whole parts as there is room for, with a line between them where that fits, too.
---@param n integer
---@param width integer
---@param rows integer
---@return acp.Chunk[][]
local function lines_of(n, width, rows)
  local lines, is_low = {}, rows <= LOW
  for _, part in ipairs(parts(n, width, is_low)) do
    local gap = not is_low and #lines > 0 and #part > 0
    if #lines + #part + (gap and 1 or 0) > rows then
      break
    end
    lines[#lines + 1] = gap and { { " ", "AcpTool" } } or nil
    for _, line in ipairs(part) do
      lines[#lines + 1] = fitted(line, width)
    end
  end
  return lines
end

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
  return width and width - 2 * MARGIN, rows
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
  local lines = lines_of(n, width, rows)
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
  greetings[n].asked = true
  earlier_session.find_saved(state.session(n).origin.cwd, function(kept)
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
  local shows = chat and state.exists(n) and earlier_session.is_empty(n) and is_blank(chat)
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
  if greeting and (greeting.kept or earlier_session.newest_live(state.session(n).origin.cwd)) then
    on_continue.call(state.session(n).origin.cwd)
    return true
  end
  return false
end

state.on_change(function(n)
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
