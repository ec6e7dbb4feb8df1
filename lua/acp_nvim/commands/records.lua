-- Defines the subcommands of `:Acp` that show or write what has been recorded: log, trace, replay, export.
local acp = require("acp_nvim")
local backend = require("acp_nvim.backend.process")
local log_window = require("acp_nvim.ui.log_window")
local path_argument = require("acp_nvim.ui.path_argument")
local printable = require("acp_nvim.ui.printable")
local requests = require("acp_nvim.backend.session_requests")
local session_argument = require("acp_nvim.commands.session_argument")

local subcommands = {} ---@type table<string, acp.Subcommand>

--- Where a command of ours may write, or the reason why not, which stands first: a narrow screen cuts the end off.
---@param name string  as the user gave it
---@param over boolean  what is there may go
---@param forced string  the command that overwrites
---@return string? path  absolute
---@return string? message
local function writable(name, over, forced)
  local path, message = path_argument.path(name)
  if not path then
    return nil, message
  elseif vim.fn.isdirectory(path) == 1 then
    local lead = "that is a folder: "
    return nil, lead .. printable.short(path, lead)
  elseif vim.uv.fs_lstat(path) and not over then
    local lead = ("the file exists, :Acp %s overwrites it: "):format(forced)
    return nil, lead .. printable.short(path, lead)
  end
  return path
end

subcommands.log = {
  doc = "shows the plugin's messages and the agents' stderr",
  run = function()
    -- ours at once: the backend may be what is broken
    log_window.open()
    return not backend.is_running() or backend.notify("log", {})
  end,
}

subcommands.trace = {
  args = "[on|off|save {file}]",
  doc = "shows the messages exchanged with the agent; on and off start and stop the recording, save writes them to a "
    .. "file as JSON lines (with ! overwrites it)",
  bang = true,
  complete = function(words, lead)
    if #words == 0 then
      return { "on", "off", "save" }
    end
    return words[1] == "save" and path_argument.complete(lead, "file") or {}
  end,
  run = function(call)
    local mode, file = call.words[1], call.rest:match("^%S+%s+(.+)$")
    if mode and not vim.list_contains({ "on", "off", "save" }, mode) then
      return nil, ("usage: :Acp trace [on|off|save {file}], not '%s'"):format(mode)
    elseif mode == "save" and not file then
      return nil, "trace save needs a file"
    end
    local n, message = requests.session_of()
    if not n then
      return nil, message
    elseif mode == "save" then
      file, message = writable(file, call.bang, "trace! save")
      if not file then
        return nil, message
      end
    end
    return acp._send(n, "trace", { mode = mode, file = file, force = call.bang })
  end,
}

subcommands.replay = {
  args = "[file]",
  doc = "replays a saved trace as a session, without an agent; without {file} the last finished conversation of this "
    .. "folder",
  complete = function(words, lead)
    return #words == 0 and path_argument.complete(lead, "file") or {}
  end,
  run = function(call)
    if call.rest == "" then
      return session_argument.opened(acp.replay())
    end
    local file, message = path_argument.path(call.rest)
    if not file then
      return nil, message
    end
    return session_argument.opened(acp.replay(file))
  end,
}

subcommands.export = {
  args = "{file}",
  doc = "writes the conversation to a file as Markdown; with ! overwrites an existing file",
  bang = true,
  complete = function(words, lead)
    return #words == 0 and path_argument.complete(lead, "file") or {}
  end,
  run = session_argument.with_current(function(call, n)
    if call.rest == "" then
      return nil, "export needs a file"
    end
    local file, message = writable(call.rest, call.bang, "export!")
    if not file then
      return nil, message
    end
    return acp._send(n, "export", { file = file, force = call.bang })
  end),
}

return subcommands
