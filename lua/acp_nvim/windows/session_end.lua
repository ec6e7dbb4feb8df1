-- Removes a session that has ended: its windows, its buffers, and what other rooms keep for it.
local event = require("acp_nvim.system.event")
local follow = require("acp_nvim.follow.pinned_window")
local orphan_prompt = require("acp_nvim.windows.orphan_prompt")
local session_windows = require("acp_nvim.windows.session_windows")
local session_store = require("acp_nvim.backend.session_store")
local terminal = require("acp_nvim.terminal.buffer")
local file_changed_prompt = require("acp_nvim.documents.file_changed_prompt")

local on_end = event.new()

local M = {
  on_end = on_end.add, -- fn(n): the session has just left the list
}

--- Removes a session that has ended. One that has never come to life gives its place to the one before it; a prompt in
--- which the user writes stays.
---@param n integer
function M.remove(n)
  local session = session_store.session(n)
  local was_starting = session ~= nil and session.status.state == "starting"
  local is_held = orphan_prompt.holds(n, was_starting)
  session_store.drop(n)
  on_end.call(n)
  local before = was_starting and not is_held and session_windows.is_open(n) and session_store.current()
  if before then
    session_windows.open(before)
  end
  file_changed_prompt.update(n, {})
  file_changed_prompt.turn_ended(n)
  follow.drop(n)
  terminal.ended(n)
  if is_held then
    return orphan_prompt.keep(n)
  end
  orphan_prompt.wipe(n)
end

return M
