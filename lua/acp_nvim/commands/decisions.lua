-- Defines the subcommands of `:Acp` for past decisions: why a tool call was allowed or refused, and what is remembered.
local acp = require("acp_nvim")
local backend = require("acp_nvim.backend.process")
local chats = require("acp_nvim.chat.buffer")
local marks = require("acp_nvim.chat.marks")
local remembered_rules = require("acp_nvim.question.remembered_rules")
local requests = require("acp_nvim.backend.session_requests")
local session_argument = require("acp_nvim.commands.session_argument")
local session_store = require("acp_nvim.backend.session_store")

local subcommands = {} ---@type table<string, acp.Subcommand>

--- The rules that the current session remembers.
---@return table[]
local function remembered()
  local n = session_store.current()
  return n and (session_store.look(n) or {}).remembered or {}
end

---@param word string
---@return integer[]? ids  nil with no message: all
---@return string? message
local function ids_of(word)
  if word == "all" then
    return nil
  end
  for _, item in ipairs(remembered()) do
    if tostring(item.id) == word then
      return { item.id }
    end
  end
  return nil, ("nothing is remembered as '%s': :Acp forget lists it"):format(word)
end

subcommands.forget = {
  args = "[n|all]",
  doc = "lists what this session always allows or rejects, so that you can take it back; with a number, or all, does "
    .. "so at once",
  complete = function()
    local words = vim.tbl_map(function(item)
      return tostring(item.id)
    end, remembered())
    table.insert(words, "all")
    return words
  end,
  run = session_argument.with_current(function(call, n)
    if call.rest == "" then
      return remembered_rules.open(n)
    end
    local ids, message = ids_of(call.rest)
    if message then
      return nil, message
    end
    return remembered_rules.forget(n, ids)
  end),
}

subcommands.why = {
  doc = "says which rule or answer decided the tool call under the cursor, or else the last one that was decided",
  run = function()
    local chat = chats.of_buffer(vim.api.nvim_get_current_buf())
    local n, message = chat and chat.session, nil
    if not n then
      n, message = requests.session_of()
    end
    if not n then
      return nil, message
    elseif not backend.is_running() then
      return nil, "nothing is running"
    end
    local row = vim.api.nvim_win_get_cursor(0)[1] - 1
    return backend.notify("why", { session = n, key = chat and marks.entry_at(chat, row) })
  end,
}

return subcommands
