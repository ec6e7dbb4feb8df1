-- `:Acp` for prompts and turns.
local acp = require("acp_nvim")
local reach = require("acp_nvim.commands.reach")
local state = require("acp_nvim.state")

local subcommands = {} ---@type table<string, acp.Subcommand>

---@param words string[]
---@param lead string
---@return string[]
local function complete_prompt(words, lead)
  return require("acp_nvim.complete").words(lead, #words == 0)
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

---@param words string[]
---@param lead string
---@return string[]
local function complete_add(words, lead)
  local files = require("acp_nvim.filename").complete(lead, "file")
  return #words == 0 and vim.list_extend(require("acp_nvim.attach").kinds(), files) or files
end

subcommands.add = {
  args = "[file…|diagnostics|diff|quickfix|image {path}|clipboard]",
  doc = "puts the lines of the range, files, or what is named into the next prompt, as a chip; else the current file",
  range = true,
  complete = complete_add,
  run = function(call)
    local n, message = state.current(), nil
    if n then
      return require("acp_nvim.attach").add(n, call.rest, call.range)
    end
    n, message = acp.new_session()
    if not n then
      return nil, message
    end
    local ok
    ok, message = require("acp_nvim.attach").add(n, call.rest, call.range)
    require("acp_nvim.window").open(n) -- beside the file that the user is in
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
