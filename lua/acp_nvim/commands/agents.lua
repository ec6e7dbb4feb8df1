-- `:Acp` for the agents' processes, and for the plugin itself.
local agents = require("acp_nvim.agents")
local backend = require("acp_nvim.backend")
local reach = require("acp_nvim.commands.reach")
local scratch = require("acp_nvim.scratch")

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
  doc = "the agents that may be started, and where their commands are",
  run = function()
    return scratch.show("acp://agents", "acp_agents", agents.describe())
  end,
}

subcommands.install = {
  doc = "makes the plugin's own Python environment",
  run = function()
    return require("acp_nvim.install").run()
  end,
}

return subcommands
