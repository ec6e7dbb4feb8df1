-- The menu of the prompt opens by itself behind `/` and `@`, where no completion plugin does that. Nothing is typed for
-- it and nothing is chosen: whoever types on writes as if it were not there.
local completion = require("acp_nvim.prompt.completion")
local config = require("acp_nvim.config.settings")

local api = vim.api
local M = {}

local SHOWN = "menuone,noselect" -- else the first one would be inserted

local before ---@type string? 'completeopt' while no menu of ours is open
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
    vim.o.completeopt = before
    before = nil
  end
end

---@param start integer  0-based
---@param found acp.Candidate[]
local function show(start, found)
  before = before or vim.o.completeopt
  opening = true
  vim.o.completeopt = SHOWN
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
  on("BufWipeout", function()
    api.nvim_del_augroup_by_id(group)
  end)
end

return M
