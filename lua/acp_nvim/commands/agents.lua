-- `:Acp` for the agents' processes, and for the plugin itself.
local agents = require("acp_nvim.config.known_agents")
local backend = require("acp_nvim.backend.process")
local reach = require("acp_nvim.commands.session_argument")

local subcommands = {} ---@type table<string, acp.Subcommand>

subcommands.stop = {
  doc = "ends the agent's process, and with it the sessions that live in it",
  run = function()
    if not backend.is_running() then
      return nil, "no agent is running"
    end
    return reach.passes("stop")()
  end,
}

subcommands.restart = {
  doc = "starts the agent's process anew; its sessions are loaded again where the agent can",
  run = reach.passes("restart"),
}

subcommands.agents = {
  doc = "the agents that are configured, found or known, and how to install them",
  run = function()
    return require("acp_nvim.agents.list").open()
  end,
}

subcommands.doctor = {
  args = "[agent]",
  doc = "starts an agent, shows what it answers to initialize, and ends it; without a name |:checkhealth| with each one",
  complete = function(words)
    return #words == 0 and agents.all() or {}
  end,
  run = function(call)
    local doctor = require("acp_nvim.agents.doctor")
    if call.rest == "" then
      return doctor.all()
    end
    return doctor.show(call.rest)
  end,
}

subcommands.install = {
  doc = "makes the plugin's own Python environment; with ! it gives up",
  bang = true,
  run = function(call)
    local install = require("acp_nvim.install")
    return (call.bang and install.cancel or install.run)()
  end,
}

return subcommands
