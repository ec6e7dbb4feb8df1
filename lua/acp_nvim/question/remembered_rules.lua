-- Shows `:Acp forget`, the list of what a session remembers as always allowed or rejected, to be taken back.
local backend = require("acp_nvim.backend.process")
local lists = require("acp_nvim.ui.list")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

local ACTION_WIDTH, LEAST_WHAT = 10, 20
local SIGNS = { allow = "✓✓ allow", reject = "✗✗ reject" }
local COLOURS = { allow = "AcpWarning", reject = "AcpFailed" }

local session ---@type integer?  whose list is open
local list ---@type acp.List

---@return string
local function agent()
  local status = session and session_store.look(session) or {}
  return printable.visible(status.agent_title or status.agent or "the agent")
end

---@return table[]
local function items()
  return session and (session_store.look(session) or {}).remembered or {}
end

---@param width integer
---@return acp.ListRow[]
local function rows(width)
  return vim.tbl_map(function(item)
    local number = ("%3d  "):format(item.id)
    local action = lists.column(SIGNS[item.action], ACTION_WIDTH)
    local keeper = item.by == "agent" and ("only %s can forget it"):format(agent()) or "this session"
    local room = width - vim.fn.strwidth(number .. action .. keeper) - 4
    local what = lists.column(printable.visible(item.what), math.max(LEAST_WHAT, room))
    local from = #number
    return {
      of = item,
      key = tostring(item.id),
      text = number .. action .. "  " .. what .. "  " .. keeper,
      from = from,
      to = from + #action,
      hl = COLOURS[item.action],
    }
  end, items())
end

---@param shown acp.ListRow[]
---@return string[] texts
---@return string hl
local function remarks(shown)
  if #shown == 0 then
    return { "nothing is remembered: you are asked each time" }, "AcpNote"
  end
  local of_agent = vim.iter(shown):any(function(row)
    return row.of.by == "agent"
  end)
  if of_agent then
    local modes = session and (session_store.look(session) or {}).modes or {}
    local how = #modes > 1 and "Another :Acp mode may make %s forget it; a new session (:Acp new) starts without it"
      or "the settings of %s hold what it remembers; a new session (:Acp new) starts without it"
    return { how:format(agent()) }, "AcpNote"
  end
  return {}, "AcpNote"
end

--- Takes back what was answered for good.
---@param n integer
---@param ids? integer[]  nil: all
---@return boolean? ok
---@return string? message
function M.forget(n, ids)
  if not backend.is_running() then
    return nil, "no session is open, so nothing is remembered"
  end
  return backend.notify("forget", { session = n, items = ids })
end

list = lists.new({
  name = "acp://forget",
  filetype = "acp_forget",
  title = "Remembered",
  bar = "x take back  X take all back",
  keys = {
    {
      "x",
      "take it back, so that you are asked again",
      run = function(item)
        lists.show_result(M.forget(session --[[@as integer]], { item.id }))
      end,
    },
    {
      "X",
      "take all back",
      always = function()
        lists.show_result(M.forget(session --[[@as integer]]))
      end,
    },
  },
  rows = rows,
  remarks = remarks,
  closed = function()
    session = nil
  end,
})

session_store.on_change(function(n)
  if n == session then
    list:redraw()
  end
end)

--- Opens the list of that session.
---@param n integer
---@return boolean? ok
---@return string? message
function M.open(n)
  session = n
  local ok, message = list:open(1 / 3)
  session = ok and n or session -- the buffer of the list before is wiped when this one comes
  return ok, message
end

return M
