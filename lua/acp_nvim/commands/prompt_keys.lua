-- Carries out keys of the prompt that are for the session: undo its turn, choose its model. In insert mode they leave
-- text and mode as they are.
local messages = require("acp_nvim.ui.messages")
local option_pickers = require("acp_nvim.sessions.option_pickers")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

--- The session of the current prompt.
---@return integer?
local function session_here()
  local n = vim.b.acp_session
  if n and session_store.exists(n) then
    return n
  end
  messages.show("warn", "this session is closed: :Acp opens another")
end

--- Undoes the newest turn. While a question is open it does nothing: the agent waits, and may be about to change more.
function M.undo_turn()
  local n = session_here()
  if n and session_store.questions(n)[1] then
    messages.show("warn", "not undone: a question is open, answer it first")
  elseif n then
    vim.cmd("Acp undo turn")
  end
end

--- Lets the user choose the model.
function M.choose_model()
  local n = session_here()
  if not n then
    return
  end
  local ok, message = option_pickers.pick(n, "model")
  if not ok then
    messages.show("info", message or "there is no model to choose")
  end
end

return M
