-- What follows from a change of a file's hunks: signs and keys, counts, the line below the turn, the event.
local counts = require("acp_nvim.review.counts")
local deleted = require("acp_nvim.review.deleted")
local listeners = require("acp_nvim.review.listeners")
local signs = require("acp_nvim.review.signs")
local state = require("acp_nvim.backend.session_store")
local store = require("acp_nvim.review.store")
local to_backend = require("acp_nvim.review.to_backend")
local user_events = require("acp_nvim.backend.user_events")

local M = {}

---@class acp.Announced  what everybody knows of a file
---@field hunks acp.Hunk[]
---@field unknown acp.Author[]
---@field facts any[]

local announced = {} ---@type table<acp.ReviewedFile, acp.Announced>

---@param some any[]
---@param others any[]
---@param is_same fun(one: any, other: any): boolean
---@return boolean
local function all_same(some, others, is_same)
  if #some ~= #others then
    return false
  end
  for i, one in ipairs(some) do
    if not is_same(one, others[i]) then
      return false
    end
  end
  return true
end

---@param before? acp.Announced
---@param now acp.Announced
---@return boolean
local function is_known(before, now)
  return before ~= nil
    and vim.deep_equal(before.facts, now.facts)
    and all_same(before.unknown, now.unknown, rawequal)
    and (
      before.hunks == now.hunks
      or all_same(before.hunks, now.hunks, function(one, other)
        return one.change == other.change and one.state == other.state
      end)
    )
end

---@param file acp.ReviewedFile
---@param ... acp.Announced?
local function fire(file, ...)
  local sessions = {}
  for i = 1, select("#", ...) do
    local each = select(i, ...) or { hunks = {}, unknown = {} }
    for _, list in ipairs({ each.hunks, each.unknown }) do
      for _, one in ipairs(list) do
        sessions[one.session] = true
      end
    end
  end
  for n in vim.spairs(sessions) do
    if state.exists(n) then
      user_events.fire("AcpChanges", { session = n, path = file.given })
    end
  end
end

--- The file's text or what is known of it has changed, in these rows.
---@param file acp.ReviewedFile
---@param from integer
---@param to integer
function M.file(file, from, to)
  if store.files[file.path] ~= file then
    return
  end
  local hunks = store.hunks(file)
  if file.buf then
    signs.show(file.buf, hunks, from, to)
  end
  local facts = { file.given, file.created, file.deleted, file.buf or false }
  local before, now = announced[file], { hunks = hunks, unknown = file.unknown, facts = facts }
  if file.deleted or file.left then
    deleted.show(file)
  end
  if not is_known(before, now) then
    announced[file] = now
    listeners.announce(file.buf, store.has_pending(file))
    counts.recount(file.path, hunks)
    to_backend.file_changed(file)
    fire(file, before, now)
  elseif #file.text.known.lost > 0 then
    to_backend.file_changed(file)
  end
end

--- Nothing of the file is left to decide, or to list.
---@param file acp.ReviewedFile
function M.over(file)
  store.files[file.path] = nil
  counts.recount(file.path, {})
  to_backend.file_over(file)
  fire(file, announced[file])
  announced[file] = nil
  if file.buf then
    signs.clear(file.buf)
    listeners.announce(file.buf, false)
  end
  if file.left then
    file.deleted = false
    deleted.show(file)
  end
end

--- A buffer of a file in review is unloaded, or has another name.
---@param file acp.ReviewedFile
---@param buf integer
function M.gone(file, buf)
  announced[file] = announced[file] and { hunks = {}, unknown = {}, facts = {} }
  if vim.api.nvim_buf_is_loaded(buf) then
    listeners.announce(buf, false)
  else
    listeners.announce_gone(buf)
  end
end

return M
