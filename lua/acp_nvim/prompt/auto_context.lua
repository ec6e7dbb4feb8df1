-- Attaches the file beside the prompt to a prompt that the user begins, if the setting `context` is "buffer". Its chip
-- is added when insert mode is entered in an empty prompt, and removed if nothing else has been written. A chip that
-- the user has deleted is not added until a prompt has been sent, nor is a file that has not changed since it was last
-- sent.
local buffer_text = require("acp_nvim.prompt.buffer_text")
local chips = require("acp_nvim.prompt.chips")
local config = require("acp_nvim.config.settings")
local context_items = require("acp_nvim.prompt.context_items")

local api = vim.api
local M = {}

---@class acp.AutoContext
---@field chip? string      that stands in the prompt, or did when its user deleted it
---@field version? string   of the file that the chip is for
---@field declined? boolean the user has deleted the chip
---@field sent? string      the version of the file that went along last

local states = {} ---@type table<integer, acp.AutoContext>  by session

--- The listed file that the user was in last.
---@return integer? buf
---@return string? version  which file, and which text of it
local function users_file()
  local buf = context_items.users_buffer()
  local name = buf and api.nvim_buf_get_name(buf) or ""
  if not buf or name == "" or not vim.bo[buf].buflisted or vim.fn.isdirectory(name) == 1 then
    return nil
  end
  return buf, ("%d %d"):format(buf, api.nvim_buf_get_changedtick(buf))
end

--- Puts the chip into an empty prompt that the user begins to write.
---@param n integer
---@param prompt integer  its buffer
---@return boolean added
function M.add_chip(n, prompt)
  local state = states[n] or {}
  states[n] = state
  if config.get().context ~= "buffer" or state.declined or buffer_text.get(prompt) ~= "" then
    return false
  end
  local buf, version = users_file()
  if not buf or version == state.sent then
    return false
  end
  state.chip, state.version = chips.buffer(n, buf), version
  buffer_text.append(prompt, state.chip)
  return true
end

--- Removes a chip that stands alone when insert mode is left, and remembers one that the user has deleted.
---@param n integer
---@param prompt integer  its buffer
function M.on_insert_leave(n, prompt)
  local state, text = states[n], buffer_text.get(prompt)
  if not state or not state.chip then
    return
  elseif vim.trim(text) == state.chip then
    buffer_text.set(prompt, "")
    state.chip = nil
  elseif not text:find(state.chip, 1, true) then
    state.declined = true
  end
end

--- Lets the next prompt have a chip again, because this one has been sent.
---@param n integer
---@param text string
function M.on_sent(n, text)
  local state = states[n]
  if state and state.chip then
    if text:find(state.chip, 1, true) then
      state.sent = state.version
    end
    state.chip, state.declined = nil, nil
  end
end

--- Forgets a session that has ended.
---@param n integer
function M.forget(n)
  states[n] = nil
end

return M
