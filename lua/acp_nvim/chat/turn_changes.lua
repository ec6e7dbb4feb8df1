-- Keeps, undoes or reviews a turn from the line below it that lists its changes.
local chats = require("acp_nvim.chat.buffer")
local marks = require("acp_nvim.chat.marks")
local messages = require("acp_nvim.ui.messages")

local api = vim.api
local M = {}

--- The turn whose line is under the cursor.
---@return integer? turn
---@return integer? session
function M.turn_here()
  local chat = chats.of_buffer(api.nvim_get_current_buf())
  if not chat then
    return nil
  end
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local mark, at = marks.above(chat, row)
  if mark and at == row and mark.kind == "changes" then
    return mark.turn, chat.session
  end
end

--- Keeps or undoes all changes of that turn.
---@param verb "keep"|"undo"
function M.decide(verb)
  if not M.turn_here() then
    return messages.show("info", ("to %s a turn's changes, go to the line that begins with ±"):format(verb))
  end
  vim.cmd.Acp({ verb, "turn" })
end

return M
