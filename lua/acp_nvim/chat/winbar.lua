-- Builds the bars of a chat and its prompt when Neovim draws them: what `winbar_status` says above
-- the chat, the keys that work now above the prompt.
local bar_segments = require("acp_nvim.ui.bar_segments")
local chats = require("acp_nvim.chat.buffer")
local global_keys = require("acp_nvim.config.global_keys")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")
local spinner = require("acp_nvim.ui.spinner")
local state_words = require("acp_nvim.chat.state_words")
local winbar_status = require("acp_nvim.chat.winbar_status")

local api = vim.api
local M = {
  CHAT = "%{%v:lua.require'acp_nvim.chat.winbar'.text()%}",
  PROMPT = "%{%v:lua.require'acp_nvim.chat.winbar'.prompt_text()%}",
  PLACE = " %{%v:lua.require'acp_nvim.chat.winbar'.place_text()%}%=%P ",
}

local FRAME_MS = 100
local BUSY = { starting = true, running = true }

local timer ---@type uv.uv_timer_t?
local question_bar ---@type fun(n: integer, place: acp.PlaceOfKeys, mode: string, width: integer): string?

--- Installs the function that says what the prompt's bar shows while a question is open. The room of questions stands
--- above this one.
---@param fn fun(n: integer, place: acp.PlaceOfKeys, mode: string, width: integer): string?
function M.show_questions_with(fn)
  question_bar = fn
end

--- The chat's winbar, for the window that is being drawn.
---@return string
function M.text()
  local win = api.nvim_get_current_win() -- while it is drawn
  local n = vim.b[api.nvim_win_get_buf(win)].acp_session
  if not n then
    return ""
  end
  local list = winbar_status.of(n, session_store.look(n) or {}, vim.w[win].acp_more == true)
  bar_segments.fit(list, api.nvim_win_get_width(win))
  return bar_segments.render(list)
end

--- Whether the next prompt has to wait for the turn.
---@param status table
---@return boolean
function M.queues(status)
  return status.state == "running" or status.state == "asking"
end

-- While Neovim draws the bar of a window that is not current, mode() knows of no visual mode.
local mode = vim.fn.mode() ---@type string

---@alias acp.PlaceOfKeys "insert"|"normal"|"elsewhere"

--- Where the user is, as far as our keys depend on it: in a session's prompt or chat, and there by mode.
---@param n? integer  the session
---@return acp.PlaceOfKeys place
---@return string filetype
local function place_of_keys(n)
  local win = tonumber(vim.g.actual_curwin) or api.nvim_get_current_win()
  local buf = api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) or api.nvim_get_current_buf()
  local filetype = vim.bo[buf].filetype
  if vim.g.no_plugin_maps or n == nil or vim.b[buf].acp_session ~= n then
    return "elsewhere", filetype
  elseif filetype == "acp_prompt" and mode:find("^[iR]") then
    return "insert", filetype
  end
  local ours = filetype == "acp_prompt" or filetype == "acp_chat"
  return ours and mode == "n" and "normal" or "elsewhere", filetype
end

--- What the session does, in one word; a turn that runs says how long.
---@param n integer
---@param status table
---@return string
local function doing(n, status)
  if status.state == "running" then
    return ("%s %s"):format(spinner.frame(), winbar_status.elapsed(n))
  end
  local word = state_words.of(status).word
  return status.state == "asking" and "? " .. word or word
end

