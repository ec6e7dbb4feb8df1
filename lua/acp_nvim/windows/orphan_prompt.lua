-- Keeps a prompt whose session has ended, as when an agent refuses to load one, while its user types in it or has a
-- draft there. Its text goes along when the user leaves. Without this the next keys of somebody who is in the middle of
-- a word would go into another session's prompt, or be commands in a file.
local chats = require("acp_nvim.chat.buffer")
local prompt = require("acp_nvim.prompt.buffer")
local session_store = require("acp_nvim.backend.session_store")
local session_windows = require("acp_nvim.windows.session_windows")
local winbar = require("acp_nvim.chat.winbar")

local api = vim.api
local M = {}

local group = api.nvim_create_augroup("acp_nvim.orphan_prompt", {})

---@param buf integer
---@return boolean
local function is_typed_in(buf)
  return buf == api.nvim_get_current_buf() and api.nvim_get_mode().mode ~= "n"
end

---@param n integer  a session that is about to be forgotten
---@param was_starting boolean  else its user has ended it
---@return boolean
function M.holds(n, was_starting)
  local buf = prompt.known(n)
  if not buf or #vim.fn.win_findbuf(buf) == 0 then
    return false
  end
  return is_typed_in(buf) or was_starting and prompt.draft(n) ~= ""
end

--- Puts the text into the prompt that the user has gone to, if it is empty; the history has it in any case.
---@param text string
local function hand_on(text)
  local win = session_windows.prompt()
  local n = win and vim.b[api.nvim_win_get_buf(win)].acp_session
  if text ~= "" and n and session_store.exists(n) then
    prompt.inherit(n, text)
  end
end

--- Closes the windows of a session that has ended, and forgets its prompt and its chat.
---@param n integer
function M.wipe(n)
  session_windows.close_session(n)
  prompt.wipe(n)
  chats.wipe(n)
end

---@param n integer
---@param buf integer
local function release(n, buf)
  if not api.nvim_buf_is_valid(buf) or #vim.fn.win_findbuf(buf) > 0 then
    return
  end
  api.nvim_clear_autocmds({ group = group, buffer = buf })
  local text = prompt.draft(n)
  M.wipe(n)
  hand_on(text)
end

--- Keeps the prompt of a session that is gone for as long as it is in a window.
---@param n integer
function M.keep(n)
  local buf = assert(prompt.known(n))
  api.nvim_create_autocmd("BufWinLeave", {
    group = group,
    buffer = buf,
    callback = function()
      vim.schedule(function()
        release(n, buf)
      end)
    end,
  })
  winbar.refresh(n)
end

return M
