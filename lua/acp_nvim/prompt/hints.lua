-- Draws hints in a prompt: whom an empty one asks, which argument a command takes, its chips. They are virtual text,
-- right whatever has emptied or filled the buffer.
local chips = require("acp_nvim.prompt.chips")
local completion = require("acp_nvim.prompt.completion")
local global_keys = require("acp_nvim.config.global_keys")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")
local suggestion = require("acp_nvim.prompt.suggestion")
local winbar = require("acp_nvim.chat.winbar")

local api = vim.api
local M = {}

local WIDE = 50 -- columns
local NAMESPACE = api.nvim_create_namespace("acp_nvim.prompt")

local prompts = {} ---@type table<integer, integer> buffer -> session
local told = {} ---@type table<integer, string> buffer -> whom it has been said to ask, and what sending does

---@param buf integer
---@param n integer
function M.set(buf, n)
  prompts[buf] = n
end

---@param buf integer
function M.take(buf)
  prompts[buf], told[buf] = nil, nil
end

---@param buf integer
function M.redraw(buf)
  api.nvim__redraw({ buf = buf, range = { 0, 1 }, flush = false })
end

---@param n integer
---@return string
local function addressee(n)
  local status = session_store.look(n) or {}
  return printable.visible(status.agent_title or status.agent or "the agent")
end

---@param n integer
---@return string[]  what the keys do that send: as much of it as there is room for
local function sending(n)
  local status = session_store.look(n) or {}
  if not winbar.queues(status) then
    return { status.held and "resumes the queue" or "sends" }
  end
  return { "queues", status.steering and ", <M-CR> steers" or nil }
end

--- Everything that the hint of an empty prompt depends on.
---@param n integer
---@return string
local function to_tell(n)
  return table.concat({ addressee(n), table.concat(sending(n)), suggestion.of(n) or "" }, "\n")
end

--- The columns of a window without its margin.
---@param win integer
---@return integer
local function room_of(win)
  return api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff
end

---@param win integer
---@param buf integer
---@return string
local function hint_of(win, buf)
  local n = prompts[buf]
  if not session_store.exists(n) then
    return "this session is closed: :Acp opens another"
  end
  local asked, does = addressee(n), sending(n)
  told[buf] = to_tell(n)
  local typing = buf == api.nvim_get_current_buf() and api.nvim_get_mode().mode:find("^[iR]")
  if not typing and vim.bo.filetype ~= "acp_prompt" and vim.bo.filetype ~= "acp_chat" then
    return ("%s to %s …"):format(global_keys.how_to_write(), asked)
  end
  local suggested = suggestion.of(n)
  if suggested then
    local key, width = typing and "   <Tab>" or "   i<Tab>", room_of(win)
    key = width >= WIDE and key .. " takes it" or key
    return printable.cut(suggested, math.max(1, width - #key)) .. key
  end
  local whom = (typing and "Ask %s …" or "press i to ask %s …"):format(asked)
  if not typing and vim.bo.filetype == "acp_chat" then
    return whom
  end
  local keys = ("%s %s"):format(typing and "<C-s>" or "<CR>", table.concat(does))
  local is_told = does[2] or (session_store.look(n) or {}).held -- more than the name of the agent
  local hints = { ("%s   %s"):format(whom, keys), is_told and keys or nil }
  for _, hint in ipairs(hints) do
    if vim.fn.strwidth(hint) <= room_of(win) then
      return hint
    end
  end
  return whom
end

---@param win integer
---@param buf integer
local function draw(win, buf)
  if api.nvim_buf_line_count(buf) > 1 then
    return
  end
  local line = api.nvim_buf_get_lines(buf, 0, 1, true)[1]
  local hint = line == "" and hint_of(win, buf) or completion.hint(prompts[buf], line)
  if hint then
    local gap = line:find("%S$") and " " or ""
    api.nvim_buf_set_extmark(buf, NAMESPACE, 0, #line, {
      virt_text = { { gap .. hint, "AcpPlaceholder" } },
      virt_text_pos = "overlay",
      ephemeral = true,
    })
  end
end

api.nvim_set_decoration_provider(NAMESPACE, {
  on_win = function(_, _, buf)
    return prompts[buf] ~= nil
  end,
  on_line = function(_, win, buf, row)
    if row == 0 then
      draw(win, buf)
    end
    chips.draw(prompts[buf], buf, row, NAMESPACE)
  end,
})

local group = api.nvim_create_augroup("acp_nvim.prompt.hint", {})

api.nvim_create_autocmd("ModeChanged", {
  group = group,
  callback = function()
    local buf = api.nvim_get_current_buf()
    if prompts[buf] then
      M.redraw(buf)
    end
  end,
})

-- Which key leads to the prompt depends on where the user is.
api.nvim_create_autocmd("WinEnter", {
  group = group,
  callback = function()
    for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
      local buf = api.nvim_win_get_buf(win)
      if prompts[buf] then
        M.redraw(buf)
      end
    end
  end,
})

session_store.on_change(function(n)
  for buf, said in pairs(told) do
    if prompts[buf] == n and said ~= to_tell(n) and api.nvim_buf_is_loaded(buf) then
      M.redraw(buf)
    end
  end
end)

return M
