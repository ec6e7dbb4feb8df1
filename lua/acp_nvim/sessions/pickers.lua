-- Lets the user pick an earlier prompt or another session, in the plugin that has taken over `vim.ui.select`, if one
-- has.
local acp = require("acp_nvim.api")
local history = require("acp_nvim.prompt.history")
local limits = require("acp_nvim.limits")
local list_rows = require("acp_nvim.sessions.list_rows")
local live_and_saved = require("acp_nvim.sessions.live_and_saved")
local lists = require("acp_nvim.ui.list")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local prompt_entry = require("acp_nvim.windows.prompt_entry")
local relative_time = require("acp_nvim.ui.relative_time")
local session_windows = require("acp_nvim.windows.session_windows")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

local LABEL_WIDTH = 100
local TITLE_WIDTH = 60

--- Shows the labels, and calls `choose` with what stands behind the chosen one. Equal labels are numbered.
---@param title string
---@param entries { label: string, of: any }[]
---@param choose fun(of: any)
---@param numbers? integer[]  by which the user knows the entries
local function pick(title, entries, choose, numbers)
  local labels, by_label = {}, {}
  for _, entry in ipairs(entries) do
    local label, count = entry.label, 1
    while by_label[label] ~= nil do
      count = count + 1
      label = ("%s (%d)"):format(entry.label, count)
    end
    labels[#labels + 1], by_label[label] = label, entry.of
  end
  panes.select(labels, title, function(label)
    choose(by_label[label])
  end, numbers)
end

--- The first line of a prompt, and how many follow.
---     "look at these\nfiles"  ->  "look at these  (+1 line)"
---@param text string
---@return string
local function prompt_label(text)
  local trimmed = vim.trim(text)
  local first = printable.beginning(trimmed:match("^[^\n]*"), limits.MESSAGE_CHARS)
  local _, more = trimmed:gsub("\n", "\n")
  local behind = more > 0 and ("  (+%d line%s)"):format(more, more == 1 and "" or "s") or ""
  return printable.cut(first, LABEL_WIDTH) .. behind
end

--- Lets the user pick a prompt of the project's history, newest first; it goes into the session's prompt.
---@param n integer
---@return true? ok
---@return string? message
function M.pick_prompt(n)
  local list, entries, seen = history.of(session_store.session(n).origin.cwd), {}, {}
  for index = #list, 1, -1 do
    if not seen[list[index]] then
      seen[list[index]] = true
      entries[#entries + 1] = { label = prompt_label(list[index]), of = list[index] }
    end
  end
  if #entries == 0 then
    return nil, "no prompt has been sent in this project yet"
  end
  pick("Earlier prompts", entries, function(text)
    prompt_entry.by_user(function()
      return session_windows.recall(n, text)
    end)
  end)
  return true
end

--- The sessions in columns, each as wide as it has to be.
---     needs you ?1  claude  Fix the tests  just now
---     idle          codex   Rename parse   3 min ago
---@param lines acp.SessionLine[]
---@return { label: string, of: integer }[]
local function session_entries(lines)
  local rows, widths = {}, { 0, 0, 0, 0 }
  for i, line in ipairs(lines) do
    rows[i] = {
      vim.trim(line.state .. " " .. list_rows.waiting(line)),
      printable.visible(line.agent),
      printable.cut(line.title, TITLE_WIDTH),
      relative_time(line.updated),
    }
    for column, text in ipairs(rows[i]) do
      widths[column] = math.max(widths[column], vim.fn.strwidth(text))
    end
  end
  local entries = {}
  for i, row in ipairs(rows) do
    for column, text in ipairs(row) do
      row[column] = lists.column(text, widths[column])
    end
    entries[i] = { label = vim.trim(table.concat(row, "  ")), of = lines[i].session }
  end
  return entries
end

--- Lets the user pick one of the sessions that live here; the one that needs the user, else another than the current
--- one comes first.
---@return true? ok
---@return string? message
function M.pick_session()
  local current = session_store.current()
  local lines = vim.tbl_filter(function(line)
    return line.session ~= nil
  end, live_and_saved.all())
  if #lines == 0 then
    return nil, "no session is open: :Acp new starts one"
  end
  local function rank(line)
    return (line.session == current and 2 or 0) + (line.questions > 0 and 0 or 1)
  end
  table.sort(lines, function(one, other)
    if rank(one) ~= rank(other) then
      return rank(one) < rank(other)
    end
    return one.session > other.session
  end)
  local numbers = vim.tbl_map(function(line)
    return line.session
  end, lines)
  pick("Sessions", session_entries(lines), function(n)
    local ok, message = prompt_entry.by_user(function()
      return acp.open({ session = n })
    end)
    if not ok then
      messages.show("warn", message or "that session is closed")
    end
  end, numbers)
  return true
end

return M
