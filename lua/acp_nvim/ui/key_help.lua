-- Lists the mappings of a buffer in a float, grouped by what they are for:
--
--   answer  gd          show the diff
--           g1…g9       answer the question
--   move    ]]          next turn
local panes = require("acp_nvim.ui.panes")

local api = vim.api
local M = {}

local KEYS_WIDTH = 13
local GROUP_WIDTH = 6
local NAMESPACE = api.nvim_create_namespace("acp_nvim.key_help")

-- Nine keys that do the same, by number, take one line.
local NINE = { ["1"] = "1…9", g1 = "g1…g9", ["<M-1>"] = "<M-1>…<M-9>" }

-- Each <Plug> name of ftplugin/ without `acp-`, by its purpose, in the order of the list.
---@type [string, string[]][]
local GROUPS = {
  { "answer", { "answer-1", "diff", "keep-turn", "undo-turn" } },
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

---@param desc string
---@param entry acp.HelpKey
---@param heading string
---@return string
local function line_of(desc, entry, heading)
  table.sort(entry.n)
  table.sort(entry.i)
  local names, typing = table.concat(entry.n, " "), table.concat(entry.i, " ")
  if names == "" then
    names, desc = typing, desc .. " (insert mode)"
  elseif typing ~= "" then
    desc = ("%s (in insert mode, too%s)"):format(desc, typing ~= names and ": " .. typing or "")
  end
  local gap = (" "):rep(KEYS_WIDTH - api.nvim_strwidth(names))
  return (" %-" .. GROUP_WIDTH .. "s  %s%s  %s "):format(heading, names, gap, desc)
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

--- Shows the mappings of the current buffer.
function M.show()
  local lines, headings, last = {}, {}, nil
  for row, key in ipairs(sorted_keys()) do
    local group = key.entry.group
    local heading = group ~= last and (GROUPS[group] or { "other" })[1] or ""
    lines[row], headings[row], last = line_of(key.desc, key.entry, heading), heading, group
  end
  local win = panes.float(lines, "acp_help", "keys")
  centre(win)
  for row, heading in ipairs(headings) do
    local mark = { end_col = 1 + #heading, hl_group = "AcpFloatTitle" }
    api.nvim_buf_set_extmark(api.nvim_win_get_buf(win), NAMESPACE, row - 1, 1, mark)
  end
end

return M
