-- Shows `:Acp timeline`: the turns of a session, oldest first, each with its prompt, what it has changed, the tokens
-- that it took and its time. A turn unfolds to its files.
--
--    1  Fix the parser                    2 files +12 −3   4.1k tokens   5 min ago
--    2  Add a test                        parser_test.py +30             just now
--         parser_test.py  +30  by touch parser_test.py
local acp = require("acp_nvim")
local limits = require("acp_nvim.limits")
local lists = require("acp_nvim.ui.list")
local printable = require("acp_nvim.ui.printable")
local project = require("acp_nvim.project")
local relative_time = require("acp_nvim.ui.relative_time")
local review = require("acp_nvim.review")
local session_store = require("acp_nvim.backend.session_store")
local session_windows = require("acp_nvim.windows.session_windows")
local usage = require("acp_nvim.chat.usage")

local api = vim.api
local M = {}

local LEAST_PROMPT = 16 -- cells

---@class acp.TimelineRow
---@field turn table  of `acp.turns()`
---@field file? acp.TurnOfFile

local list ---@type acp.List
local shown ---@type integer?  the session; nil: those of nobody
local unfolded = {} ---@type table<string, true>  by key of the turn

-- Rows ----------------------------------------------------------------------------------------------------------------

---@param turn table
---@return string
local function key_of(turn)
  return ("%s %s %d %d"):format(turn.agent, turn.session_id, turn.turn, turn.time)
end

---@param turn table
---@return string
local function prompt_of(turn)
  local line = vim.trim(turn.prompt):match("^[^\n]*")
  local more = vim.trim(turn.prompt):find("\n", 1, true) and " …" or ""
  if turn.restored then
    return ("back to before turn %d"):format(turn.restored)
  end
  return line == "" and "a change by a tool, without a prompt" or printable.visible(line) .. more
end

--- "2 files +12 −3"
---@param turn table
---@return string
local function changed(turn)
  local plus, minus, names = 0, 0, {}
  for _, file in ipairs(turn.files) do
    plus, minus, names[file.path] = plus + file.added, minus + file.removed, true
  end
  local paths = vim.tbl_keys(names)
  if #paths == 0 then
    return ""
  end
  local where = #paths == 1 and printable.visible(vim.fs.basename(paths[1])) or ("%d files"):format(#paths)
  return plus + minus > 0 and ("%s %s"):format(where, printable.counts(plus, minus)) or where
end

---@param turns table[]
---@return table[] columns  of each turn: what it has changed, its tokens, its time
---@return integer[] widths
local function columns_of(turns)
  local columns, widths = {}, { 0, 0, 0 }
  for i, turn in ipairs(turns) do
    columns[i] = { changed(turn), usage.total({ session = turn.tokens }) or "", relative_time(turn.time) }
    for k, text in ipairs(columns[i]) do
      widths[k] = math.max(widths[k], vim.fn.strwidth(text))
    end
  end
  return columns, widths
end

