-- Lists the plugin's own keys in a buffer in a float, grouped by what they are for. Where none works in insert mode the
-- column for that mode is left out. A key that somebody else has mapped since then has a footnote.
--
--           normal          insert   does
--   answer  <M-1…9> g1…g9   <M-1…9>  answer the question
--           <M-d> gd        <M-d>    show the diff
--   write   <C-p>           <C-p>*   previous prompt
--   leave   g?                       this help
--
--   * <C-p> in insert mode is "blink.cmp"
local panes = require("acp_nvim.ui.panes")
local taken_key = require("acp_nvim.ui.taken_key")

local api = vim.api
local M = {}

local GROUP_WIDTH = 6
local HEADER = { n = "normal", i = "insert", does = "does" }
local NAMESPACE = api.nvim_create_namespace("acp_nvim.key_help")

-- Nine keys that do the same, by number, take one line.
local NINE = { ["1"] = "1…9", g1 = "g1…g9", ["<M-1>"] = "<M-1…9>" }

-- Each <Plug> name of ftplugin/ without `acp-`, by its purpose, in the order of the list.
---@type [string, string[]][]
local GROUPS = {
  { "answer", { "answer-1", "refuse-file", "diff", "keep-turn", "undo-turn", "rewind" } },
  {
    "write",
    {
      "send",
      "steer",
      "to-prompt",
      "edit-prompt",
      "history-previous",
      "history-next",
      "take-first",
      "take-suggestion",
      "next-mode",
      "model",
    },
  },
  { "move", { "turn-next", "turn-previous", "tool-next", "tool-previous" } },
  { "fold", { "fold-toggle", "fold-open", "fold-close", "fold-open-all", "fold-close-all" } },
  { "open", { "open-path", "details", "usage" } },
  { "leave", { "cancel-turn", "cancel-or-leave", "close", "keys" } },
}
local OTHER = #GROUPS + 1 -- without a <Plug> name

-- Keys that are left to the user or a completion plugin where these have mapped them before us.
---@type [string, "n"|"i", string][]  key, mode, <Plug> name
local LEFT_TO_OTHERS = {
  { "<Tab>", "i", "<Plug>(acp-take-first)" },
  { "<S-Tab>", "i", "<Plug>(acp-next-mode)" },
  { "<S-Tab>", "n", "<Plug>(acp-next-mode)" },
}
local MODES = { n = "normal", i = "insert" }

---@class acp.OwnKey
---@field mode "n"|"i"
---@field lhs string
---@field desc string

local own_keys = {} ---@type table<integer, acp.OwnKey[]>  by buffer: as the plugin has mapped them

---@class acp.HelpKey
---@field group integer  in GROUPS
---@field place integer  within the group
---@field n string[]     its keys in normal mode
---@field i string[]     its keys in insert mode

---@param plug? string  such as "<Plug>(acp-send)"
---@return integer group
---@return integer place
local function purpose_of(plug)
  local name = plug and plug:match("^<Plug>%(acp%-(.+)%)$")
  for group, entry in ipairs(GROUPS) do
    for place, known in ipairs(entry[2]) do
      if known == name then
        return group, place
      end
    end
  end
  return OTHER, 0
end

--- Whether a map of a buffer is the plugin's own, or one of the user's that leads to it.
---@param map table
---@return boolean
local function is_own(map)
  if map.callback then
    local source = debug.getinfo(map.callback, "S").source
    return source:find("/ftplugin/acp_%a+%.lua$") ~= nil or source:find("/lua/acp_nvim/", 1, true) ~= nil
  end
  return vim.startswith(map.rhs or "", "<Plug>(acp-")
end

