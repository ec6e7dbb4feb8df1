-- Defines the subcommands of `:Acp` for the turns of a project: whose a line is, and the time line.
local acp = require("acp_nvim")
local messages = require("acp_nvim.ui.messages")
local printable = require("acp_nvim.ui.printable")
local relative_time = require("acp_nvim.ui.relative_time")
local session_store = require("acp_nvim.backend.session_store")
local timeline = require("acp_nvim.commands.timeline")

local subcommands = {} ---@type table<string, acp.Subcommand>

local TITLE_CELLS = 60 -- of a command

--- "claude · turn 2 · 3 min ago · "Fix the tests" · by sed -i … · pending"
---@param found acp.BlamedLine
---@return string
local function described(found)
  local parts = { found.agent and printable.visible(found.agent) or "an agent", ("turn %d"):format(found.turn) }
  parts[#parts + 1] = found.time and relative_time(found.time) or nil
  parts[#parts + 1] = found.prompt and ('"%s"'):format(printable.visible(vim.split(found.prompt, "\n")[1])) or nil
  parts[#parts + 1] = found.call and ("by %s"):format(printable.cut(printable.visible(found.call.title), TITLE_CELLS))
    or nil
  parts[#parts + 1] = found.decision:gsub("^(commit %x%x%x%x%x%x%x%x)%x+$", "%1")
  return table.concat(parts, " · ")
end

subcommands.blame = {
  doc = "says which turn has written the line under the cursor: its prompt, its command, and what you decided",
  run = function()
    local found, message = acp.blame()
    if not found then
      messages.show("info", message or "no agent has written this line, as far back as the records reach")
      return true
    end
    messages.show("info", described(found))
    return true
  end,
}

subcommands.timeline = {
  doc = "lists the turns of the session, with what each has changed",
  run = function()
    return timeline.open()
  end,
}

subcommands.restore = {
  args = "[turn]",
  doc = "goes back to before a turn, or the newest one: shows what that would change as a diff, and asks",
  complete = function(words)
    return #words == 0
        and vim.tbl_map(function(turn)
          return tostring(turn.turn)
        end, acp.turns({ session = session_store.current() }) or {})
      or {}
  end,
  run = function(call)
    local turn = tonumber(call.rest)
    if call.rest ~= "" and not (turn and turn > 0 and turn % 1 == 0) then
      return nil, ("'%s' is not the number of a turn"):format(call.rest)
    end
    return acp.restore(turn)
  end,
}

return subcommands
