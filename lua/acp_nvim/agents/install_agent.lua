-- Installs an agent that is known by name: shows the command, its version and where it goes, and after a yes runs it in
-- a terminal. Nothing runs before that.
local available_agents = require("acp_nvim.config.available_agents")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local program_folders = require("acp_nvim.config.program_folders")
local program_terminal = require("acp_nvim.agents.program_terminal")

local M = {}

local NODE_PATIENCE_MS = 1000

--- Where what an installer brings will be.
---@type table<string, fun(): string>
local PLACES = {
  npm = function()
    return vim.fn.fnamemodify(program_folders.npm() or "npm's global folder", ":~")
  end,
  uv = function()
    return vim.fn.fnamemodify(program_folders.uv_tools(), ":~") .. ", a link in ~/.local/bin"
  end,
  brew = function()
    return "Homebrew's folder"
  end,
  curl = function()
    return "wherever that script puts it: read it first"
  end,
}

--- The version of the Node that is here, if the agent's newest release needs another one: npm then picks an older
--- release without a word, or one that does not start.
---@param preset acp.Preset
---@return string?
local function old_node(preset)
  if preset.node and vim.fn.executable("node") == 1 then
    local options = { text = true, timeout = NODE_PATIENCE_MS, cwd = vim.uv.os_homedir() }
    local here = vim.version.parse(vim.trim(vim.system({ "node", "--version" }, options):wait().stdout or ""))
    return here and here.major < preset.node and tostring(here) or nil
  end
end

---@param preset acp.Preset
---@return string
local function what_comes(preset)
  local node = old_node(preset)
  return node and ("may not be the newest, which needs Node %d: you have %s"):format(preset.node, node)
    or ("the newest; these facts are from %s"):format(preset.read)
end

---@param agent acp.Agent
---@param done fun()
local function run(agent, done)
  local name, preset = agent.name, agent.preset --[[@as acp.Preset]]
  program_terminal.run({
    name = "Install",
    label = "Install: " .. preset.install,
    argv = { "sh", "-c", preset.install },
    cwd = vim.uv.os_homedir(), -- the settings of a project are none for what the user installs
    done = name .. " is installed",
    failed = function(status)
      return ("%s is not installed: the command ended with exit code %d"):format(name, status)
    end,
    succeeded = function()
      program_folders.ask_npm(vim.startswith(preset.install, "npm "), function()
        local is_found = available_agents.look_again(name)
        local told = is_found and "%s is installed: :Acp new %s"
          or "%s is installed, but '%s' is in no folder that is known"
        messages.show(is_found and "info" or "warn", told:format(name, is_found and name or preset.command))
        done()
      end)
    end,
  })
end

--- Asks whether to install the agent, and does so after a yes.
---@param line acp.AgentLine
---@param done fun()  it is there now
---@return true? ok
---@return string? message
function M.ask(line, done)
  local agent = line.agent
  local preset = agent.preset
  if line.path or not preset then
    return nil, ("%s is installed: t tests it"):format(agent.name)
  end
  local installer = preset.install:match("^%w+")
  local place = PLACES[installer]
  if not place then
    return nil, ("%s has no command to install it: %s"):format(agent.name, available_agents.how_to_install(preset))
  elseif vim.fn.executable(installer) == 0 then
    return nil, ("%s is not there, and %s needs it: %s"):format(installer, agent.name, preset.install)
  end
  local win = panes.float({
    " command   " .. printable.visible(preset.install) .. " ",
    " version   " .. what_comes(preset) .. " ",
    " goes to   " .. printable.visible(place()) .. " ",
    "",
    " y install   n leave it ",
  }, "acp_pick", "Install " .. preset.title .. "?")
  local buf = vim.api.nvim_win_get_buf(win)
  vim.keymap.set("n", "y", function()
    vim.api.nvim_win_close(win, true)
    run(agent, done)
  end, { buffer = buf, nowait = true, desc = "Install it" })
  vim.keymap.set("n", "n", "<Cmd>close<CR>", { buffer = buf, nowait = true, desc = "Leave it" })
  return true
end

return M
