-- The line above the chat: who, how far, what is going on. Built from the session's status when Neovim draws it.
local chats = require("acp_nvim.chat")
local gauge = require("acp_nvim.gauge")
local on_bar = require("acp_nvim.highlight").on_bar
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")

local api = vim.api
local M = {
  CHAT = "%{%v:lua.require'acp_nvim.winbar'.text()%}",
  PROMPT = " %{%v:lua.require'acp_nvim.winbar'.prompt_text()%}",
  PLACE = " %{%v:lua.require'acp_nvim.winbar'.place_text()%}%=%P ",
}

local FRAMES = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" }
local FRAME_MS = 100
local STEP = 10 -- the rank of the plan's step
local BUSY = { starting = true, running = true }

---@class acp.Segment
---@field text string
---@field hl? string
---@field rank integer   what is narrow gives up the highest first
---@field gap? string    what stands before it

local timer ---@type uv.uv_timer_t?
local ticks = 0
local turns = {} ---@type table<integer, { started: number, turn: integer, since: number }>

local function frame()
  return FRAMES[ticks % #FRAMES + 1]
end

---@param text string
---@return string
local function clean(text)
  return scratch.visible(vim.fn.strcharpart(text, 0, 120))
end

---@param list? { id: string, name: string }[]
---@param id? string
---@return string?
local function name_of(list, id)
  for _, item in ipairs(list or {}) do
    if item.id == id then
      return item.name
    end
  end
  return id
end

--- The status tells how long the turn had run when it was sent; from then on the clock is ours.
---@param n integer
---@param status table
---@return string
local function elapsed(n, status)
  local turn = turns[n]
  local started = status.started or 0
  if not turn or turn.started ~= started or turn.turn ~= status.turn then
    turn = { started = started, turn = status.turn, since = vim.uv.now() - started * 1000 }
    turns[n] = turn
  end
  local seconds = math.max(0, math.floor((vim.uv.now() - turn.since) / 1000))
  return seconds < 60 and ("%ds"):format(seconds) or ("%dm%02ds"):format(math.floor(seconds / 60), seconds % 60)
end

---@param n integer
---@param status table
---@return string text
---@return string hl
local function state_text(n, status)
  local now = status.state
  if not now then
    return "✗ gone", "AcpError"
  elseif now == "running" then
    return ("%s running %s"):format(frame(), elapsed(n, status)), "AcpSpinner"
  elseif now == "starting" then
    return frame() .. " starting", "AcpSpinner"
  elseif now == "asking" then
    return "? needs you", "AcpQuestion"
  elseif now == "auth" then
    return "needs a login", "AcpWarning"
  elseif now == "failed" then
    return "✗ failed", "AcpError"
  elseif now == "stopped" then
    return "stopped", "AcpCancelled"
  end
  return status.error and "✗ error" or "", "AcpError"
end

---@param status table
---@return string? count
---@return string? step
local function plan_text(status)
  local plan = status.plan
  if not plan or (plan.total or 0) <= (plan.done or 0) then
    return nil
  end
  return ("%d/%d"):format(plan.done, plan.total), plan.current and clean(plan.current)
end

---@param status table
---@return string?
local function queue_text(status)
  local queue = status.queue or 0
  return queue > 0 and ("%d %s"):format(queue, status.held and "held" or "queued") or nil
end

---@param n integer
---@param status table
---@param more boolean
---@return acp.Segment[]
local function segments(n, status, more)
  local list = {} ---@type acp.Segment[]
  local function add(text, hl, rank, gap)
    if text and text ~= "" then
      list[#list + 1] = { text = text, hl = hl, rank = rank, gap = list[1] and (gap or "  ") or " " }
    end
  end
  local mode, model = name_of(status.modes, status.mode), name_of(status.models, status.model)
  local doing, hl = state_text(n, status)
  local count, step = plan_text(status)
  add(clean(status.agent_title or status.agent or ("session %d"):format(n)), "AcpWinbarTitle", 3)
  add(mode and clean(mode), "AcpWinbar", 7, " · ")
  add(model and clean(model), "AcpWinbar", 8, " · ")
  add(gauge.text(status.usage), "AcpCount", 5)
  add(gauge.cost(status.usage), "AcpCount", 11, " ")
  add(doing, hl, 0)
  add(queue_text(status), status.held and "AcpWarning" or "AcpCount", 2)
  add(status.paused and "following paused" or status.following and "following", "AcpCount", 4)
  add(count, "AcpPlanCurrent", 9)
  add(count and step, "AcpPlanCurrent", STEP, " ")
  add(more and "↓ more" or nil, "AcpMore", 1)
  return list
end

---@param list acp.Segment[]
---@return integer
local function width_of(list)
  local width = 0
  for _, segment in ipairs(list) do
    width = width + api.nvim_strwidth(segment.gap .. segment.text)
  end
  return width
end

--- Drops the least important until the rest fits; the plan's step is cut rather than dropped.
---@param list acp.Segment[]
---@param width integer
local function fit(list, width)
  while width_of(list) > width and #list > 1 do
    local least = 1
    for index, segment in ipairs(list) do
      if segment.rank > list[least].rank then
        least = index
      end
    end
    local room = width - width_of(list) + api.nvim_strwidth(list[least].text)
    if list[least].rank == STEP and room >= 8 then
      list[least].text = scratch.cut(list[least].text, room)
    else
      table.remove(list, least)
      list[1].gap = list[1].gap:sub(1, 1)
    end
  end
end

---@param list acp.Segment[]
---@return string
local function render(list)
  local parts = { "%#AcpWinbar#" }
  for _, segment in ipairs(list) do
    parts[#parts + 1] = ("%%#AcpWinbar#%s%%#%s#%s"):format(
      segment.gap,
      on_bar(segment.hl),
      (segment.text:gsub("%%", "%%%%"))
    )
  end
  return table.concat(parts) .. "%#AcpWinbar#"
end

--- The chat's winbar, for the window that is being drawn.
---@return string
function M.text()
  local win = api.nvim_get_current_win() -- while it is drawn
  local n = vim.b[api.nvim_win_get_buf(win)].acp_session
  if not n then
    return ""
  end
  local list = segments(n, state.get(n) or {}, vim.w[win].acp_more == true)
  fit(list, api.nvim_win_get_width(win))
  return render(list)
end

--- Whether the next prompt has to wait for the turn.
---@param status table
---@return boolean
function M.queues(status)
  return status.state == "running" or status.state == "asking"
end

---@param status table
---@return acp.Segment[]
local function prompt_keys(status)
  local busy = M.queues(status)
  local key = vim.bo.filetype == "acp_prompt" and vim.fn.mode():find("^i") and "<C-s>" or "<CR>"
  local send = key .. (status.held and " send now" or busy and " queue" or " send")
  return {
    { text = "Prompt", rank = 0, gap = "" },
    { text = send, rank = 1, gap = "   " },
    { text = "<C-c> cancel", rank = busy and 2 or 4, gap = "  " },
    { text = "g? keys", rank = 3, gap = "  " },
  }
end

---@return acp.Segment[]
local function chat_keys()
  return {
    { text = "Chat", rank = 0, gap = "" },
    { text = "i prompt", rank = 1, gap = "   " },
    { text = "za unfold", rank = 4, gap = "  " },
    { text = "q close", rank = 3, gap = "  " },
    { text = "g? keys", rank = 2, gap = "  " },
  }
end

--- The line between chat and prompt, with the keys that count: the chat's statusline, or a winbar where there is none.
---@return string
function M.prompt_text()
  local win = api.nvim_get_current_win()
  local buf = api.nvim_win_get_buf(win)
  if not state.exists(vim.b[buf].acp_session or 0) then
    return scratch.cut("Gone: nothing is sent here   :Acp takes your text along", api.nvim_win_get_width(win) - 1)
  end
  local in_chat = chats.of_buffer(buf) ~= nil and tonumber(vim.g.actual_curwin) == win
  local list = in_chat and chat_keys() or prompt_keys(state.get(vim.b[buf].acp_session) or {})
  fit(list, api.nvim_win_get_width(win) - 1)
  return table.concat(vim.tbl_map(function(segment)
    return segment.gap .. segment.text
  end, list))
end

--- The line below the prompt: which conversation this is.
---@return string
function M.place_text()
  local win = api.nvim_get_current_win()
  local status = state.get(vim.b[api.nvim_win_get_buf(win)].acp_session) or {}
  local text = status.title or vim.fn.fnamemodify(status.cwd or "", ":~")
  text = scratch.cut(clean(text), math.max(1, api.nvim_win_get_width(win) - 8))
  return (text:gsub("%%", "%%%%"))
end

-- Redrawing -----------------------------------------------------------------------------------------------------------

api.nvim_create_autocmd("ModeChanged", {
  group = api.nvim_create_augroup("acp_nvim.winbar.mode", {}),
  pattern = { "*:i*", "i*:*" },
  callback = function()
    if vim.bo.filetype == "acp_prompt" then
      vim.cmd.redrawstatus({ bang = true })
    end
  end,
})

--- Redraws the winbar of one window.
---@param win integer
---@param flush? boolean
function M.redraw(win, flush)
  api.nvim__redraw({ win = win, winbar = true, flush = flush == true })
end

---@return { win: integer, session: integer }[]
local function visible_chats()
  local list = {}
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    local chat = chats.of_buffer(api.nvim_win_get_buf(win))
    if chat then
      list[#list + 1] = { win = win, session = chat.session }
    end
  end
  return list
end

local function tick()
  ticks = ticks + 1
  local busy = false
  for _, shown in ipairs(visible_chats()) do
    if BUSY[(state.get(shown.session) or {}).state] then
      busy = true
      chats.spin(shown.session, shown.win, frame())
      M.redraw(shown.win, true)
    end
  end
  if not busy and timer then
    timer:stop()
  end
end

local function turn_spinner()
  timer = timer or assert(vim.uv.new_timer())
  if not timer:is_active() then
    timer:start(FRAME_MS, FRAME_MS, vim.schedule_wrap(tick))
  end
end

--- The session's status has changed: its winbars are drawn again, and a running one turns its spinner.
---@param n integer
function M.refresh(n)
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    local buf = api.nvim_win_get_buf(win)
    if vim.b[buf].acp_session == n and vim.bo[buf].filetype:find("^acp_") then
      api.nvim__redraw({ win = win, winbar = true, statusline = true, flush = false })
      if BUSY[(state.get(n) or {}).state] then
        turn_spinner()
      end
    end
  end
end

state.on_change(M.refresh)

-- A tabpage whose chat runs comes to the front.
api.nvim_create_autocmd("TabEnter", {
  group = api.nvim_create_augroup("acp_nvim.winbar", {}),
  callback = function()
    for _, shown in ipairs(visible_chats()) do
      M.refresh(shown.session)
    end
  end,
})

return M
