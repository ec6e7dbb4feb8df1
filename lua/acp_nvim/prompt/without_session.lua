-- A prompt that outlives its session, as when an agent refuses to load one: whoever types in it, or has a draft there, is
-- not moved into another's. It stays until its user goes elsewhere, and what was written goes along.
local messages = require("acp_nvim.ui.messages")
local state = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {}

local group = api.nvim_create_augroup("acp_nvim.outlive", {})

---@param buf integer
---@return boolean
local function is_typed_in(buf)
  return buf == api.nvim_get_current_buf() and api.nvim_get_mode().mode ~= "n"
end

---@param n integer  a session that is about to be forgotten
---@param was_starting boolean  else its user has ended it
---@return boolean
function M.holds(n, was_starting)
  local prompt = require("acp_nvim.prompt.buffer")
  local buf = prompt.known(n)
  if not buf or #vim.fn.win_findbuf(buf) == 0 then
    return false
  end
  return is_typed_in(buf) or was_starting and prompt.draft(n) ~= ""
end

--- The text goes to the prompt that its user has gone to, if nothing stands there; it is in the history in any case.
---@param text string
local function hand_on(text)
  local win = require("acp_nvim.windows.session_windows").prompt()
  local n = win and vim.b[api.nvim_win_get_buf(win)].acp_session
  if text ~= "" and n and state.exists(n) then
    require("acp_nvim.prompt.buffer").inherit(n, text)
  end
end

---@param n integer
---@param buf integer
local function release(n, buf)
  if not api.nvim_buf_is_valid(buf) or #vim.fn.win_findbuf(buf) > 0 then
    return
  end
  api.nvim_clear_autocmds({ group = group, buffer = buf })
  local text = require("acp_nvim.prompt.buffer").draft(n)
  require("acp_nvim.chat.buffer").wipe(n)
  hand_on(text)
end

--- Nothing was written: what was there before comes back.
---@param n integer
local function go_back(n)
  local window = require("acp_nvim.windows.session_windows")
  local before = window.is_open(n) and state.current()
  if before then
    window.open(before)
  end
end

--- Keeps the prompt of a session that is gone for as long as it is in a window.
---@param n integer
function M.keep(n)
  local buf = assert(require("acp_nvim.prompt.buffer").known(n))
  api.nvim_create_autocmd("BufWinLeave", {
    group = group,
    buffer = buf,
    callback = function()
      vim.schedule(function()
        release(n, buf)
      end)
    end,
  })
  api.nvim_create_autocmd("ModeChanged", {
    group = group,
    pattern = "*:n",
    callback = function()
      if not api.nvim_buf_is_loaded(buf) then
        return true
      elseif buf == api.nvim_get_current_buf() and require("acp_nvim.prompt.buffer").draft(n) == "" then
        vim.schedule(function()
          go_back(n)
        end)
        return true
      end
    end,
  })
  require("acp_nvim.chat.winbar").refresh(n)
end

--- Says that nothing can be done in the prompt any more.
function M.tell()
  messages.show("warn", "nothing was sent, this session is gone: :Acp takes your text along")
end

return M
