-- Shows `:Acp agents`, the list of the agents that are configured, found or known.
local acp = require("acp_nvim.api")
local agent_files = require("acp_nvim.config.agent_files")
local available_agents = require("acp_nvim.config.available_agents")
local doctor = require("acp_nvim.agents.doctor")
local install_agent = require("acp_nvim.agents.install_agent")
local lists = require("acp_nvim.ui.list")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local program_folders = require("acp_nvim.config.program_folders")
local session_store = require("acp_nvim.backend.session_store")
local version = require("acp_nvim.agents.version")

local M = {}

---@class acp.AgentLine
---@field agent acp.Agent
---@field path? string  where its program is

local NAME_WIDTH, STATE_WIDTH = 14, 10

local FROM = { setup = "setup()", preset = "known, needs no configuration", demo = "the plugin" }

local list ---@type acp.List

-- How it looks --------------------------------------------------------------------------------------------------------

---@param line acp.AgentLine
---@return string text
---@return string hl
local function state_of(line)
  if line.agent.origin == "demo" then
    return "built in", "AcpDone"
  elseif not line.path then
    return "not found", line.agent.origin == "preset" and "AcpPending" or "AcpError"
  end
  return line.agent.origin == "preset" and "found" or "configured", "AcpDone"
end

--- With whose account the agent works, as it has told one of its sessions.
---@param agent acp.Agent
---@return string?
local function account_of(agent)
  for _, n in ipairs(session_store.numbers()) do
    local status = session_store.look(n)
    local account = status and status.agent == agent.name and status.account
    if account then
      local more = { account.detail or account.plan } ---@type string[]
      more[#more + 1] = account.email
      more[#more + 1] = account.organization
      return account.label .. (#more > 0 and (" (%s)"):format(table.concat(more, ", ")) or "")
    end
  end
end

---@param line acp.AgentLine
---@return string
local function detail(line)
  local agent = line.agent
  if agent.origin == "demo" then
    return "shows what an agent can do, without network or key"
  elseif not line.path then
    return agent.preset and available_agents.how_to_install(agent.preset)
      or ("'%s' is not on PATH: fix agents.%s.command"):format(agent.spec.command, agent.name)
  end
  local script, account = available_agents.script(agent), account_of(agent)
  local said = not script and version.known(line.path) -- that of node says nothing
  local text = vim.fn.fnamemodify(script or line.path, ":~")
    .. (said and "  " .. said or said == false and not script and "  (no version)" or "")
  return account and ("%s  %s"):format(text, account) or text
end

---@param shown acp.ListRow[]
---@return integer row  of the last one before those that are not installed
local function last_there(shown)
  for row = #shown, 1, -1 do
    local line = shown[row].of --[[@as acp.AgentLine]]
    if line.path or line.agent.origin ~= "preset" then
      return row
    end
  end
  return 1
end

---@return acp.ListRow[]
local function rows()
  return vim.tbl_map(function(line)
    local state, hl = state_of(line)
    local name = lists.column(printable.visible(line.agent.name), NAME_WIDTH) .. "  "
    local text = name .. lists.column(state, STATE_WIDTH) .. "  " .. printable.visible(detail(line))
    return { of = line, key = line.agent.name, text = text, from = #name, to = #name + #state, hl = hl }
  end, available_agents.list())
end

--- The problems in the files of other editors, below the agents that are installed.
---@param shown acp.ListRow[]
---@return string[] said
---@return string hl
---@return integer row
local function remarks(shown)
  return vim.tbl_map(printable.visible, agent_files.problems()), "AcpWarning", last_there(shown)
end

-- What the user does --------------------------------------------------------------------------------------------------

---@param preset acp.Preset
---@return { [1]: string, [2]: string }[]
local function facts(preset)
  local rows = {
    { "install", available_agents.how_to_install(preset) },
    { "login", preset.login },
    { "documents", preset.url },
  }
  if preset.node then
    rows[#rows + 1] = { "needs", ("Node %d or newer"):format(preset.node) }
  end
  for name, value in vim.spairs(preset.env or {}) do
    rows[#rows + 1] = { "sets", ("$%s to %s"):format(name, value) }
  end
  for _, name in ipairs(preset.needs) do
    rows[#rows + 1] = { "reads", ("$%s%s"):format(name, vim.env[name] and " (set)" or "") }
  end
  for _, quirk in ipairs(preset.quirks) do
    rows[#rows + 1] = { "known", quirk }
  end
  return rows
end

---@param line acp.AgentLine
local function about(line)
  local agent = line.agent
  local rows = {}
  if agent.spec then
    rows[1] = { "command", table.concat({ agent.spec.command, unpack(agent.spec.args) }, " ") }
    rows[2] = { "program", line.path or "not found" }
  else
    rows[1] = { "command", "built in: see :help acp_nvim-demo" }
  end
  local from = agent.origin == "file" and vim.fn.fnamemodify(agent.file, ":~") or FROM[agent.origin]
  rows[#rows + 1] = { "comes from", from }
  local account = account_of(agent)
  if account then
    rows[#rows + 1] = { "account", account }
  end
  vim.list_extend(rows, agent.preset and facts(agent.preset) or {})
  panes.float(
    vim.tbl_map(function(row)
      return (" %-11s %s "):format(row[1], printable.visible(row[2]))
    end, rows),
    "",
    agent.preset and agent.preset.title or agent.name
  )
end

---@param line acp.AgentLine
local function begin(line)
  if line.agent.preset and not line.path then
    local how = available_agents.how_to_install(line.agent.preset)
    return messages.show("warn", ("%s is not installed: %s"):format(line.agent.name, how))
  end
  lists.replace_with(function()
    local n, message = acp.new_session({ agent = line.agent.name })
    lists.show_result(n and acp.open({ session = n }), message)
  end)
end

local function redraw()
  list:redraw()
end

local function ask_versions()
  for _, row in ipairs(list.rows) do
    if row.of.path then
      version.ask(row.of.agent, redraw)
    end
  end
end

---@param line acp.AgentLine
local function examine(line)
  lists.show_result(doctor.show(line.agent.name))
end

---@param line acp.AgentLine
local function install(line)
  lists.show_result(install_agent.ask(line, redraw))
end

local function look_again()
  program_folders.ask_npm(true, redraw)
end

list = lists.new({
  name = "acp://agents",
  filetype = "acp_agents",
  title = "Agents",
  bar = "<CR> new session  i install  t test  K details  v versions",
  keys = {
    { "<CR>", "new session with this agent", run = begin },
    { "i", "install the agent: shows the command and asks first", run = install },
    { "t", "test: start the agent and show what it offers", run = examine },
    { "K", "details: command, installation, login, documentation", run = about },
    { "v", "show the versions of the agents found", always = ask_versions },
    { "R", "look again, also where npm installs", always = look_again },
  },
  rows = rows,
  remarks = remarks,
})

--- Opens the list, or draws it again.
---@return true? ok
---@return string? message
function M.open()
  program_folders.ask_npm(false, redraw)
  return list:open(1 / 2)
end

return M
