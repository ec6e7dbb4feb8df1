-- Names the tabpages of chats after their agents, where Neovim's own tabline would show "a//1/prompt". A 'tabline' of
-- the user's or of a plugin is left alone; ours looks like Neovim's.
--
--    main.py  2 Claude  3+ ~/n/todo.md                                      X
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {}

local EXPRESSION = "%!v:lua.require'acp_nvim.windows.tab_names'.text()"
local NAMELESS = { quickfix = "[Quickfix List]", nofile = "[Scratch]" } ---@type table<string, string>

---@param buf integer
---@return string
local function name_of(buf)
  local name, session = api.nvim_buf_get_name(buf), vim.b[buf].acp_session
  if session and vim.startswith(name, "acp://") then
    local status = session_store.look(session) or {}
    return printable.visible(status.agent_title or status.agent or "chat")
  elseif name == "" then
    return NAMELESS[vim.bo[buf].buftype] or "[No Name]"
  end
  return vim.fn.pathshorten(vim.fn.fnamemodify(name, ":~:."))
end

---@param tab integer
---@return string
local function label_of(tab)
  local windows = vim.tbl_filter(function(win)
    return api.nvim_win_get_config(win).focusable
  end, api.nvim_tabpage_list_wins(tab))
  local is_modified = vim.iter(windows):any(function(win)
    return vim.bo[api.nvim_win_get_buf(win)].modified
  end)
  local marks = (#windows > 1 and tostring(#windows) or "") .. (is_modified and "+" or "")
  local name = name_of(api.nvim_win_get_buf(api.nvim_tabpage_get_win(tab))):gsub("%%", "%%%%")
  return (" %s%s "):format(marks ~= "" and marks .. " " or "", name)
end

--- The tabline.
---@return string
function M.text()
  local parts = {}
  for number, tab in ipairs(api.nvim_list_tabpages()) do
    local group = tab == api.nvim_get_current_tabpage() and "TabLineSel" or "TabLine"
    parts[number] = ("%%#%s#%%%dT%s"):format(group, number, label_of(tab))
  end
  return table.concat(parts) .. "%#TabLineFill#%T%=%#TabLine#%999XX"
end

--- A chat has been opened.
function M.attend()
  if vim.go.tabline == "" then
    vim.go.tabline = EXPRESSION
  end
end

return M
