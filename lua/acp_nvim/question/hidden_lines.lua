-- Finds what hides lines of a chat that its window seems to show: a closed fold, a line that does not wrap, a float in
-- which the user works.
--
-- A float that only shows something hides nothing: notifications, menus and the command lines of plugins stand over a
-- chat most of the day, and an answer that waits for them to go is an answer that is typed twice.
local api = vim.api
local M = {}

--- Is the user in a float that is drawn in front of the window? What runs there may take all of the screen.
---@param win integer
---@return boolean
local function is_behind_float(win)
  local current = api.nvim_get_current_win()
  local front, own = api.nvim_win_get_config(current), api.nvim_win_get_config(win)
  if front.relative == "" or vim.b[api.nvim_win_get_buf(current)].acp_session ~= nil then
    return false
  end
  return own.relative == "" or front.zindex >= own.zindex
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
  if is_folded(win, lines) then
    return "fold"
  elseif not vim.wo[win].wrap then
    return "edge" -- of the window, behind which its lines may go on
  elseif is_behind_float(win) then
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
