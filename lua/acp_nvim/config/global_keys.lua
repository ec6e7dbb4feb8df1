-- Sets the global maps below the prefix of `keys = "<leader>a"`. It runs when Neovim starts, and loads nothing.
local M = {}

---@class acp.Key
---@field key string    behind the prefix
---@field modes string  a letter each
---@field run string    what stands behind `:Acp `
---@field desc string
---@field typing? boolean  the user ends the command line
---@field allows? boolean  it answers a question with a yes, and not too soon

--- Every key, in the order of the help: talk, answer, change, move, look.
---@type acp.Key[]
M.set = {
  { key = "a", modes = "n", run = "toggle!", desc = "Open or close the chat" },
  { key = "i", modes = "n", run = "open!", desc = "Write in the prompt" },
  { key = "a", modes = "x", run = "add!", desc = "Put the selection into the prompt" },
  { key = "b", modes = "n", run = "add!", desc = "Put this file into the prompt" },
  { key = "p", modes = "nx", run = "prompt ", desc = "Ask about the selection", typing = true },
  { key = "c", modes = "n", run = "cancel", desc = "Cancel the turn" },
  { key = "q", modes = "n", run = "queue", desc = "Edit the queued prompts" },
  { key = "y", modes = "n", run = "accept", desc = "Yes: allow it", allows = true },
  { key = "Y", modes = "n", run = "accept!", desc = "Yes, always", allows = true },
  { key = "n", modes = "n", run = "reject", desc = "No: refuse it" },
  { key = "d", modes = "n", run = "diff", desc = "Show the proposed change" },
  { key = "w", modes = "n", run = "why", desc = "Why it was allowed or refused" },
  { key = "r", modes = "n", run = "review", desc = "Review the changes" },
  { key = "T", modes = "n", run = "timeline", desc = "The session's turns, and the way back" },
  { key = "B", modes = "n", run = "blame", desc = "Which prompt wrote this line" },
  { key = "k", modes = "nx", run = "keep", desc = "Keep this change" },
  { key = "u", modes = "n", run = "undo turn", desc = "Undo the whole turn" },
  { key = "e", modes = "nx", run = "comment", desc = "Comment these lines" },
  { key = "E", modes = "n", run = "send", desc = "Send the comments" },
  { key = "s", modes = "n", run = "sessions", desc = "List the sessions" },
  { key = "o", modes = "n", run = "switch", desc = "Switch to another session" },
  { key = "h", modes = "n", run = "history", desc = "Pick an earlier prompt" },
  { key = "S", modes = "n", run = "new", desc = "Start a new session" },
  { key = "C", modes = "n", run = "continue", desc = "Continue the last session here" },
  { key = "f", modes = "n", run = "follow", desc = "Follow the agent" },
  { key = "m", modes = "n", run = "model", desc = "Choose the model" },
  { key = "M", modes = "n", run = "mode", desc = "Choose the mode" },
  { key = "P", modes = "n", run = "plan", desc = "Pin the plan above the prompt" },
  { key = "t", modes = "n", run = "terminals", desc = "List the agents' terminals" },
  { key = "l", modes = "n", run = "log", desc = "Show the log" },
}

M.GROUP = "agent"

---@class acp.TakenKey
---@field lhs string
---@field mode string
---@field by string   what the user has there
---@field desc string what is not mapped therefore

local prefix ---@type string?
local ours = {} ---@type [string, string][]  mode and left side of what is mapped
local taken = {} ---@type acp.TakenKey[]

---@param mode string
---@param lhs string
---@return table? map  the user's
local function users_map(mode, lhs)
  local map = vim.fn.maparg(lhs, mode, false, true)
  return next(map) and map or nil
end

---@param key acp.Key
---@param mode string
---@return string|fun()
local function right_side(key, mode)
  if key.allows then
    local lhs = prefix .. key.key
    return function()
      require("acp_nvim.ui.key_command").run(key.run, lhs)
    end
  elseif mode == "x" then -- the command line begins with the range of the selection
    return ":Acp " .. key.run .. (key.typing and "" or "<CR>")
  end
  return key.typing and ":Acp " .. key.run or ("<Cmd>Acp %s<CR>"):format(key.run)
end

---@param key acp.Key
---@param mode string
local function map(key, mode)
  local lhs = prefix .. key.key
  local users = users_map(mode, lhs)
  if users then
    local by = users.desc or users.rhs
    taken[#taken + 1] = { lhs = lhs, mode = mode, by = by ~= "" and by or "a function", desc = key.desc }
    return
  end
  vim.keymap.set(mode, lhs, right_side(key, mode), { desc = key.desc, silent = mode == "x" and not key.typing })
  ours[#ours + 1] = { mode, lhs }
end

--- Names the prefix for which-key, if that is loaded.
local function name_group()
  local which_key = package.loaded["which-key"]
  if prefix and type(which_key) == "table" and which_key.add then
    which_key.add({ { prefix, group = M.GROUP, mode = { "n", "x" } } })
  end
end

local function unmap()
  for _, each in ipairs(ours) do
    if users_map(each[1], each[2]) then
      vim.keymap.del(each[1], each[2])
    end
  end
  ours, taken = {}, {}
end

--- Maps the keys below the prefix `wanted`, except keys that are mapped already; nil removes our maps.
---@param wanted? string
function M.map_below(wanted)
  unmap()
  prefix = wanted ~= "" and wanted or nil
  for _, key in ipairs(prefix and M.set or {}) do
    for mode in key.modes:gmatch(".") do
      map(key, mode)
    end
  end
  name_group()
end

--- Sets the maps once Neovim has started, when the user's own maps exist.
---@param wanted any
function M.map_soon(wanted)
  if type(wanted) ~= "string" then
    return -- the check of the configuration tells
  elseif vim.v.vim_did_enter == 1 then
    return M.map_below(wanted)
  end
  vim.api.nvim_create_autocmd("VimEnter", {
    once = true,
    callback = function()
      M.map_below(wanted)
    end,
  })
  vim.api.nvim_create_autocmd("User", { -- which-key is often loaded only then
    pattern = { "VeryLazy", "LazyLoad" },
    callback = vim.schedule_wrap(name_group),
  })
end

---@return string? prefix
---@return acp.TakenKey[] taken
---@return integer count
function M.state()
  return prefix, taken, #ours
end

--- Returns the key that we have mapped in normal mode to `:Acp {run}`.
---@param run string
---@return string? key  nil: there is none, or it is the user's own
function M.key_of(run)
  for _, key in ipairs(prefix and M.set or {}) do
    if key.run == run and key.modes:find("n", 1, true) then
      local lhs = prefix .. key.key
      local is_ours = vim.iter(ours):any(function(mapped)
        return mapped[1] == "n" and mapped[2] == lhs
      end)
      return is_ours and users_map("n", lhs) and lhs:gsub(" ", "<Space>") or nil
    end
  end
end

--- How the user gets from a file to the prompt: "<leader>ai to write", or the command.
---@return string
function M.how_to_write()
  return (M.key_of("open!") or ":Acp prompt") .. " to write"
end

--- Does the user have a key for the plugin, of this set or of their own?
---@return boolean
function M.is_used()
  if prefix then
    return true
  end
  for _, mapped in ipairs(vim.api.nvim_get_keymap("n")) do
    local right = mapped.rhs or ""
    local is_plug = mapped.lhs:find("^<Plug>") ~= nil
    if
      not is_plug
      and (right:find("Acp ", 1, true) or right:find("Acp<CR>", 1, true) or right:find("<Plug>(acp-", 1, true))
    then
      return true
    end
  end
  return false
end

return M
