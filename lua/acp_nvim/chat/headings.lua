-- Draws the headings of turns, `## You` and `## Claude`: without the marker, on a ground of their own, behind the name
-- the model and mode, at the right when the prompt was sent, or how long the turn has run or took, or for
-- how long the agent has been silent.
local ephemeral_marks = require("acp_nvim.chat.ephemeral_marks")
local marks = require("acp_nvim.chat.marks")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")
local spinner = require("acp_nvim.ui.spinner")
local winbar_status = require("acp_nvim.chat.winbar_status")

local api = vim.api
local M = {}

local MARKER = #"## "

--- The bar beside each, and beside the lines below it that belong to it.
M.BARS = { user = "AcpUserBar", agent = "AcpAgentBar" }

---@param chat acp.Chat
---@param row integer
---@param mark acp.Mark
---@return [string, string][]?
local function time_of(chat, row, mark)
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
  if is_newest and (session_store.look(chat.session) or {}).state == "running" then
    return { { (" %s %s "):format(spinner.frame(), winbar_status.elapsed(chat.session)), "AcpSpinner" } }
  end
end

--- Says of the newest answer that its agent has not sent anything for long, and what the agent said of it.
---@param chat acp.Chat
---@param row integer
---@param mark acp.Mark
---@return string?
local function silence_of(chat, row, mark)
  local status = mark.kind == "agent" and row == marks.answer(chat) and session_store.look(chat.session) or {}
  if status.state ~= "running" or not status.silent_since then
    return nil
  end
  local seconds = math.max(0, os.time() - status.silent_since)
  local name = printable.visible(status.agent_title or status.agent or "the agent")
  local why = status.retrying and ": " .. printable.visible(status.retrying) or ""
  return ("· no word from %s for %d s%s"):format(name, seconds, why)
end

--- Drops words at the end that have no room beside the time.
---
---   · Opus · Always ask     in 12 cells: · Opus
---@param words string
---@param room integer  cells
---@return string
local function shortened(words, room)
  while words ~= "" and api.nvim_strwidth(words) > room do
    words = words:match("^(.*) · ") or ""
  end
  return words
end

---@param chat acp.Chat
---@param row integer
---@param line string
---@param mark acp.Mark
---@param columns integer  of the window
function M.paint(chat, row, line, mark, columns)
  ephemeral_marks.hide(chat.buf, row, 0, MARKER)
  local silence = silence_of(chat, row, mark)
  -- the prompt's bar has the time of the turn, too
  local time = silence and { { (" %s "):format(spinner.frame()), "AcpSpinner" } } or time_of(chat, row, mark)
  if time then
    ephemeral_marks.right(chat.buf, row, time)
    columns = columns - api.nvim_strwidth(time[1][1])
  end
  local room = columns - api.nvim_strwidth(line:sub(MARKER + 1) .. " ")
  if silence then
    return ephemeral_marks.behind(chat.buf, row, { { printable.cut(silence, room), "AcpWarning" } })
  end
  for _, chunk in ipairs(mark.eol or {}) do
    ephemeral_marks.behind(chat.buf, row, { { shortened(chunk[1], room), chunk[2] } })
  end
end

return M
