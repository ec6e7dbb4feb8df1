-- `:Acp agents`: every agent that is configured, found or known, one a line, in a buffer of our own.
local agent_files = require("acp_nvim.agent_files")
local agents = require("acp_nvim.agents")
local scratch = require("acp_nvim.scratch")
local version = require("acp_nvim.version")

local api = vim.api
local M = {}

---@class acp.AgentLine
---@field agent acp.Agent
---@field path? string  where its program is

local NAME = "acp://agents"
local NAMESPACE = api.nvim_create_namespace("acp_nvim.agents")
local KEYS = " Agents   <CR> new session  i examine  K about it  v versions  g? keys"
local NAME_WIDTH, STATE_WIDTH = 14, 10

local shown = {} ---@type acp.AgentLine[] by row
local buffer ---@type integer?

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

---@param text string
---@param width integer
---@return string
local function column(text, width)
  text = scratch.cut(scratch.visible(text), width)
  return text .. (" "):rep(width - vim.fn.strwidth(text))
end

---@param line acp.AgentLine
---@return string
local function detail(line)
  local agent = line.agent
  if agent.origin == "demo" then
    return "shows what an agent can do, without network or key"
  elseif not line.path then
    return agent.preset and agents.how_to_install(agent.preset)
      or ("'%s' is not on PATH: correct agents.%s.command"):format(agent.spec.command, agent.name)
  end
  local said = version.known(line.path)
  return vim.fn.fnamemodify(line.path, ":~") .. (said and "  " .. said or said == false and "  (no version)" or "")
end

---@return integer row  of the last one before those that are not installed
local function last_there()
  for row = #shown, 1, -1 do
    if shown[row].path or shown[row].agent.origin ~= "preset" then
      return row
    end
  end
  return 1
end

--- What is wrong in the files of other editors, below those that are there.
---@return table[]
local function remarks()
  return vim.tbl_map(function(problem)
    return { { "    " .. scratch.visible(problem), "AcpWarning" } }
  end, agent_files.problems())
end

local function draw()
  local buf = buffer
  if not buf or not api.nvim_buf_is_valid(buf) then
    return
  end
  shown = agents.list()
  local lines = vim.tbl_map(function(line)
    local text = ("%s  %s  "):format(column(line.agent.name, NAME_WIDTH), column(state_of(line), STATE_WIDTH))
    return text .. scratch.visible(detail(line))
  end, shown)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  vim.bo[buf].modifiable = false
  api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  for row, line in ipairs(shown) do
    local text, hl = state_of(line)
    local from = #column(line.agent.name, NAME_WIDTH) + 2
    api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, from, { end_col = from + #text, hl_group = hl })
  end
  local below = remarks()
  if #below > 0 then
    api.nvim_buf_set_extmark(buf, NAMESPACE, last_there() - 1, 0, { virt_lines = below })
  end
end

-- What the user does --------------------------------------------------------------------------------------------------

---@return acp.AgentLine
local function chosen()
  return shown[api.nvim_win_get_cursor(0)[1]]
end

---@param ok any
---@param message? string
local function told(ok, message)
  if not ok then
    scratch.message("warn", message or "it did not work: see :Acp log")
  end
end

---@param preset acp.Preset
---@return { [1]: string, [2]: string }[]
local function facts(preset)
  local rows = {
    { "install", agents.how_to_install(preset) },
    { "login", preset.login },
    { "documents", preset.url },
  }
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
  local from = { setup = "setup()", file = agent.file, preset = "known without configuration", demo = "the plugin" }
  rows[#rows + 1] = { "comes from", vim.fn.fnamemodify(from[agent.origin], agent.origin == "file" and ":~" or "") }
  vim.list_extend(rows, agent.preset and facts(agent.preset) or {})
  scratch.float(
    vim.tbl_map(function(row)
      return ("%-11s %s"):format(row[1], scratch.visible(row[2]))
    end, rows),
    "",
    agent.preset and agent.preset.title or agent.name
  )
end

---@param line acp.AgentLine
local function begin(line)
  if line.agent.preset and not line.path then
    local how = agents.how_to_install(line.agent.preset)
    return scratch.message("warn", ("%s is not installed: %s"):format(line.agent.name, how))
  end
  if not pcall(api.nvim_win_close, 0, false) then
    vim.cmd.enew() -- it was the last window
  end
  vim.schedule(function() -- closing gives the cursor back to the window that it came from
    local acp = require("acp_nvim")
    local n, message = acp.new_session({ agent = line.agent.name })
    told(n and acp.open({ session = n }), message)
  end)
end

local function ask_versions()
  for _, line in ipairs(shown) do
    if line.path then
      version.ask(line.agent, draw)
    end
  end
end

local actions = {
  { "<CR>", "a new session with it", begin },
  {
    "i",
    "examine it: start it, and show what it answers to initialize",
    function(line)
      told(require("acp_nvim.doctor").show(line.agent.name))
    end,
  },
  { "K", "about it: command, installation, login, documentation, what is special", about },
  { "v", "ask all programs that are found for their versions", ask_versions },
  { "R", "look anew", draw },
}

local function help()
  local lines = vim.tbl_map(function(action)
    return ("%-5s %s"):format(action[1], action[2])
  end, actions)
  scratch.float(vim.list_extend(lines, { "q     close the window" }), "", "Agents")
end

---@param buf integer
local function attend(buf)
  for _, action in ipairs(actions) do
    vim.keymap.set("n", action[1], function()
      action[3](chosen())
    end, { buffer = buf, nowait = true, desc = action[2] })
  end
  vim.keymap.set("n", "g?", help, { buffer = buf, nowait = true, desc = "keys" })
end

--- Opens the list, or brings it up to date.
---@return true? ok
---@return string? message
function M.open()
  if vim.fn.getcmdwintype() ~= "" then
    return nil, "close the command-line window first"
  end
  local win = scratch.show(NAME, "acp_agents", { "" })
  buffer = api.nvim_win_get_buf(win)
  api.nvim_win_set_height(win, math.max(5, math.floor(vim.o.lines / 2)))
  for name, value in pairs({
    cursorline = true,
    wrap = false,
    number = false,
    relativenumber = false,
    winbar = KEYS .. "%<",
  }) do
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
  attend(buffer)
  draw()
  return true
end

return M
