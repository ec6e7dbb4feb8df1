-- Reads and edits the text of a prompt's buffer.
local api = vim.api
local M = {}

--- The text, without blank lines at its end.
---@param buf integer
---@return string
function M.get(buf)
  return (
    table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), "\n"):gsub("%s*\n?%s*$", function(blank)
      return blank:match("^[^\n]*") -- blanks of the last line are the user's, blank lines behind it are not
    end)
  )
end

--- Replaces the text, as an undo step of its own.
---@param buf integer
---@param text string
function M.set(buf, text)
  local lines = vim.split(text, "\n", { plain = true })
  vim.bo[buf].undolevels = vim.bo[buf].undolevels -- ends the step of what has been typed
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
end

--- Writes `text` at the end, behind a blank; a cursor that stands there stays at the end, no other moves.
---@param buf integer
---@param text string
function M.append(buf, text)
  local row = api.nvim_buf_line_count(buf) - 1
  local line = api.nvim_buf_get_lines(buf, row, row + 1, true)[1]
  local gap = line:find("%S$") and " " or ""
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
  api.nvim_buf_set_text(buf, row, #line, row, #line, { gap .. text .. " " })
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local at = api.nvim_win_get_cursor(win)
    if at[1] == row + 1 and at[2] >= #line - 1 then
      api.nvim_win_set_cursor(win, { row + 1, vim.v.maxcol })
    end
  end
end

--- Puts another text in the place of the first `old` of each line; without one that goes, and the blank behind it.
---@param buf integer
---@param old string
---@param new? string
function M.replace(buf, old, new)
  for row, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, true)) do
    local from, to = line:find(old, 1, true)
    if from and not new and line:sub(to + 1, to + 1) == " " then
      to = to + 1
    end
    if from then
      api.nvim_buf_set_text(buf, row - 1, from - 1, row - 1, to, { new or "" })
    end
  end
end

return M