---@param turn table
---@param columns string[]
---@param widths integer[]
---@param width integer  of the window
---@return acp.ListRow
local function row_of(turn, columns, widths, width)
  local tail = ""
  for k = 1, 3 do
    tail = tail .. (widths[k] > 0 and "  " .. lists.column(columns[k], widths[k]) or "")
  end
  local head = ("%4d  "):format(turn.turn)
  local room = math.max(LEAST_PROMPT, width - #head - vim.fn.strwidth(tail))
  local prompt = lists.column(prompt_of(turn), room)
  local text = (head .. prompt .. tail):gsub("%s+$", "")
  local from = math.min(#head + #prompt, #text)
  return { of = { turn = turn }, key = key_of(turn), text = text, from = from, to = #text, hl = "AcpTime" }
end

---@param turn table
---@return acp.ListRow[]
local function file_rows(turn)
  local rows = {}
  for i, file in ipairs(vim.list_slice(turn.files, 1, limits.TURN_FILES)) do
    local path = printable.visible(vim.fn.fnamemodify(file.path, ":~:."))
    local counts = file.added + file.removed > 0 and printable.counts(file.added, file.removed) or "no lines"
    local by = file.call and "  by " .. printable.visible(file.call.title)
      or file.by ~= "agent" and ("  by %s"):format(file.by == "unknown" and "nobody named" or file.by)
      or ""
    local text = ("        %s  %s%s"):format(path, counts, by)
    local row = { of = { turn = turn, file = file }, key = ("%s %d"):format(key_of(turn), i), text = text }
    row.from, row.to, row.hl = 8, 8 + #path, "AcpPath"
    rows[i] = row
  end
  return rows
end

---@return table[]
local function turns_shown()
  return review.turns(shown, shown == nil)
end

---@param width integer
---@return acp.ListRow[]
local function rows(width)
  local turns, result = turns_shown(), {}
  local columns, widths = columns_of(turns)
  for i, turn in ipairs(turns) do
    result[#result + 1] = row_of(turn, columns[i], widths, width)
    if unfolded[key_of(turn)] then
      vim.list_extend(result, file_rows(turn))
    end
  end
  return result
end

---@param found acp.ListRow[]
---@return string[] said
---@return string hl
local function remarks(found)
  if #found == 0 then
    return { "no turns yet" }, "AcpNote"
  end
  return review.is_log_cut(project.here()) and { "older turns are no longer kept" } or {}, "AcpNote"
end

-- Keys ----------------------------------------------------------------------------------------------------------------

---@param of acp.TimelineRow
local function fold(of)
  local key = key_of(of.turn)
  if #of.turn.files > 0 then
    unfolded[key] = not unfolded[key] or nil
    list:redraw()
  end
end

--- Shows what the turn has changed, in the quickfix list; the time line gives way to it.
---@param of acp.TimelineRow
local function show(of)
  local win = api.nvim_get_current_win()
  vim.cmd(("Acp review turn %d"):format(of.turn.turn))
  if api.nvim_get_current_win() ~= win and api.nvim_win_is_valid(win) then
    api.nvim_win_close(win, false)
  end
end

--- Puts the prompt of the turn into the prompt of its session, or of the current one.
---@param of acp.TimelineRow
local function edit(of)
  local n = of.turn.session or shown or session_store.current()
  if not n or not session_store.has_agent(n) then
    return lists.show_result(nil, "there is no session to send it to: :Acp starts one")
  end
  lists.replace_with(function()
    session_windows.recall(n, of.turn.prompt)
  end)
end

--- Goes back to before the turn; the time line gives way to the diff that shows it.
---@param of acp.TimelineRow
local function restore(of)
  local turn = of.turn
  if not turn.session then
    return lists.show_result(
      nil,
      ("turn %d is of an earlier session: load that first, :Acp sessions"):format(turn.turn)
    )
  end
  if lists.show_result(acp.restore(turn.turn, { session = turn.session })) then
    lists.replace_with(function() end)
  end
end

---@param of acp.TimelineRow
local function fork(of)
  local turn = of.turn
  if not turn.session then
    return lists.show_result(
      nil,
      ("turn %d is of an earlier session: load that first, :Acp sessions"):format(turn.turn)
    )
  end
  local n, message = acp.fork({ session = turn.session, turn = turn.turn })
  if lists.show_result(n, message) then
    lists.replace_with(function()
      acp.open({ session = n })
    end)
  end
end

list = lists.new({
  name = "acp://timeline",
  filetype = "acp_timeline",
  title = "Turns",
  bar = "<CR> show  r go back to before  za unfold  e edit prompt  f fork",
  keys = {
    { "<CR>", "show what the turn has changed", run = show },
    { "r", "go back to before the turn: shows what that changes, and asks", run = restore },
    { "za", "unfold or fold its files", run = fold },
    { "e", "put its prompt into the prompt, to be sent again", run = edit },
    { "f", "fork: a new session that remembers what was said before it", run = fork },
  },
  rows = rows,
  remarks = remarks,
  closed = function()
    unfolded = {}
  end,
})

--- Opens the time line of the current session, with the cursor on its newest turn.
---@return true? ok
---@return string? message
function M.open()
  local n = session_store.current()
  local turns, message = acp.turns({ session = n })
  if not turns then
    return nil, message
  elseif #turns == 0 then
    return nil, n and "no turns yet: send a prompt first" or "no turns are known in this project"
  end
  shown = n
  local win, ok = list:window(), true
  if win then
    api.nvim_set_current_win(win)
    list:draw()
  else
    ok, message = list:open(1 / 2)
  end
  if not ok then
    return nil, message
  end
  vim.b[list.buffer].acp_session = n
  for row, each in ipairs(list.rows) do
    if not each.of.file then
      api.nvim_win_set_cursor(0, { row, 0 })
    end
  end
  return true
end

session_store.on_change(function()
  list:redraw()
end)

return M
