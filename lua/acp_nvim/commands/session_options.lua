-- Defines the subcommands of `:Acp` for mode, model and options.
local acp = require("acp_nvim")
local option_pickers = require("acp_nvim.sessions.option_pickers")
local printable = require("acp_nvim.ui.printable")
local session_argument = require("acp_nvim.commands.session_argument")

local subcommands = {} ---@type table<string, acp.Subcommand>

local SWITCHES = { ["true"] = true, on = true, ["false"] = false, off = false }

---@param list? { id: any }[]
---@return string[]
local function ids(list)
  return vim.tbl_map(function(item)
    return tostring(item.id)
  end, list or {})
end

---@return table  empty without a session
local function status()
  return acp.status() or {}
end

--- The id that was typed, or that of the only one with this name.
---@param typed string
---@param choices? { id: any, name: string }[]
---@return string
local function id_of(typed, choices)
  local found
  for _, choice in ipairs(choices or {}) do
    if choice.id == typed then
      return typed
    elseif choice.name:lower() == typed:lower() then
      found = found == nil and choice.id or false
    end
  end
  return found or typed
end

---@param what "mode"|"model"
---@return acp.Subcommand
local function subcommand(what)
  return {
    args = "[id]",
    doc = ("switches the %s of the session; without an id shows a list"):format(what),
    complete = function(words)
      return #words == 0 and ids(status()[what .. "s"]) or {}
    end,
    run = session_argument.with_current(function(call, n)
      if call.rest == "" then
        return option_pickers.pick(n, what)
      end
      return acp["set_" .. what](id_of(call.rest, status()[what .. "s"]), { session = n })
    end),
  }
end

subcommands.mode = subcommand("mode")
subcommands.model = subcommand("model")

---@param id string
---@return table?
local function option_of(id)
  for _, option in ipairs(status().options or {}) do
    if option.id == id then
      return option
    end
  end
end

subcommands.option = {
  args = "[id] [value]",
  doc = "changes an option of the session; without a value shows a list",
  complete = function(words)
    if #words == 0 then
      return ids(status().options)
    end
    local option = #words == 1 and option_of(words[1]) or nil
    return option and (option.type == "boolean" and { "on", "off" } or ids(option.choices)) or {}
  end,
  run = session_argument.with_current(function(call, n)
    local id, value = call.rest:match("^(%S+)%s*(.*)$")
    if not value or value == "" then
      return option_pickers.pick_option(n, id)
    end
    local option = option_of(id)
    if option and option.type == "boolean" then
      if SWITCHES[value] == nil then
        return nil, printable.visible(("%s is on or off, not '%s'"):format(id, value))
      end
      return acp.set_option(id, SWITCHES[value], { session = n })
    end
    return acp.set_option(id, id_of(value, option and option.choices), { session = n })
  end),
}

return subcommands
