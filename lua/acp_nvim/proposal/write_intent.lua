-- Tells whether a write of a right side is meant as the answer. Neovim does not say which command writes a buffer, nor
-- why, so this module looks at what stands behind the write: the last key, the command line, the mapping of that key.
--
--    :w  :x  ZZ  :wqa              typed in the window of the right side            an answer
--    <leader>w -> <Cmd>w<CR>       the mapping of the key that was just pressed     an answer
--    <leader>w -> a Lua function   an answer, unless Neovim goes on to write all changed buffers
--    :wall  :windo w  :bufdo w     commands over all buffers or windows             no answer
--    an autocommand, a timer       nobody has pressed a key for it                  no answer
--
-- A right side that is never 'modified' would not do instead. `autocmd InsertLeave * silent! write` and a timer also
-- write an unmodified buffer, and would allow the change; `:x`, `ZZ` and `:wqa` would skip it, and `:qa` would drop its
-- edits.
local api = vim.api
local M = {}

---@alias acp.WriteIntent "yes"|"perhaps"|"no"

local INTENTS = {} ---@type table<string, acp.WriteIntent>  by command; all others write something else
for _, name in ipairs({ "write", "update", "wq", "xit", "exit", "wqall", "xall", "quitall" }) do
  INTENTS[name] = "yes"
end
for _, name in ipairs({ "execute", "normal", "call", "lua", "source", "if", "try", "vim9cmd" }) do
  INTENTS[name] = "perhaps" -- these may stand for any command
end

local keys = api.nvim_create_namespace("acp_nvim.write_intent")
local group = api.nvim_create_augroup("acp_nvim.write_intent", {})

---@class acp.PressedKey
---@field typed string  before mappings
---@field mode string
---@field win integer   where the user was

local pressed ---@type acp.PressedKey?  the key that Neovim is carrying out
local running ---@type string?  the command line that Neovim is carrying out
local watched = {} ---@type table<integer, true>  buffers

--- What a command line writes.
---@param line string
---@return acp.WriteIntent
local function intent_of(line)
  local found = "no"
  while line ~= "" do
    local ok, parsed = pcall(api.nvim_parse_cmd, line, {})
    local intent = not ok and "perhaps" or INTENTS[parsed.cmd] or parsed.cmd:find("^%u") and "perhaps" or "no"
    if not ok or intent == "yes" then
      return intent
    end
    found = intent == "perhaps" and intent or found
    line = parsed.nextcmd or ""
  end
  return found
end

--- What the mapping of a key writes. `ZZ` is the only key of Neovim's own that writes.
---@param key acp.PressedKey
---@return acp.WriteIntent
local function intent_of_key(key)
  local map = vim.fn.maparg(vim.fn.keytrans(key.typed), key.mode:sub(1, 1), false, true) --[[@as table]]
  if not map.lhs then
    return key.typed == "Z" and "yes" or "no"
  end
  local found = "perhaps" -- a Lua function, an expression, a <Plug> of another mapping
  for line in (map.expr ~= 1 and map.rhs or ""):gmatch("<[cC][mM][dD]>(.-)<[cC][rR]>") do
    found = intent_of(line)
    if found ~= "no" then
      return found
    end
  end
  return found
end

--- An autocommand of somebody else writes, on leaving insert mode for example.
---@return boolean
local function is_nested()
  local _, events = vim.fn.expand("<stack>"):gsub(" Autocommands for ", "")
  return events > 1
end

---@param buf integer
---@return acp.WriteIntent
local function intent(buf)
  if not pressed or is_nested() then
    return "no"
  elseif not api.nvim_win_is_valid(pressed.win) or api.nvim_win_get_buf(pressed.win) ~= buf then
    return "no" -- the user is somewhere else: a command on its way through all windows
  end
  return running and intent_of(running) or intent_of_key(pressed)
end

--- Calls `meant` at the end of this tick, or `not_meant` if Neovim writes all changed buffers: then it also writes one
--- that is made while it does so.
---@param meant fun()
---@param not_meant fun()
local function unless_all_are_written(meant, not_meant)
  local probe, are_all = api.nvim_create_buf(false, true), false
  api.nvim_buf_set_name(probe, ("acp://written-with-all/%d"):format(probe))
  vim.bo[probe].buftype, vim.bo[probe].modified = "acwrite", true
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = probe,
    callback = function()
      are_all, vim.bo[probe].modified = true, false
    end,
  })
  vim.schedule(function()
    api.nvim_buf_delete(probe, { force = true })
    local fn = are_all and not_meant or meant
    fn()
  end)
end

--- Is the buffer, which is being written, meant as the answer? Calls one of the two functions, now or at the end of
--- this tick.
---@param buf integer
---@param meant fun()
---@param not_meant fun(is_pressed: boolean)  is_pressed: by a key or a command of the user's
function M.judge(buf, meant, not_meant)
  local found, is_pressed = intent(buf), pressed ~= nil and not is_nested()
  local function refuse()
    not_meant(is_pressed)
  end
  if found == "perhaps" then
    unless_all_are_written(meant, refuse)
  elseif found == "yes" then
    meant()
  else
    refuse()
  end
end

---@param _ string
---@param typed? string  empty: the rest of a mapping or of a macro
local function key_pressed(_, typed)
  if not typed or typed == "" then
    return
  end
  local key = { typed = typed, mode = vim.fn.mode(), win = api.nvim_get_current_win() } ---@type acp.PressedKey
  pressed = key
  vim.schedule(function() -- the key has been carried out
    if pressed == key then
      pressed = nil
    end
  end)
end

local function command_line_left()
  local line = not vim.v.event.abort and vim.fn.getcmdline() or nil
  running = line
  vim.schedule(function()
    if running == line then
      running = nil
    end
  end)
end

---@param buf integer
local function unwatch(buf)
  watched[buf] = nil
  if next(watched) == nil then
    vim.on_key(nil, keys)
    api.nvim_clear_autocmds({ group = group, event = "CmdlineLeave" })
  end
end

--- Keys and command lines are listened to as long as the buffer is there.
---@param buf integer
function M.watch(buf)
  if next(watched) == nil then
    vim.on_key(key_pressed, keys)
    api.nvim_create_autocmd("CmdlineLeave", { group = group, pattern = ":", callback = command_line_left })
  end
  watched[buf] = true
  api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = buf,
    once = true,
    callback = function()
      unwatch(buf)
    end,
  })
end

return M
