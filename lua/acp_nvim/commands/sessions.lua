-- Defines the subcommands of `:Acp` for windows and sessions.
local acp = require("acp_nvim")
local available_agents = require("acp_nvim.config.available_agents")
local continue = require("acp_nvim.sessions.continue")
local default_agent = require("acp_nvim.api.default_agent")
local live_and_saved = require("acp_nvim.sessions.live_and_saved")
local opened = require("acp_nvim.commands.session_argument").opened
local path_argument = require("acp_nvim.ui.path_argument")
local pickers = require("acp_nvim.sessions.pickers")
local prompt_entry = require("acp_nvim.windows.prompt_entry")
local plan_panel = require("acp_nvim.windows.plan_panel")
local session_list = require("acp_nvim.sessions.list")
local session_windows = require("acp_nvim.windows.session_windows")
local session_store = require("acp_nvim.backend.session_store")

local subcommands = {} ---@type table<string, acp.Subcommand>

subcommands.open = {
  args = "[n]",
  doc = "opens the chat of session n or of the current one; without a session starts the default agent; with ! the "
    .. "prompt is in insert mode",
  bang = true,
  complete = function(words)
    return #words == 0 and vim.tbl_map(tostring, session_store.numbers()) or {}
  end,
  run = function(call)
    if call.rest == "" and session_store.current() then
      return prompt_entry.by_user(acp.open, call.bang)
    elseif call.rest == "" then
      return default_agent(function(agent)
        return prompt_entry.by_user(function()
          return acp.open({ agent = agent })
        end, call.bang)
      end)
    elseif not session_store.exists(tonumber(call.rest) or 0) then
      local known = table.concat(vim.tbl_map(tostring, session_store.numbers()), ", ")
      return nil, ("no session %s. %s"):format(call.rest, known ~= "" and "Open: " .. known or ":Acp new starts one")
    end
    return prompt_entry.by_user(function()
      return acp.open({ session = tonumber(call.rest) })
    end, call.bang)
  end,
}

subcommands.close = {
  doc = "closes the windows of the chat; the session goes on",
  run = function()
    return acp.close()
  end,
}

subcommands.toggle = {
  doc = "opens the chat, or closes it if it is open; with ! an open chat is closed only from its own windows, from "
    .. "others the focus goes to its prompt",
  bang = true,
  run = function(call)
    if call.bang and not session_windows.has_focus() then
      return acp.open()
    end
    return acp.toggle()
  end,
}

---@param words string[]
---@param lead string
---@return string[]
local function complete_new(words, lead)
  return #words == 0 and available_agents.all() or path_argument.complete(lead, "dir")
end

local function new(call)
  local agent, behind = call.rest:match("^(%S+)%s*(.*)$")
  local roots = {}
  behind = behind or ""
  local is_one = behind ~= "" and vim.fn.isdirectory(path_argument.path(behind) or "") == 1
  for _, word in ipairs(is_one and { behind } or path_argument.words(behind)) do
    local root, problem = path_argument.path(word)
    if not root then
      return nil, problem
    end
    roots[#roots + 1] = root
  end
  if agent then
    return opened(acp.new_session({ agent = agent, roots = roots }))
  end
  return default_agent(function(default)
    return prompt_entry.by_user(function()
      return opened(acp.new_session({ agent = default }))
    end)
  end)
end

subcommands.new = {
  args = "[agent] [dir…]",
  doc = "starts another session; the agent may also work in the further folders",
  run = new,
  complete = complete_new,
}
subcommands.start = vim.tbl_extend("force", subcommands.new, { doc = "the same as `new`" })

---@param words string[]
---@return string[]
local function complete_id(words)
  return #words == 0 and live_and_saved.ids() or {}
end

subcommands.sessions = {
  doc = "lists the open sessions and those that the agents have saved",
  run = function()
    return session_list.open()
  end,
}

subcommands.plan = {
  doc = "pins the agent's plan above the prompt while there is one; repeat to unpin it",
  run = function()
    plan_panel.toggle()
    return true
  end,
}

subcommands.switch = {
  doc = "lists the open sessions, those that need you first, and opens the one you pick, by its number or with <CR>",
  run = function()
    return pickers.pick_session()
  end,
}

subcommands.continue = {
  doc = "continues the newest session of this folder: an open one, or else the last one, which its agent loads or "
    .. "resumes; an agent that can do neither starts a new session below the old conversation. If its last turn was "
    .. "cut off, the prompt of that turn is put into the prompt, and not sent. An empty chat that you leave this way "
    .. "is closed; its draft goes into the history (<C-p>)",
  run = function()
    return continue.continue()
  end,
}

subcommands.load = {
  args = "{id}",
  doc = "opens a saved session and shows its conversation",
  run = function(call)
    return opened(acp.load(call.rest))
  end,
  complete = complete_id,
}

subcommands.resume = {
  args = "{id}",
  doc = "opens a saved session without showing its conversation; the agent remembers it",
  run = function(call)
    return opened(acp.resume(call.rest))
  end,
  complete = complete_id,
}

subcommands.fork = {
  args = "[here]",
  doc = "starts a new session with the history of this one; with here, only with what is above the cursor in the chat",
  complete = function(words)
    return #words == 0 and { "here" } or {}
  end,
  run = function(call)
    if call.rest ~= "" and call.rest ~= "here" then
      return nil, "usage: :Acp fork [here]"
    end
    return opened(acp.fork({ here = call.rest == "here" }))
  end,
}

subcommands.rename = {
  args = "{title}",
  doc = "gives the session a title of your own",
  complete = function(words)
    local status = acp.status()
    return #words == 0 and status and status.title and { status.title } or {}
  end,
  run = function(call)
    return acp.rename(call.rest)
  end,
}

subcommands.delete = {
  args = "{id}",
  doc = "deletes a saved session permanently",
  run = function(call)
    return acp.delete(call.rest)
  end,
  complete = complete_id,
}

subcommands.login = {
  args = "[method]",
  doc = "logs in to the agent with this method, or else with the configured one or one that you choose",
  complete = function(words)
    local status = acp.status()
    return #words == 0
        and vim.tbl_map(function(method)
          return method.id
        end, status and status.logins or {})
      or {}
  end,
  run = function(call)
    return acp.login(call.rest ~= "" and call.rest or nil)
  end,
}

subcommands.logout = {
  doc = "logs out of the agent, if the agent offers that",
  run = function()
    return acp.logout()
  end,
}

return subcommands
