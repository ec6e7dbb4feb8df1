-- Opens the completion menu of the prompt after `/` and `@`, unless a completion plugin does that. Nothing is typed for
-- it and nothing is chosen: whoever types on writes as if it were not there.
local blank_behind = require("acp_nvim.prompt.blank_behind")
local completion = require("acp_nvim.prompt.completion")
local config = require("acp_nvim.config.settings")
local suggestion = require("acp_nvim.prompt.suggestion")

local api = vim.api
local M = {}

-- Without "noselect" the first one would be inserted; without a height forty commands would hide the chat.
local SHOWN = { completeopt = "menuone,noselect", pumheight = 12 }

local before ---@type { completeopt: string, pumheight: integer }?  the user's, while a menu of ours is open
local opening = false

--- Does something else open menus here?
---@return boolean
local function is_served()
  local native = vim.fn.exists("&autocomplete") == 1 and vim.o.autocomplete
  local others = package.loaded["cmp"]
    or package.loaded["blink.cmp"]
    or rawget(_G, "MiniCompletion")
    or rawget(_G, "COQ")
  return native or others ~= nil
end

local function close()
  if before and not opening then
    vim.o.completeopt, vim.o.pumheight = before.completeopt, before.pumheight
    before = nil
  end
end

---@param start integer  0-based
---@param found acp.Candidate[]
local function show(start, found)
  before = before or { completeopt = vim.o.completeopt, pumheight = vim.o.pumheight }
  opening = true
  vim.o.completeopt = SHOWN.completeopt
  vim.o.pumheight = before.pumheight > 0 and before.pumheight or SHOWN.pumheight
  local ok, why = pcall(vim.fn.complete, start + 1, completion.menu_items(found))
  opening = false
  assert(ok, why)
end

--- Opens the menu. Neovim reports a change when it waits for the next key, so keys that are typed fast open no menu.
---@param buf integer
local function offer(buf)
  local n = vim.b[buf].acp_session
  local row, col = unpack(api.nvim_win_get_cursor(0))
  local line = api.nvim_get_current_line():sub(1, col)
  if not n or not line:find("[/@]") or vim.fn.complete_info({ "selected" }).selected ~= -1 then
    return
  end
  local start, found = completion.candidates(n, line, vim.fn.prevnonblank(row - 1) == 0)
  local typed = start and line:sub(start + 1)
  local is_whole = vim.iter(found):any(function(each)
    return each.word == typed
  end)
  if start and #found > 0 and not is_whole then
    show(start, found)
  end
end

--- Puts the first candidate in the place of the word before the cursor, for keys that are typed too fast for a menu.
---@return boolean taken
local function complete_word()
  local n = vim.b.acp_session
  local row, col = unpack(api.nvim_win_get_cursor(0))
  local line = api.nvim_get_current_line():sub(1, col)
  if not n or not line:find("[/@]%S*$") then
    return false
  end
  local start, found = completion.candidates(n, line, vim.fn.prevnonblank(row - 1) == 0)
  if not start or #found == 0 then
    return false
  end
  api.nvim_buf_set_text(0, row - 1, start, row - 1, col, { found[1].word })
  api.nvim_win_set_cursor(0, { row, start + #found[1].word })
  if found[1].blank then
    blank_behind.put()
  end
  return true
end

--- Takes the agent's suggestion into an empty prompt, else the chosen item of an open menu, else its first one. Where
--- there is nothing to complete the key goes on in a snippet, or is Vim's.
---@param key string  as it was pressed
function M.take_first(key)
  if suggestion.take() then
    return
  end
  if vim.fn.pumvisible() == 0 then
    if vim.snippet.active({ direction = 1 }) then
      return vim.snippet.jump(1)
    elseif not complete_word() then
      api.nvim_feedkeys(vim.keycode(key), "in", false)
    end
    return
  end
  local is_chosen = vim.fn.complete_info({ "selected" }).selected ~= -1
  local keys = (is_chosen and "<C-y>" or "<C-n><C-y>") .. blank_behind.KEYS
  api.nvim_feedkeys(vim.keycode(keys), "in", false)
end

--- Has the menu open by itself in a prompt.
---@param buf integer
function M.attend(buf)
  local group = api.nvim_create_augroup("acp_nvim.menu." .. buf, {})
  local function on(events, callback)
    api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = callback })
  end
  on({ "TextChangedI", "TextChangedP" }, function()
    if not opening and config.get().chat.menu and not is_served() then
      offer(buf)
    end
  end)
  on({ "CompleteDone", "InsertLeave", "BufLeave" }, close)
  blank_behind.attend(buf, group)
  on("BufWipeout", function()
    api.nvim_del_augroup_by_id(group)
  end)
end

return M