--- Which other sessions wait for an answer: "?1 in 2", or with three and more "?4 in 3 sessions". Nil: none does.
---@param but integer  this session does not count
---@return string?
local function waiting_elsewhere(but)
  local counts, total = {}, 0 ---@type table<integer, integer>, integer
  for _, question in ipairs(session_store.questions()) do
    if question.session ~= but then
      counts[question.session] = (counts[question.session] or 0) + 1
      total = total + 1
    end
  end
  local count = vim.tbl_count(counts)
  if count > 2 then
    return ("?%d in %d sessions"):format(total, count)
  end
  local parts = {}
  for n, asked in vim.spairs(counts) do
    parts[#parts + 1] = ("?%d in %d"):format(asked, n)
  end
  return count > 0 and table.concat(parts, "  ") or nil
end

--- What the user can do about a session that does not go on by itself, or how to write to it from elsewhere.
---@param status table
---@param place acp.PlaceOfKeys
---@return string[]?
local function way_out(status, place)
  if status.state == "auth" then
    return { ":Acp login" }
  elseif status.state == "failed" then
    local retry = { insert = "<C-s> retries", normal = "<CR> retries", elsewhere = ":Acp restart" }
    return { retry[place], ":Acp log" }
  elseif place == "elsewhere" and status.state == "stopped" then
    return { ":Acp restart" }
  elseif place == "elsewhere" and not M.queues(status) then
    return { global_keys.how_to_write() }
  end
end

--- Whether the plan of the session stands above its prompt: `:Acp plan`.
---@param n integer
---@return boolean
local function is_plan_pinned(n)
  return vim.iter(api.nvim_tabpage_list_wins(0)):any(function(win)
    local buf = api.nvim_win_get_buf(win)
    return vim.bo[buf].filetype == "acp_plan" and vim.b[buf].acp_session == n
  end)
end

---@param n integer
---@param status table
---@param place acp.PlaceOfKeys
---@param holds_queue boolean  whether there is no bar of its own for the queue
---@return acp.Segment[]
local function prompt_keys(n, status, place, holds_queue)
  local busy = M.queues(status)
  local does = status.held and "send now" or busy and "queue" or "send"
  local list = { { text = doing(n, status), rank = 0, gap = "" } }
  local elsewhere = waiting_elsewhere(n)
  list[2] = elsewhere and { text = elsewhere, rank = 1, gap = "  " } or nil
  local count, step = winbar_status.plan(status)
  local has_step = busy and step and not is_plan_pinned(n)
  if has_step then
    list[#list + 1] = { text = step, rank = bar_segments.STEP, gap = "  " }
    list[#list + 1] = { text = count, rank = 5, gap = " " }
  end
  local before = #list
  local function add(text, rank, gap)
    list[#list + 1] = { text = text, rank = rank, gap = gap or #list == before and "   " or "  " }
  end
  local ways = way_out(status, place)
  for index, way in ipairs(ways or {}) do
    add(way, index == 1 and 2 or 4, "  ")
  end
  if place == "elsewhere" then
    if not ways then
      add(":Acp cancel", 2)
    end
    return list
  end
  if not ways and (not has_step or status.held) then -- an empty prompt says itself that sending queues
    add((place == "insert" and "<C-s> " or "<CR> ") .. does, 2)
  end
  if (status.queue or 0) > 0 and holds_queue then
    add(("%s%d %s"):format(status.held and "‖ " or "", status.queue, status.held and "paused" or "queued"), 4)
  end
  if busy and status.steering then
    add("<M-CR> steer", 12)
  end
  if busy then
    add("<C-c> cancel", 3)
  end
  if place == "normal" then
    add("g? keys", 11)
  end
  return list
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
  if not session_store.exists(vim.b[buf].acp_session or 0) then
    return printable.cut(" This session is closed   :Acp takes your text along", api.nvim_win_get_width(win))
  end
  local n, width = vim.b[buf].acp_session, api.nvim_win_get_width(win)
  local place, filetype = place_of_keys(n)
  local question = question_bar and question_bar(n, place, mode, width)
  if question then
    return question
  end
  local in_chat = place == "normal" and filetype == "acp_chat"
  local list = in_chat and chat_keys()
    or prompt_keys(n, session_store.look(n) or {}, place, vim.bo[buf].filetype == "acp_prompt")
  bar_segments.fit(list, width - 2)
  -- Neovim drops a space with which an expression begins
  return "%* "
    .. table.concat(vim.tbl_map(function(segment)
      return segment.gap .. segment.text:gsub("%%", "%%%%")
    end, list))
end

--- The line below the prompt: which conversation this is.
---@return string
function M.place_text()
  local win = api.nvim_get_current_win()
  local status = session_store.look(vim.b[api.nvim_win_get_buf(win)].acp_session) or {}
  local text = status.title or vim.fn.fnamemodify(status.cwd or "", ":~")
  text = printable.cut(bar_segments.clean(text), math.max(1, api.nvim_win_get_width(win) - 8))
  return (text:gsub("%%", "%%%%"))
end

-- Redrawing -----------------------------------------------------------------------------------------------------------

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

--- The bar between chat and prompt shows how long the turn has run.
---@param shown { win: integer, session: integer }  a chat
local function redraw_prompt_bar(shown)
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    local buf = api.nvim_win_get_buf(win)
    local filetype = vim.b[buf].acp_session == shown.session and vim.bo[buf].filetype
    if filetype == "acp_prompt" then
      api.nvim__redraw({ win = win, winbar = true, flush = false })
    elseif filetype == "acp_plan" then
      api.nvim__redraw({ win = win, statusline = true, flush = false })
    end
  end
  api.nvim__redraw({ win = shown.win, statusline = true, flush = true })
end

local function tick()
  spinner.turn()
  local busy = false
  for _, shown in ipairs(visible_chats()) do
    if BUSY[(session_store.look(shown.session) or {}).state] then
      busy = true
      chats.spin(shown.session, shown.win, spinner.frame())
      M.redraw(shown.win)
      redraw_prompt_bar(shown)
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
      if chats.of_buffer(buf) then
        chats.spin(n, win, spinner.frame()) -- the newest heading tells how long the turn has run
      end
      if BUSY[(session_store.look(n) or {}).state] then
        turn_spinner()
      end
    end
  end
end

local shown_waiting = {} ---@type table<integer, string>  by session: which others wait, as its bar says it

session_store.on_change(function(n)
  M.refresh(n)
  for _, shown in ipairs(visible_chats()) do
    local waiting = waiting_elsewhere(shown.session) or ""
    if shown.session ~= n and shown_waiting[shown.session] ~= waiting then
      shown_waiting[shown.session] = waiting
      M.refresh(shown.session)
    end
  end
end)

api.nvim_create_autocmd("ModeChanged", {
  group = api.nvim_create_augroup("acp_nvim.winbar.mode", {}),
  callback = function()
    mode = vim.fn.mode()
    -- marks them: the screen may not be drawn amid a change of mode
    if vim.bo.filetype == "acp_prompt" or vim.bo.filetype == "acp_chat" then
      return M.refresh(vim.b.acp_session or 0)
    end
    for _, shown in ipairs(#session_store.questions() > 0 and visible_chats() or {}) do
      M.refresh(shown.session) -- the keys of a question depend on the mode in other windows, too
    end
  end,
})

-- A tabpage whose chat runs comes to the front; or the user goes to where other keys work.
api.nvim_create_autocmd({ "TabEnter", "WinEnter" }, {
  group = api.nvim_create_augroup("acp_nvim.winbar", {}),
  callback = function()
    for _, shown in ipairs(visible_chats()) do
      M.refresh(shown.session)
    end
  end,
})

return M
