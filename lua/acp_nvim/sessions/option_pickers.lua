-- Lets the user pick a mode, a model or an option; switches to the next mode.
local acp = require("acp_nvim.api")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")
local unknown_choice = require("acp_nvim.ui.unknown_choice")

local M = {}

---@class acp.Choice
---@field id string|boolean
---@field name string
---@field group? string
---@field description? string

local SWITCH = { { id = true, name = "on" }, { id = false, name = "off" } } ---@type acp.Choice[]

---@param choice acp.Choice
---@param is_current boolean
---@return string
local function label(choice, is_current)
  local text = (is_current and "● " or "  ") .. (choice.group and choice.group .. " / " or "") .. choice.name
  return choice.description and ("%s  · %s"):format(text, choice.description) or text
end

--- Labels that tell the choices apart, whatever their names are.
---@param choices acp.Choice[]
---@param current any
---@return string[] labels
---@return table<string, acp.Choice> by_label
local function labels_of(choices, current)
  local labels, by_label = {}, {}
  for _, choice in ipairs(choices) do
    local text = printable.visible(label(choice, choice.id == current))
    if by_label[text] then
      text = printable.visible(("%s (%s)"):format(text, tostring(choice.id)))
    end
    labels[#labels + 1] = text
    by_label[text] = choice
  end
  return labels, by_label
end

---@param choices acp.Choice[]
---@param current any
---@param title string
---@param set fun(id: any): true?, string?
local function pick(choices, current, title, set)
  local labels, by_label = labels_of(choices, current)
  panes.select(labels, title, function(chosen)
    local ok, message = set(by_label[chosen].id)
    if not ok then
      messages.show("error", message or "")
    end
  end)
  for row, choice in ipairs(choices) do
    if choice.id == current and vim.bo.filetype == "acp_pick" then
      vim.api.nvim_win_set_cursor(0, { row, 0 })
    end
  end
end

---@param status table
---@param what string
---@return string
local function nothing(status, what)
  local agent = status.agent_title or status.agent
  if status.state == "starting" then
    return ("%s is still starting"):format(agent)
  end
  return ("%s has no %s to choose from"):format(agent, what)
end

--- The modes or models to choose from. If the agent offers them as an option, they have groups and descriptions.
---@param status table
---@param what "mode"|"model"
---@return acp.Choice[]
local function choices_of(status, what)
  local by_name
  for _, option in ipairs(status.options or {}) do
    if option.type == "select" and option.category == what then
      return option.choices
    end
    by_name = by_name or (option.type == "select" and option.id == what and not option.category and option.choices)
  end
  return by_name or status[what .. "s"] or {}
end

--- Lets the user choose the mode or the model.
---@param n integer
---@param what "mode"|"model"
---@return true? ok
---@return string? message
function M.pick(n, what)
  local status = assert(session_store.get(n))
  local choices = choices_of(status, what)
  if #choices == 0 then
    return nil, nothing(status, what .. "s")
  end
  pick(choices, status[what], what, function(id)
    return acp["set_" .. what](id, { session = n })
  end)
  return true
end

--- Lets the user choose a value of an option.
---@param n integer
---@param option table
---@return true
local function pick_value(n, option)
  local choices = option.type == "boolean" and SWITCH or option.choices
  pick(choices, option.value, option.name, function(value)
    return acp.set_option(option.id, value, { session = n })
  end)
  return true
end

---@param option table
---@return string
local function value_name(option)
  for _, choice in ipairs(option.type == "boolean" and SWITCH or option.choices or {}) do
    if choice.id == option.value then
      return choice.name
    end
  end
  return tostring(option.value)
end

--- Lets the user choose an option and its value; `id`: a value of that one.
---@param n integer
---@param id? string
---@return true? ok
---@return string? message
function M.pick_option(n, id)
  local status = assert(session_store.get(n))
  local options = status.options or {}
  if #options == 0 then
    return nil, nothing(status, "options")
  end
  for _, option in ipairs(options) do
    if option.id == id then
      return pick_value(n, option)
    end
  end
  if id then
    return nil, unknown_choice.message("option", id, options)
  end
  local list = vim.tbl_map(function(option)
    return { id = option.id, name = ("%s: %s"):format(option.name, value_name(option)) }
  end, options)
  pick(list, nil, "options", function(chosen)
    return M.pick_option(n, chosen)
  end)
  return true
end

local asked = {} ---@type table<integer, { from?: string, to: string }> what the mode key has asked for

--- The next of the agent's modes, round and round.
---@param n integer
---@return true? ok
---@return string? message
function M.next_mode(n)
  local status = session_store.get(n)
  if not status then
    return nil, "this session is closed: :Acp opens another"
  end
  local modes = status.modes or {}
  if #modes < 2 then
    return nil, nothing(status, "modes")
  end
  local before = asked[n]
  local current = before and before.from == status.mode and before.to or status.mode -- its answer is on the way
  local place = 0
  for i, mode in ipairs(modes) do
    place = mode.id == current and i or place
  end
  local to = modes[place % #modes + 1].id
  asked[n] = { from = status.mode, to = to }
  return acp.set_mode(to, { session = n })
end

return M
