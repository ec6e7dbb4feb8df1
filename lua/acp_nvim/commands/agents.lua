-- Defines the subcommands of `:Acp` for agents, their processes, and the installation.
local agent_list = require("acp_nvim.agents.list")
local available_agents = require("acp_nvim.config.available_agents")
local backend = require("acp_nvim.backend.process")
local doctor = require("acp_nvim.agents.doctor")
local health = require("acp_nvim.health")
local install = require("acp_nvim.install")
local session_argument = require("acp_nvim.commands.session_argument")
local tools_report = require("acp_nvim.agents.tools_report")

local subcommands = {} ---@type table<string, acp.Subcommand>

subcommands.stop = {
  doc = "stops the agent, and with it all of its sessions",
  run = function()
    if not backend.is_running() then
      return nil, "no agent is running"
    end
    return session_argument.send_verb("stop")()
  end,
}

subcommands.restart = {
  doc = "restarts the agent and loads its sessions again, if the agent can do that",
  run = session_argument.send_verb("restart"),
}

subcommands.agents = {
  doc = "lists the agents that are configured, found or known, and says how to install them",
  run = function()
    return agent_list.open()
  end,
}

subcommands.doctor = {
  args = "[agent]",
  doc = "tests an agent: starts it, shows what it offers, and stops it; without a name runs |:checkhealth| with all "
    .. "agents",
  complete = function(words)
    return #words == 0 and available_agents.all() or {}
  end,
  run = function(call)
    if call.rest == "" then
      health.check_with_agents()
      return true
    end
    return doctor.show(call.rest)
  end,
}

subcommands.tools = {
  doc = "says of each session how far its agent has come with the editor's tools, and how often it has called them",
  run = tools_report.show,
}

subcommands.install = {
  doc = "installs the plugin's own Python environment; with ! cancels the installation",
  bang = true,
  run = function(call)
    return (call.bang and install.cancel or install.run)()
  end,
}

return subcommands
