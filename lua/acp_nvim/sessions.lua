-- `:Acp sessions`: the sessions that live here and those that the running agents have saved, one a line, in a buffer of
-- our own that is brought up to date while it is open.
local agents = require("acp_nvim.agents")
local backend = require("acp_nvim.backend")
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")

local api = vim.api
local M = {}

---@class acp.Listed     what one agent has saved, as the backend tells it
---@field agent string
---@field state "none"|"asking"|"more"|"done"|"cut"|"failed"
---@field error? string
---@field can { load: boolean, resume: boolean, fork: boolean, delete: boolean }
---@field sessions { id: string, title?: string, cwd?: string, updated?: integer }[]

---@class acp.SessionLine
---@field key string        the same session has the same one each time
---@field session? integer  it lives here
---@field id? string        the agent's
---@field agent string
---@field cwd string
---@field title string
---@field state string
---@field hl string
---@field updated? integer
---@field can table<string, boolean>

local NAME = "acp://sessions"
local NAMESPACE = api.nvim_create_namespace("acp_nvim.sessions")
local KEYS = " Sessions   <CR> go to  l load  r resume  f fork  x close  d delete  g? keys"
local STATES = {
  starting = { "starting", "AcpSpinner" },
  running = { "running", "AcpSpinner" },
  asking = { "needs you", "AcpQuestion" },
  auth = { "login", "AcpWarning" },
  stopped = { "stopped", "AcpCancelled" },
  failed = { "failed", "AcpError" },
}

local listings = {} ---@type acp.Listed[]
local buffer ---@type integer?
local shown = {} ---@type acp.SessionLine[] by row
local doomed ---@type string? the key of the line on which `d` has been pressed once
local scheduled = false

-- What there is -------------------------------------------------------------------------------------------------------

---@param status table
---@return string text
---@return string hl
local function doing(status)
  local known = STATES[status.state]
  if known then
    return known[1], known[2]
  elseif status.error then
    return "error", "AcpError"
  elseif status.stop_reason then
    return status.stop_reason == "end_turn" and "done" or "stopped", "AcpDone"
  end
  return "ready", "AcpPending"
end

---@param agent string
---@return acp.Listed?
local function listing_of(agent)
  for _, listing in ipairs(listings) do
    if listing.agent == agent then
      return listing
    end
  end
end

---@return acp.SessionLine[]
---@return table<string, true> there  what need not be listed once more
local function live()
  local lines, there = {}, {}
  for _, n in ipairs(state.numbers()) do
    local status = assert(state.get(n))
    local text, hl = doing(status)
    local listing = listing_of(status.agent)
    lines[#lines + 1] = {
      key = "live " .. n,
      session = n,
      id = status.session_id,
      agent = status.agent,
      cwd = status.cwd,
      title = status.title or status.about or ("session %d"):format(n),
      state = text,
      hl = hl,
      can = listing and listing.can or {},
    }
    if status.session_id then
      there[status.agent .. "\0" .. status.session_id] = true
    end
  end
  return lines, there
end

---@return acp.SessionLine[]
local function all()
  local lines, there = live()
  for _, listing in ipairs(listings) do
    for _, saved in ipairs(listing.sessions) do
      local key = listing.agent .. "\0" .. saved.id
      if not there[key] then
        there[key] = true
        lines[#lines + 1] = {
          key = key,
          id = saved.id,
          agent = listing.agent,
          cwd = saved.cwd or vim.fn.getcwd(),
          title = saved.title or scratch.visible(saved.id),
          state = "saved",
          hl = "AcpPending",
          updated = saved.updated,
          can = listing.can,
        }
      end
    end
  end
  return lines
end

