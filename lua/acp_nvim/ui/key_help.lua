-- Lists the mappings of a buffer in a float.
local panes = require("acp_nvim.ui.panes")

local api = vim.api
local M = {}

local WIDTH = 13 -- of the keys

-- Nine keys that do the same, by number, take one line.
local NINE = { ["1"] = "1…9", g1 = "g1…g9", ["<M-1>"] = "<M-1>…<M-9>" }

---@param mode "n"|"i"
---@param keys table<string, table<string, string[]>>  what it does -> mode -> its keys
local function collect_keys(mode, keys)
  for _, map in ipairs(api.nvim_buf_get_keymap(0, mode)) do
    if map.desc and not map.lhs:find("^<Plug>") and not map.lhs:find("^<?[gM]?%-?[2-9]>?$") then
      local by_mode = keys[map.desc] or { n = {}, i = {} }
      keys[map.desc] = by_mode
      local key = map.lhs:gsub("<C%-%u>", string.lower):gsub("^<c", "<C")
      table.insert(by_mode[mode], NINE[key] or key)
    end
  end
end

---@param desc string
---@param by_mode table<string, string[]>
---@return string
local function line_of(desc, by_mode)
  table.sort(by_mode.n)
  table.sort(by_mode.i)
  local names, typing = table.concat(by_mode.n, " "), table.concat(by_mode.i, " ")
  if names == "" then
    names, desc = typing, desc .. " (insert mode)"
  elseif typing ~= "" then
    desc = ("%s (in insert mode, too%s)"):format(desc, typing ~= names and ": " .. typing or "")
  end
  return (" %s%s  %s "):format(names, (" "):rep(WIDTH - api.nvim_strwidth(names)), desc)
end

--- Shows the mappings of the current buffer.
function M.show()
  local keys, lines = {}, {}
  collect_keys("n", keys)
  collect_keys("i", keys)
  for desc, by_mode in pairs(keys) do
    lines[#lines + 1] = line_of(desc, by_mode)
  end
  table.sort(lines, function(one, other)
    return one:lower() < other:lower()
  end)
  panes.float(lines, "acp_help", "keys")
end

return M