---@param mode "n"|"i"
---@return acp.OwnKey[]
local function mapped_keys(mode)
  local keys = {}
  for _, map in ipairs(api.nvim_buf_get_keymap(0, mode)) do
    if map.desc and is_own(map) and not vim.startswith(map.lhs, "<Plug>") then
      keys[#keys + 1] = { mode = mode, lhs = map.lhs, desc = map.desc }
    end
  end
  return keys
end

--- Remembers the keys of the current buffer as they have just been mapped: others may take them.
function M.remember()
  local buf = api.nvim_get_current_buf()
  if not own_keys[buf] then
    api.nvim_create_autocmd("BufWipeout", {
      buffer = buf,
      callback = function()
        own_keys[buf] = nil
      end,
    })
  end
  own_keys[buf] = vim.list_extend(mapped_keys("n"), mapped_keys("i"))
end

--- The map of somebody else that has one of our keys.
---@param key acp.OwnKey
---@return table? map  as maparg() has it
---@return boolean is_gone  nobody has the key any more
local function foreign_map(key)
  local map = taken_key.map_of(api.nvim_replace_termcodes(key.lhs, true, true, true), key.mode)
  if not map then
    return nil, true
  end
  return not is_own(map) and map or nil, false
end

--- The keys of a mode: ours as they are or were mapped, the user's own ways to them, and those that we leave to others.
---@param mode "n"|"i"
---@param plugs table<string, string>  what <Plug> names do
---@return acp.OwnKey[]
local function keys_of(mode, plugs)
  local keys, seen = {}, {} ---@type acp.OwnKey[], table<string, true>
  local function add(key)
    if key.mode == mode and not seen[key.lhs] then
      seen[key.lhs] = true
      keys[#keys + 1] = key
    end
  end
  vim.iter(mapped_keys(mode)):each(add)
  vim.iter(own_keys[api.nvim_get_current_buf()] or {}):each(add)
  for _, each in ipairs(vim.g.no_plugin_maps and {} or LEFT_TO_OTHERS) do
    if plugs[each[3]] then
      add({ lhs = each[1], mode = each[2], desc = plugs[each[3]] })
    end
  end
  return keys
end

---@param mode "n"|"i"
---@param found table<string, acp.HelpKey>  by what it does
---@param notes string[]  the keys that somebody else has
local function collect_keys(mode, found, notes)
  local plugs = {} ---@type table<string, string>
  for _, map in ipairs(api.nvim_buf_get_keymap(0, mode)) do
    if vim.startswith(map.lhs, "<Plug>(acp-") and map.desc then
      plugs[map.lhs] = map.desc
      local entry = found[map.desc] or { n = {}, i = {} }
      found[map.desc] = entry
      if not map.lhs:find("answer-[2-9]") then
        entry.group, entry.place = purpose_of(map.lhs)
      end
    end
  end
  for _, key in ipairs(keys_of(mode, plugs)) do
    local is_one_of_nine = key.lhs:find("^[g<]?M?%-?[2-9]>?$") -- 2, g2, <M-2>: see NINE
    local foreign, is_gone = foreign_map(key)
    if not is_one_of_nine and not is_gone then
      local group = (key.desc:find("^answer") or key.desc:find("question")) and 1 or OTHER -- some have no <Plug> name
      local entry = found[key.desc] or { group = group, place = 1, n = {}, i = {} }
      found[key.desc] = entry
      local lhs = key.lhs:gsub("<C%-%u>", string.lower):gsub("^<c", "<C")
      table.insert(entry[mode], (NINE[lhs] or lhs) .. (foreign and "*" or ""))
      if foreign then
        local who = taken_key.describe(foreign) or "mapped by another plugin"
        notes[#notes + 1] = ("* %s in %s mode is %s"):format(lhs, MODES[mode], who)
      end
    end
  end
end

---@class acp.HelpRow
---@field heading string
---@field n string
---@field i string
---@field does string

---@param text string
---@param width integer
---@return string
local function padded(text, width)
  return text .. (" "):rep(width - api.nvim_strwidth(text))
end

--- Writes the rows with their columns below each other.
---@param rows acp.HelpRow[]
---@return string[]
local function lines_of(rows)
  local widths = { n = 0, i = 0 }
  for _, row in ipairs(rows) do
    widths.n = math.max(widths.n, api.nvim_strwidth(row.n))
    widths.i = math.max(widths.i, api.nvim_strwidth(row.i))
  end
  return vim.tbl_map(function(row)
    local cells = { padded(row.heading, GROUP_WIDTH), padded(row.n, widths.n) }
    cells[#cells + 1] = widths.i > 0 and padded(row.i, widths.i) or nil
    return (" %s  %s "):format(table.concat(cells, "  "), row.does)
  end, rows)
end

--- The keys that have one, by purpose.
---@return { desc: string, entry: acp.HelpKey }[]
---@return string[] notes
local function sorted_keys()
  local found, list, notes = {}, {}, {} ---@type table<string, acp.HelpKey>
  collect_keys("n", found, notes)
  collect_keys("i", found, notes)
  for desc, entry in pairs(found) do
    if #entry.n + #entry.i > 0 then
      list[#list + 1] = { desc = desc, entry = entry }
    end
  end
  table.sort(list, function(one, other)
    local a, b = one.entry, other.entry
    if a.group ~= b.group then
      return a.group < b.group
    elseif a.place ~= b.place then
      return a.place < b.place
    end
    return one.desc < other.desc
  end)
  return list, notes
end

--- Gives the float as many rows as it needs in the middle of the screen: beside the cursor there is too little room.
---@param win integer
local function centre(win)
  local width, rows = api.nvim_win_get_width(win), api.nvim_win_text_height(win, {}).all
  local height = math.max(1, math.min(rows, vim.o.lines - 4))
  api.nvim_win_set_config(win, {
    relative = "editor",
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    footer = rows > height and " j: more " or "",
  })
end

---@return acp.HelpRow[]
---@return string[] notes
local function rows_of_keys()
  local rows, last, has_insert = {}, nil, false ---@type acp.HelpRow[], integer?, boolean
  local keys, notes = sorted_keys()
  for _, key in ipairs(keys) do
    local group = key.entry.group
    local heading = group ~= last and (GROUPS[group] or { "other" })[1] or ""
    table.sort(key.entry.n)
    table.sort(key.entry.i)
    local typing = table.concat(key.entry.i, " ")
    rows[#rows + 1] = { heading = heading, n = table.concat(key.entry.n, " "), i = typing, does = key.desc }
    last, has_insert = group, has_insert or typing ~= ""
  end
  if has_insert then
    table.insert(rows, 1, vim.tbl_extend("error", { heading = "" }, HEADER))
  end
  return rows, notes
end

--- Shows the plugin's keys in the current buffer.
function M.show()
  local rows, notes = rows_of_keys()
  local lines = lines_of(rows)
  for index, note in ipairs(notes) do
    lines[#lines + 1] = index == 1 and "" or nil
    lines[#lines + 1] = " " .. note
  end
  local win = panes.float(lines, "acp_help", "keys")
  centre(win)
  local function paint(row, first, last, group)
    api.nvim_buf_set_extmark(api.nvim_win_get_buf(win), NAMESPACE, row - 1, first, { end_col = last, hl_group = group })
  end
  for row, cells in ipairs(rows) do
    paint(row, 1, 1 + #cells.heading, "AcpFloatTitle")
  end
  if rows[1] and rows[1].does == HEADER.does then
    paint(1, 0, #lines[1], "AcpNote")
  end
  for row = #rows + 1, #lines do
    paint(row, 0, #lines[row], "AcpNote")
  end
end

return M
