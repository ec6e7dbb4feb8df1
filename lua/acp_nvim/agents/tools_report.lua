-- Says of each session how far its agent has come with the editor's tools.
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

local WORDS = {
  off = "no tools: see editor_tools in setup()",
  none = "takes no tools of the editor",
  own = "your own server has the name acp_nvim, so the editor's tools are left out",
  elsewhere = "another Neovim serves the tools of this session",
}

---@param count integer
---@param noun string
---@return string
local function counted(count, noun)
  return ("%d %s%s"):format(count, noun, count == 1 and "" or "s")
end

---@param n integer
---@return string
local function line_of(n)
  local status = assert(session_store.look(n))
  local who = ("%s #%d"):format(printable.visible(status.agent), n)
  local tools = status.tools
  if not tools then
    return who .. ": not sent yet"
  elseif WORDS[tools.state] then
    return ("%s: %s"):format(who, WORDS[tools.state])
  end
  local way = tools.argument and " (as an argument)" or ""
  if tools.state == "sent" and status.trust == "untrusted" then
    way = way .. ", and this folder is not trusted, so the agent may start no server"
  end
  local counts = ("%s, %s"):format(counted(tools.tools, "tool"), counted(tools.calls, "call"))
  return ("%s: %s%s, %s"):format(who, tools.state, way, counts)
end

--- The lines of all sessions, or of those with that agent.
---@param agent? string
---@return string[]
function M.lines(agent)
  local lines = {}
  for _, n in ipairs(session_store.numbers()) do
    if not agent or assert(session_store.look(n)).agent == agent then
      lines[#lines + 1] = line_of(n)
    end
  end
  return lines
end

--- Shows them: one as a message, more in a window.
---@return true? ok
---@return string? message
function M.show()
  local lines = M.lines()
  if #lines == 0 then
    return nil, "there is no session: :Acp starts one"
  elseif #lines == 1 then
    messages.show("info", lines[1])
  else
    panes.show("acp://tools", "acp_tools", lines)
  end
  return true
end

return M
