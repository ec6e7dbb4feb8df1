-- Remembers the option that counts always and waits for its key once more: until another key is typed, or for 5 s. The
-- prompt's bar says so.
--
--   <M-2>                         the bar says  <M-2> again: always
--   <M-2>    within 5 s           answers
--   another key, or 5 s           the bar is as before
local focus = require("acp_nvim.ui.focus")
local winbar = require("acp_nvim.chat.winbar")

local M = {}

local LONGEST_MS = 5000
-- Keys that say nothing of another wish: those of a click, and those that end a count (`question.keys`).
local IGNORED = { "Mouse", "Release", "Drag", "^<C%-\\>$", "^<C%-N>$" }

---@class acp.ArmedOption
---@field question integer
---@field version integer
---@field session integer
---@field option string
---@field key string    as the bar names it
---@field typed string  as it comes from the keyboard

local armed ---@type acp.ArmedOption?
local keys = vim.api.nvim_create_namespace("acp_nvim.armed_option")

local function disarm()
  local before = armed
  armed = nil
  vim.on_key(nil, keys)
  if before then
    vim.schedule(function() -- behind what the key does
      winbar.refresh(before.session)
    end)
  end
end

---@param typed string
---@return boolean
local function is_ignored(typed)
  local name = vim.fn.keytrans(typed)
  return vim.iter(IGNORED):any(function(pattern)
    return name:find(pattern) ~= nil
  end)
end

---@param now acp.ArmedOption
local function arm(now)
  armed = now
  vim.on_key(function(_, typed)
    if typed and typed ~= "" and typed ~= now.typed and not is_ignored(typed) then
      disarm()
    end
  end, keys)
  vim.defer_fn(function()
    if armed == now then
      disarm()
    end
  end, LONGEST_MS)
  winbar.refresh(now.session)
end

--- Returns the key that the option of the question waits for.
---@param question acp.Question
---@param option { id: string }
---@return string? key
function M.key_of(question, option)
  local is_armed = armed
    and armed.question == question.id
    and armed.version == question.version
    and armed.option == option.id
  return is_armed and armed.key or nil
end

--- Is this the second press? The first one arms the option.
---@param question acp.Question
---@param option { id: string }
---@param key string
---@param typed? string  default: what was typed last
---@return boolean
function M.press(question, option, key, typed)
  local is_second = M.key_of(question, option) ~= nil
  disarm()
  if not is_second then
    arm({
      question = question.id,
      version = question.version,
      session = question.session,
      option = option.id,
      key = key,
      typed = typed or focus.typed(),
    })
  end
  return is_second
end

return M
