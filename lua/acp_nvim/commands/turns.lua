-- `:Acp` for prompts and turns.
local acp = require("acp_nvim")
local reach = require("acp_nvim.commands.reach")
local state = require("acp_nvim.state")

local subcommands = {} ---@type table<string, acp.Subcommand>

---@param words string[]
---@return string[]
local function complete_prompt(words)
  if #words > 0 then
    return {}
  end
  return vim.tbl_map(function(command)
    return "/" .. command.name
  end, acp.commands() or {})
end

subcommands.prompt = {
  args = "{text}",
  doc = "sends a prompt, with a range the lines too; while a turn runs it is queued, with ! the turn is cancelled first",
  bang = true,
  range = true,
  complete = complete_prompt,
  run = function(call)
    local context
    if call.range then
      local item = { buffer = vim.api.nvim_get_current_buf(), first = call.range.first, last = call.range.last }
      context = { item }
    end
    local fresh = not state.current()
    local ok, message = acp.prompt(call.rest, { context = context, first = call.bang })
    if ok and fresh then
      require("acp_nvim.window").open(assert(state.current())) -- beside the file that the user is in
    end
    return ok, message
  end,
}

subcommands.cancel = {
  doc = "ends the running turn and holds the queue; with ! the queue also moves into the prompt history",
  bang = true,
  run = function(call)
    return acp.cancel({ clear = call.bang })
  end,
}

subcommands.queue = {
  doc = "edits the queued prompts in a buffer; with ! lets a held queue go on",
  bang = true,
  run = function(call)
    return reach.passes(call.bang and "queue_release" or "queue_open")()
  end,
}

return subcommands
