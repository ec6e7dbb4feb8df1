-- Offers a text about the current session for a statusline in the Lua API.
local comments = require("acp_nvim.comments")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")
local state_words = require("acp_nvim.chat.state_words")
local usage = require("acp_nvim.chat.usage")

local M = {}

---@param n integer?
---@return string
local function statusline_of(n)
  local status = n and session_store.look(n)
  if not status then
    return ""
  end
  local doing = state_words.of(status).word
  if status.questions > 1 then
    doing = ("%s (%d)"):format(doing, status.questions)
  end
  local parts = { printable.cut(printable.visible(status.agent_title or status.agent), 16), doing }
  if status.queue > 0 then
    parts[#parts + 1] = ("%d %s"):format(status.queue, status.held and "paused" or "queued")
  end
  if (status.pending or 0) > 0 then
    parts[#parts + 1] = ("±%d"):format(status.pending)
  end
  local drafts = comments.count_drafts(n --[[@as integer]])
  if drafts > 0 then
    parts[#parts + 1] = drafts == 1 and "1 comment" or ("%d comments"):format(drafts)
  end
  parts[#parts + 1] = usage.text(status.usage)
  local text = printable.cut(table.concat(parts, " "), 50)
  return (text:gsub("%%", "%%%%"))
end

local NONE = 0
local drawn = {} ---@type table<integer, string> session -> what a statusline shows of it
local is_due = false

--- Redraws statuslines: Neovim does so only when something happens in their windows.
local function redraw()
  if vim.fn.wildmenumode() == 1 then -- that may be in its place
    return vim.defer_fn(redraw, 100)
  end
  is_due, drawn = false, {}
  vim.cmd.redrawstatus({ bang = true })
end

---@param n integer
local function look(n)
  local shown = drawn[n] or drawn[NONE]
  if shown and not is_due and shown ~= statusline_of(n) then
    is_due = true
    vim.schedule(redraw)
  end
end

session_store.on_change(look)

comments.on_change(function()
  vim.iter(session_store.numbers()):each(look)
end)

--- A short text about the current session for a statusline, which is drawn again when the text has changed; empty
--- without a session. Nothing in it is an item of a statusline.
---@return string
function M.statusline()
  local n = session_store.current()
  local text = statusline_of(n)
  drawn[n or NONE] = text
  return text
end

return M
