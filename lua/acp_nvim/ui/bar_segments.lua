-- Fits the segments of a bar into its width: the least important ones are dropped first.
local limits = require("acp_nvim.limits")
local on_bar = require("acp_nvim.ui.highlight").on_bar
local printable = require("acp_nvim.ui.printable")

local api = vim.api
local M = { STEP = 10 } -- the rank of the plan's step

---@class acp.Segment
---@field text string
---@field hl? string
---@field rank integer   what is narrow gives up the highest first
---@field gap? string    what stands before it

--- Makes an agent's text safe for a bar: cut, and without hidden characters.
---@param text string
---@return string
function M.clean(text)
  return printable.beginning(text, limits.BAR_TEXT_CHARS)
end

---@param list acp.Segment[]
---@return integer
local function width_of(list)
  local width = 0
  for _, segment in ipairs(list) do
    width = width + api.nvim_strwidth(segment.gap .. segment.text)
  end
  return width
end

--- Drops the least important segments until the rest fits; the plan's step is cut rather than dropped, and so is the
--- longer one of the last two.
---
---   claude · 2/5 read the callers · 40 %      the ranks are 1, STEP and 20
---   claude · 2/5 read the callers             40 % is dropped, by its rank the first
---   claude · 2/5 read…                        the step is cut while 8 cells of it are left
---   claude                                    the last one stays, however narrow the window
---   accept ed… ⠋ running                      two that are left are cut while 8 cells of the longer one are left
---@param list acp.Segment[]
---@param width integer
function M.fit(list, width)
  while width_of(list) > width and #list > 1 do
    local least = 1
    for index, segment in ipairs(list) do
      if segment.rank > list[least].rank then
        least = index
      end
    end
    if #list == 2 then
      least = api.nvim_strwidth(list[1].text) > api.nvim_strwidth(list[2].text) and 1 or 2
    end
    local room = width - width_of(list) + api.nvim_strwidth(list[least].text)
    if (list[least].rank == M.STEP or #list == 2) and room >= 8 then
      list[least].text = printable.cut(list[least].text, room)
    else
      table.remove(list, least)
      list[1].gap = list[1].gap:sub(1, 1)
    end
  end
end

---@param list acp.Segment[]
---@return string
function M.render(list)
  local parts = { "%#AcpWinbar#" }
  for _, segment in ipairs(list) do
    parts[#parts + 1] = ("%%#AcpWinbar#%s%%#%s#%s"):format(
      segment.gap,
      on_bar(segment.hl),
      (segment.text:gsub("%%", "%%%%"))
    )
  end
  return table.concat(parts) .. "%#AcpWinbar#"
end

--- Returns the winbar of a buffer's windows. What is narrow keeps the first words, and the last ones.
---
---   Sessions   <CR> go to  l load  r resume  g? keys
---   Sessions   <CR> go to  g? keys
---@param buf integer
---@param words string[]
---@return string
function M.of_words(buf, words)
  vim.b[buf].acp_bar = words
  return "%{%v:lua.require'acp_nvim.ui.bar_segments'.words()%}"
end

--- Its text, for the window that is being drawn.
---@return string
function M.words()
  local list = {} ---@type acp.Segment[]
  local words = vim.b.acp_bar or {}
  for index, text in ipairs(words) do
    local gap = index == 1 and " " or index == 2 and "   " or "  "
    list[index] = { text = text, rank = index == #words and 2 or index + 1, gap = gap }
  end
  M.fit(list, api.nvim_win_get_width(0))
  return M.render(list)
end

return M
