-- Paints lines of a chat for one redraw: nothing of it is kept in the buffer.
local api = vim.api
local M = {}

local NAMESPACE = api.nvim_create_namespace("acp_nvim.markdown")
local UNDER = 90 -- the ground on which everything else is painted
local BESIDE = 110

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

--- Hides bytes first..last - 1 of a line, where the cursor is elsewhere.
---@param buf integer
---@param row integer
---@param first integer
---@param last integer
function M.hide(buf, row, first, last)
  api.nvim_buf_set_extmark(buf, NAMESPACE, row, first, {
    end_col = last,
    conceal = "",
    ephemeral = true,
    strict = false,
  })
end

--- Draws the beginning of a line before its wrapped rows, too: its ground or its edge goes on there.
---@param buf integer
---@param row integer
---@param beginning string
---@param hl string
function M.beginning(buf, row, beginning, hl)
  api.nvim_buf_set_extmark(buf, NAMESPACE, row, 0, {
    virt_text = { { beginning, hl } },
    virt_text_win_col = 0,
    virt_text_repeat_linebreak = true,
    hl_mode = "combine",
    ephemeral = true,
    strict = false,
  })
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

return M
