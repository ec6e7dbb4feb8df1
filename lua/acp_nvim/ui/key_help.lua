-- Lists the mappings of a buffer in a float, grouped by what they are for. Where none works in insert mode the column for
-- that mode is left out.
--
--           normal          insert   does
--   answer  <M-1…9> g1…g9   <M-1…9>  answer the question
--           <M-d> gd        <M-d>    show the diff
--   leave   g?                       this help
local panes = require("acp_nvim.ui.panes")

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
  { "answer", { "answer-1", "refuse-file", "diff", "keep-turn", "undo-turn" } },
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
local OTHER = #GROUPS + 1 -- the user's own

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

---@param mode "n"|"i"
---@param found table<string, acp.HelpKey>  by what it does
local function collect_keys(mode, found)
  for _, map in ipairs(api.nvim_buf_get_keymap(0, mode)) do
    local is_plug = map.lhs:find("^<Plug>") ~= nil
    local is_one_of_nine = map.lhs:find("[gM]?%-?[2-9][>)]?$") -- 2, g2, <M-2>, <Plug>(acp-answer-2): see NINE
    if map.desc and not is_one_of_nine then
      local group = (map.desc:find("^answer") or map.desc:find("question")) and 1 or OTHER -- some of those have no <Plug> name
      local entry = found[map.desc] or { group = group, place = 1, n = {}, i = {} }
      found[map.desc] = entry
      if is_plug then
        entry.group, entry.place = purpose_of(map.lhs)
      else
        local key = map.lhs:gsub("<C%-%u>", string.lower):gsub("^<c", "<C")
        table.insert(entry[mode], NINE[key] or key)
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
local function sorted_keys()
  local found, list = {}, {} ---@type table<string, acp.HelpKey>
  collect_keys("n", found)
  collect_keys("i", found)
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
  return list
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
local function rows_of_keys()
  local rows, last, has_insert = {}, nil, false ---@type acp.HelpRow[], integer?, boolean
  for _, key in ipairs(sorted_keys()) do
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
  return rows
end

--- Shows the mappings of the current buffer.
function M.show()
  local rows = rows_of_keys()
  local lines = lines_of(rows)
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
end

return M