--- The agents' ids of all sessions that are known, for completion.
---@return string[]
function M.ids()
  local ids = {}
  for _, line in ipairs(all()) do
    ids[#ids + 1] = line.id
  end
  return ids
end

-- How it looks --------------------------------------------------------------------------------------------------------

---@param seconds? integer  since 1970
---@return string
local function ago(seconds)
  if not seconds then
    return ""
  end
  local past = os.time() - seconds
  if past < 60 then
    return "just now"
  elseif past < 3600 then
    return ("%d min ago"):format(past / 60)
  elseif past < 86400 then
    return ("%d h ago"):format(past / 3600)
  elseif past < 30 * 86400 then
    return ("%d d ago"):format(past / 86400)
  end
  return tostring(os.date("%Y-%m-%d", seconds))
end

---@param text string
---@param width integer
---@return string
local function column(text, width)
  text = scratch.cut(text, width)
  return text .. (" "):rep(width - vim.fn.strwidth(text))
end

---@param line acp.SessionLine
---@param width integer  of the window
---@return string
local function draw_line(line, width)
  local cwd = scratch.visible(vim.fn.fnamemodify(line.cwd, ":~"))
  local number = line.session and tostring(line.session) or ""
  local head = ("%3s %s  %s  "):format(number, column(line.state, 9), column(scratch.visible(line.agent), 10))
  local room = math.max(20, width - #"999 needs you  agent-name  " - 14)
  local title = math.max(12, math.floor(room * 0.6))
  local row = head .. column(line.title, title) .. "  " .. column(cwd, room - title - 2) .. "  " .. ago(line.updated)
  return (row:gsub("%s+$", ""))
end

--- What is to be said of the agents' lists, below the last line.
---@return string[]
local function remarks()
  local said = {}
  for _, listing in ipairs(listings) do
    local name = scratch.visible(listing.agent)
    if listing.state == "asking" then
      said[#said + 1] = name .. ": asking for its sessions …"
    elseif listing.state == "failed" then
      said[#said + 1] = ("%s: no list: %s"):format(name, listing.error or "it failed")
    elseif listing.state == "more" then
      said[#said + 1] = name .. ": there are more: m"
    elseif listing.state == "cut" then
      local many = #listing.sessions
      said[#said + 1] = ("%s: cut at %d: / searches these, :Acp load {id} opens any"):format(name, many)
    elseif listing.state == "none" then
      said[#said + 1] = name .. ": lists no earlier sessions"
    end
  end
  if #said == 0 and #shown == 0 then
    said[1] = "no session is there yet: :Acp new starts one"
  end
  return said
end

---@param buf integer
local function decorate(buf)
  api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  for row, line in ipairs(shown) do
    local from, to = 4, 4 + #line.state
    api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, from, { end_col = to, hl_group = line.hl })
    if line.key == doomed then
      local ask = { { "  d again deletes it for good", "AcpWarning" } }
      api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, 0, { virt_text = ask, virt_text_pos = "right_align" })
    end
  end
  local below = vim.tbl_map(function(text)
    return { { "    " .. text, "AcpNote" } }
  end, remarks())
  if #below > 0 then
    api.nvim_buf_set_extmark(buf, NAMESPACE, math.max(0, #shown - 1), 0, { virt_lines = below })
  end
end

---@param buf integer
---@return table<integer, { key?: string, view: table }> by window
local function places(buf)
  local found = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local view = api.nvim_win_call(win, vim.fn.winsaveview)
    found[win] = { key = shown[view.lnum] and shown[view.lnum].key, view = view }
  end
  return found
end

--- Every window's cursor stays on its session, as far up or down in the window as it was.
---@param before table<integer, { key?: string, view: table }>
local function restore(before)
  for win, place in pairs(before) do
    local row = math.min(place.view.lnum, math.max(1, #shown))
    for i, line in ipairs(shown) do
      row = line.key == place.key and i or row
    end
    local moved = row - place.view.lnum
    place.view.lnum, place.view.topline = row, math.max(1, place.view.topline + moved)
    api.nvim_win_call(win, function()
      vim.fn.winrestview(place.view)
    end)
  end
end

local function draw()
  scheduled = false
  local buf = buffer
  if not buf or not api.nvim_buf_is_valid(buf) then
    return
  end
  local before = places(buf)
  local win = next(before)
  local width = win and api.nvim_win_get_width(win) or vim.o.columns
  shown = all()
  local lines = vim.tbl_map(function(line)
    return draw_line(line, width)
  end, shown)
  if #lines == 0 then
    lines[1] = ""
  end
  if not vim.deep_equal(lines, api.nvim_buf_get_lines(buf, 0, -1, true)) then
    vim.bo[buf].modifiable = true
    api.nvim_buf_set_lines(buf, 0, -1, true, lines)
    vim.bo[buf].modifiable = false
    restore(before)
  end
  decorate(buf)
end

local function redraw()
  if buffer and not scheduled then
    scheduled = true
    vim.schedule(draw)
  end
end

-- What the user does --------------------------------------------------------------------------------------------------

---@return acp.SessionLine?
local function chosen()
  return shown[api.nvim_win_get_cursor(0)[1]]
end

---@param ok any
---@param message? string
---@return boolean
local function told(ok, message)
  if not ok then
    scratch.message("warn", message or "it did not work: see :Acp log")
  end
  return ok ~= nil and ok ~= false
end

--- The list gives way to the session's chat.
---@param n integer
local function go(n)
  local win = api.nvim_get_current_win()
  require("acp_nvim.undisturbed").run(function()
    pcall(api.nvim_win_close, win, false)
  end)
  if api.nvim_win_is_valid(win) then
    vim.cmd.enew() -- it was the last window
  end
  vim.schedule(function() -- closing gives the cursor back to the window that it came from
    told(require("acp_nvim").open({ session = n }))
  end)
end

---@param n? integer
---@param message? string
local function went(n, message)
  if told(n, message) then
    go(n --[[@as integer]])
  end
end

---@param line acp.SessionLine
---@param fn "load"|"resume"|"reopen"
local function bring(line, fn)
  if line.session then
    return go(line.session)
  end
  went(require("acp_nvim")[fn](line.id, { agent = line.agent, cwd = line.cwd }))
end

---@param refresh boolean
---@param more boolean
local function ask(refresh, more)
  local cwd = vim.fn.getcwd()
  told(backend.notify("list", { agent = agents.default(), cwd = cwd, refresh = refresh, more = more }))
end

local actions = {}

actions["<CR>"] = {
  "go to it; a saved one is loaded, else resumed",
  function(line)
    bring(line, "reopen")
  end,
}
actions.l = {
  "load it, with all that was said",
  function(line)
    bring(line, "load")
  end,
}
actions.r = {
  "resume it, without what was said before",
  function(line)
    bring(line, "resume")
  end,
}
actions.f = {
  "fork it: a new session that remembers the same",
  function(line)
    went(require("acp_nvim").fork({ session = line.session, id = line.id, agent = line.agent, cwd = line.cwd }))
  end,
}
actions.x = {
  "close it here",
  function(line)
    if not line.session then
      return scratch.message("info", "it is not open here: d deletes it")
    end
    told(require("acp_nvim").close_session({ session = line.session }))
  end,
}
actions.d = {
  "delete it for good (press it twice)",
  function(line)
    if line.can.delete == false or not line.id then
      return scratch.message("warn", ("%s cannot delete this session"):format(line.agent))
    elseif doomed ~= line.key then
      doomed = line.key
      return redraw()
    end
    doomed = nil
    redraw()
    told(require("acp_nvim").delete(line.id, { agent = line.agent }))
  end,
}

local function help()
  local lines = {}
  for _, key in ipairs({ "<CR>", "l", "r", "f", "x", "d" }) do
    lines[#lines + 1] = ("%-5s %s"):format(key, actions[key][1])
  end
  vim.list_extend(lines, {
    "m     more of what the agents have saved",
    "R     ask the agents anew",
    "q     close the window",
  })
  scratch.float(lines, "", "Sessions")
end

---@param buf integer
local function map(buf)
  local function set(key, desc, fn)
    vim.keymap.set("n", key, fn, { buffer = buf, nowait = true, desc = desc })
  end
  for key, action in pairs(actions) do
    set(key, action[1], function()
      local line = chosen()
      if key ~= "d" and doomed then
        doomed = nil
        redraw()
      end
      if line then
        action[2](line)
      end
    end)
  end
  set("m", "more", function()
    ask(false, true)
  end)
  set("R", "ask anew", function()
    ask(true, false)
  end)
  set("g?", "keys", help)
end

--- The cursor has moved: a `d` is forgotten, and at the end there may be more.
local function moved()
  local line = chosen()
  if doomed and (not line or line.key ~= doomed) then
    doomed = nil
    redraw()
  end
  if #shown > 1 and api.nvim_win_get_cursor(0)[1] == #shown then
    for _, listing in ipairs(listings) do
      if listing.state == "more" then
        return ask(false, true)
      end
    end
  end
end

---@param buf integer
local function attend(buf)
  map(buf)
  api.nvim_create_autocmd("CursorMoved", { buffer = buf, callback = moved })
  api.nvim_create_autocmd("WinResized", {
    buffer = buf,
    callback = redraw,
  })
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      if buffer == buf then
        buffer, listings, shown, doomed = nil, {}, {}, nil
        if backend.is_running() and vim.v.exiting == vim.NIL then
          backend.notify("list_end", {})
        end
      end
    end,
  })
end

-- The seam ------------------------------------------------------------------------------------------------------------

--- Opens the list, or goes to it.
---@return true? ok
---@return string? message
function M.open()
  if vim.fn.getcmdwintype() ~= "" then
    return nil, "close the command-line window first"
  end
  local ok, message = backend.start()
  if not ok then
    return nil, message
  end
  local win = buffer and vim.fn.bufwinid(buffer) or -1
  if win > 0 then
    api.nvim_set_current_win(win)
    ask(true, false)
    return true
  end
  win = scratch.show(NAME, "acp_sessions", { "" })
  buffer = api.nvim_win_get_buf(win)
  api.nvim_win_set_height(win, math.max(4, math.floor(vim.o.lines / 3)))
  for name, value in pairs({
    cursorline = true,
    wrap = false,
    number = false,
    relativenumber = false,
    winbar = KEYS .. "%<",
  }) do
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
  attend(buffer)
  draw()
  ask(false, false)
  return true
end

--- Port: what the agents have saved.
---@param list acp.Listed[]
function M.listed(list)
  if buffer then
    listings = list
    redraw()
  end
end

--- A session leaves the list. If it never came to be, what its window showed before comes back.
---@param n integer
---@param was_starting boolean
function M.ended(n, was_starting)
  redraw()
  local window = require("acp_nvim.window")
  local before = was_starting and window.is_open(n) and state.current()
  if before then
    window.open(before)
  end
end

state.on_change(redraw)

return M
