-- Finds what hides lines of a chat that its window seems to show: a closed fold, a line that does not wrap, a float or
-- a popup menu in front.
local answer_gate = require("acp_nvim.question.answer_gate")

local api = vim.api
local M = {}

---@class acp.Rectangle  cells of the screen, from 0; `bottom` and `right` lie outside
---@field top integer
---@field left integer
---@field bottom integer
---@field right integer

---@param border any  of nvim_win_get_config()
---@param side integer
---@return integer cells
local function thickness(border, side)
  local char = type(border) == "table" and border[side] or ""
  return (type(char) == "table" and char[1] or char) ~= "" and 1 or 0
end

---@param win integer
---@param config vim.api.keyset.win_config
---@return acp.Rectangle
local function area_of(win, config)
  local at = api.nvim_win_get_position(win)
  local border = config.border
  return {
    top = at[1],
    left = at[2],
    bottom = at[1] + api.nvim_win_get_height(win) + thickness(border, 2) + thickness(border, 6),
    right = at[2] + api.nvim_win_get_width(win) + thickness(border, 8) + thickness(border, 4),
  }
end

---@param list acp.Rectangle[]
local function add_popup_menu(list)
  local menu = vim.fn.pumvisible() == 1 and vim.fn.pum_getpos() or {}
  if menu.row then
    local width = menu.width + (menu.scrollbar and 1 or 0)
    list[#list + 1] = { top = menu.row, left = menu.col, bottom = menu.row + menu.height, right = menu.col + width }
  end
end

--- The areas that are drawn in front of the window: floats that are not below it, and the popup menu.
---@param win integer
---@return acp.Rectangle[]
local function in_front_of(win)
  local list = {} ---@type acp.Rectangle[]
  local own = api.nvim_win_get_config(win)
  local level = own.relative ~= "" and own.zindex or 0
  for _, other in ipairs(api.nvim_tabpage_list_wins(0)) do
    local config = api.nvim_win_get_config(other)
    local is_front = config.relative ~= "" and not config.hide and config.zindex >= level
    if other ~= win and is_front and not answer_gate.came_with_command(other) then
      list[#list + 1] = area_of(other, config)
    end
  end
  add_popup_menu(list)
  return list
end

--- The cells in which a line is drawn, from its first row on the screen to its last one in the window.
---@param win integer
---@param info vim.fn.getwininfo.ret.item
---@param line integer  from 1
---@return acp.Rectangle
local function area_of_line(win, info, line)
  local rows = api.nvim_win_text_height(win, { start_row = line - 1, end_row = line - 1 }).all
  local first = vim.fn.screenpos(win, line, 1).row - 1
  local top = math.max(first, info.winrow - 1)
  local left = info.wincol - 1
  local width = rows > 1 and info.width or info.textoff + vim.fn.virtcol({ line, "$" }, false, win)
  return { top = top, left = left, bottom = top + rows, right = left + math.min(width, info.width) }
end

---@param one acp.Rectangle
---@param other acp.Rectangle
---@return boolean
local function overlap(one, other)
  return one.top < other.bottom and other.top < one.bottom and one.left < other.right and other.left < one.right
end

---@param win integer
---@param info vim.fn.getwininfo.ret.item
---@param lines acp.QuestionLines
---@return boolean
local function is_covered(win, info, lines)
  local fronts = in_front_of(win)
  if #fronts == 0 then
    return false
  end
  for line = math.max(lines.first + 1, info.topline), math.min(lines.last + 1, info.botline) do
    local area = area_of_line(win, info, line)
    for _, front in ipairs(fronts) do
      if overlap(area, front) then
        return true
      end
    end
  end
  return false
end

---@param win integer
---@param lines acp.QuestionLines
---@return boolean
local function is_folded(win, lines)
  return vim.wo[win].foldenable
    and api.nvim_win_call(win, function()
      for line = lines.first + 1, lines.last + 1 do
        if vim.fn.foldclosed(line) ~= -1 then
          return true
        end
      end
      return false
    end)
end

--- Says what hides lines that the window shows. We may open a fold and wrap lines, but not close a float.
---@param win integer
---@param lines acp.QuestionLines
---@return "fold"|"edge"|"float"|nil
function M.what_hides(win, lines)
  local info = vim.fn.getwininfo(win)[1]
  if is_folded(win, lines) then
    return "fold"
  elseif not vim.wo[win].wrap then
    return "edge" -- of the window, behind which its lines may go on
  elseif is_covered(win, info, lines) then
    return "float"
  end
end

--- Opens the folds over the lines and lets them wrap.
---@param win integer
---@param lines acp.QuestionLines
function M.reveal(win, lines)
  api.nvim_win_call(win, function()
    if vim.wo[win].foldenable then
      vim.cmd(("silent! %d,%dfoldopen!"):format(lines.first + 1, lines.last + 1))
    end
    if not vim.wo[win].wrap then
      vim.wo[win][0].wrap = true
      vim.fn.winrestview({ leftcol = 0 })
    end
  end)
end

return M
