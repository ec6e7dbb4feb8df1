-- Paints lines of a chat for one redraw: nothing of it is kept in the buffer.
local api = vim.api
local M = {}

local NAMESPACE = api.nvim_create_namespace("acp_nvim.markdown")
local UNDER = 90 -- the ground on which everything else is painted
local BESIDE = 110
local LEAST_TEXT = 20 -- cells: 'breakindentopt' leaves so much of a row to the text
local ICONS = 16 -- cells that icons within a line may take

M.NAMESPACE = NAMESPACE

--- Colours bytes first..last - 1 of a line. Of two colours for one byte the later `order` wins.
---@param buf integer
---@param row integer
---@param first integer
---@param last integer
---@param hl string
---@param order? integer
function M.span(buf, row, first, last, hl, order)
  local opts = { end_col = last, hl_group = hl, priority = BESIDE + (order or 0), ephemeral = true, strict = false }
  api.nvim_buf_set_extmark(buf, NAMESPACE, row, first, opts)
end

--- Gives a line a ground, up to the window's edge.
---@param buf integer
---@param row integer
---@param hl string
function M.line(buf, row, hl)
  local opts = { end_row = row + 1, hl_group = hl, hl_eol = true, priority = UNDER, ephemeral = true, strict = false }
  api.nvim_buf_set_extmark(buf, NAMESPACE, row, 0, opts)
end

--- Hides bytes first..last - 1 of a line where the cursor is elsewhere, or shows a sign in their place.
---@param buf integer
---@param row integer
---@param first integer
---@param last integer
---@param sign? string
---@param hl? string
function M.hide(buf, row, first, last, sign, hl)
  api.nvim_buf_set_extmark(buf, NAMESPACE, row, first, {
    end_col = last,
    conceal = sign or "",
    hl_group = sign and hl,
    ephemeral = true,
    strict = false,
  })
end

--- Shows text in the place of a row of the window, that in which byte `col` stands.
---@param buf integer
---@param row integer
---@param col integer
---@param chunks [string, string][]
function M.over(buf, row, col, chunks)
  api.nvim_buf_set_extmark(buf, NAMESPACE, row, col, {
    virt_text = chunks,
    virt_text_win_col = 0,
    ephemeral = true,
    strict = false,
  })
end

--- The beginning of a diff's line, before which no wrapped row begins.
---     "  │ 12 + code": "  │ ", "12", " + "        "  │ - code": "  │ ", "", "- "
---@param line string
---@return string? edge
---@return string number
---@return string sign
local function gutter(line)
  local edge, number, sign = line:match("^( +│ )( *%d+)( [-+ ] )")
  if edge then
    return edge, number, sign
  end
  edge, sign = line:match("^( +│ )([-+ ] )")
  return edge, "", sign
end

--- What Neovim indents the further rows of a line by, and the byte from whose row on that is to be drawn.
---     "  │ output": "  │ ", 0        "    code": "    ", 0        "- item": "  ", a byte of the second row
---@param view acp.Drawn
---@param row integer
---@param line string
---@return string?
---@return integer
local function indent(view, row, line)
  local edge = line:match("^ +│ ")
  local sign = not edge and (line:match("^ *[-*+>] ") or line:match("^ *%d+[.)] "))
  local option = not edge and line:match("^    %d+ ")
  if option and api.nvim_win_text_height(view.win, { start_row = row, end_row = row }).all > 1 then
    local second = vim.fn.byteidx(line, view.columns)
    return (" "):rep(#option), second > 0 and second or #line - 1 -- the signs of options take cells, too
  elseif not sign then
    return edge or line:match("^ +"), 0
  end
  local second = vim.fn.byteidx(line, view.columns)
  return second > 0 and (" "):rep(#sign) or nil, second
end

--- Draws the beginning of a line that wraps before its other rows, too: its edge goes on there, and its ground, which
--- Neovim does not draw where it indents.
---@param view acp.Drawn
---@param row integer
---@param line string
---@param hl string
function M.beginning(view, row, line, hl)
  if #line + ICONS <= view.columns then
    return
  end
  local beginning, col = indent(view, row, line)
  if not beginning then
    return
  end
  local edge, number, sign = gutter(line)
  local shown = edge and edge .. (" "):rep(#number + #sign) or beginning
  if vim.fn.strwidth(shown) + LEAST_TEXT > view.columns then
    return
  end
  local opts = { virt_text = { { shown, hl } }, virt_text_win_col = 0, hl_mode = "combine", priority = BESIDE }
  opts.virt_text_repeat_linebreak, opts.ephemeral, opts.strict = true, true, false
  api.nvim_buf_set_extmark(view.buf, NAMESPACE, row, col, opts)
  if edge then -- the first row has its number
    opts.virt_text = { { edge, hl }, { number, { hl, "AcpNote" } }, { sign, hl } }
    opts.virt_text_repeat_linebreak, opts.priority = false, BESIDE + 1
    api.nvim_buf_set_extmark(view.buf, NAMESPACE, row, col, opts)
  end
end

--- Draws a sign before the further rows of a line that wraps: the bar beside a quotation goes on there.
---@param view acp.Drawn
---@param row integer
---@param line string
---@param sign string
---@param hl string
function M.further_rows(view, row, line, sign, hl)
  local second = #line > view.columns and vim.fn.byteidx(line, view.columns) or 0
  if second > 0 then
    api.nvim_buf_set_extmark(view.buf, NAMESPACE, row, second, {
      virt_text = { { sign, hl } },
      virt_text_win_col = 0,
      virt_text_repeat_linebreak = true,
      ephemeral = true,
      strict = false,
    })
  end
end

--- Puts text at the right edge of a line's first row.
---@param buf integer
---@param row integer
---@param chunks [string, string][]
function M.right(buf, row, chunks)
  api.nvim_buf_set_extmark(buf, NAMESPACE, row, 0, {
    virt_text = chunks,
    virt_text_pos = "right_align",
    hl_mode = "combine",
    ephemeral = true,
    strict = false,
  })
end

--- Shows text behind the end of a line.
---@param buf integer
---@param row integer
---@param chunks [string, string][]
function M.behind(buf, row, chunks)
  local opts = { virt_text = chunks, hl_mode = "combine", ephemeral = true, strict = false }
  api.nvim_buf_set_extmark(buf, NAMESPACE, row, 0, opts)
end

return M
