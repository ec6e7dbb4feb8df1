-- Defines the subcommands of `:Acp` that show what the agents do: follow-along, terminals, usage.
local follow = require("acp_nvim.follow.pinned_window")
local session_argument = require("acp_nvim.commands.session_argument")
local terminal = require("acp_nvim.terminal.buffer")
local usage = require("acp_nvim.chat.usage")

local subcommands = {} ---@type table<string, acp.Subcommand>

subcommands.follow = {
  args = "[off]",
  doc = "shows the files that the agent works on in this window; `off` stops that",
  complete = function(words)
    return #words == 0 and { "off" } or {}
  end,
  run = session_argument.with_current(function(call, n)
    if call.rest == "off" then
      follow.off(n)
      return true
    elseif call.rest ~= "" then
      return nil, ("usage: :Acp follow [off], not '%s'"):format(call.rest)
    end
    return follow.on(n)
  end),
}

subcommands.terminals = {
  args = "[n]",
  doc = "lists the agents' terminals; with a number opens that one",
  complete = function()
    return vim.tbl_map(function(terminal)
      return tostring(terminal.number)
    end, terminal.list())
  end,
  run = function(call)
    if call.rest == "" then
      return terminal.open_list()
    end
    return terminal.open(tonumber(call.rest) or call.rest --[[@as any]])
  end,
}

subcommands.usage = {
  doc = "shows the tokens of the newest turn and of the session, the context window, the cost, and your account's "
    .. "limit",
  run = session_argument.with_current(function(_, n)
    return usage.show(n)
  end),
}

return subcommands
