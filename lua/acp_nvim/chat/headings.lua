-- Draws the headings of turns, `## You` and `## Claude`: without the marker, on a ground of their own, at the right when
-- the prompt was sent, or how long the turn has run or took.
local ephemeral_marks = require("acp_nvim.chat.ephemeral_marks")
local marks = require("acp_nvim.chat.marks")
local spinner = require("acp_nvim.ui.spinner")
local state = require("acp_nvim.backend.session_store")
local winbar_status = require("acp_nvim.chat.winbar_status")

local M = {}

local MARKER = #"## "

--- The bar beside each, and beside the lines below it that belong to it.
M.BARS = { user = "AcpUserBar", agent = "AcpAgentBar" }

---@param chat acp.Chat
---@param row integer
---@param mark acp.Mark
---@return [string, string][]?
local function beside(chat, row, mark)
  if mark.at then
    return {
      {
        os.date("%H:%M ", mark.at) --[[@as string]],
        "AcpCount",
      },
    }
  end
  if mark.took then
    return { { (" %s "):format(mark.took), "AcpCount" } }
  end
  local is_newest = mark.kind == "agent" and row == marks.answer(chat)
  if is_newest and (state.look(chat.session) or {}).state == "running" then
    return { { (" %s %s "):format(spinner.frame(), winbar_status.elapsed(chat.session)), "AcpSpinner" } }
  end
end

---@param chat acp.Chat
---@param row integer
---@param mark acp.Mark
function M.paint(chat, row, mark)
  ephemeral_marks.hide(chat.buf, row, 0, MARKER)
  local chunks = beside(chat, row, mark)
  if chunks then
    ephemeral_marks.right(chat.buf, row, chunks)
  end
end

return M
