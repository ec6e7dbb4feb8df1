-- Hides the lines that close code blocks of the agent: the ground of the block ends with its code. The text of the chat
-- stays as it came. Neovim has laid out a window before it asks what to draw there, so lines are hidden after the
-- redraw.
local chats = require("acp_nvim.chat.buffer")
local marks = require("acp_nvim.chat.marks")
local views = require("acp_nvim.chat.views")

local api = vim.api
local M = {}

M.CAN_HIDE = vim.fn.has("nvim-0.11") == 1 -- extmarks of earlier ones cannot hide a line

---@class acp.WantedFence
---@field chat acp.Chat
---@field buf integer
---@field id integer  of the block's extmark
---@field last integer  the line, from the block's mark on

local wanted = {} ---@type acp.WantedFence[]

---@param buf integer
---@param list acp.WantedFence[]
local function hide_all(buf, list)
  local chat = list[1].chat
  if chats.of_buffer(buf) ~= chat then
    return
  end
  local followers, readers = views.split(buf)
  for _, want in ipairs(list) do
    local start = marks.row(chat, want.id)
    if start then
      local row = start + want.last
      api.nvim_buf_set_extmark(buf, marks.TABLES, row, 0, { end_row = row, conceal_lines = "" })
    end
  end
  views.keep(buf, chat.asks == true, followers, readers)
  api.nvim__redraw({ buf = buf, valid = false, flush = false })
end

local function work()
  local by_buffer = {} ---@type table<integer, acp.WantedFence[]>
  for _, want in ipairs(wanted) do
    by_buffer[want.buf] = by_buffer[want.buf] or {}
    table.insert(by_buffer[want.buf], want)
  end
  wanted = {}
  for buf, list in pairs(by_buffer) do
    hide_all(buf, list)
  end
end

--- Hides the closing lines of the code blocks that have come whole since the last time.
---@param view acp.Drawn
---@param block acp.Block
function M.hide_new(view, block)
  local fences = block.mark.fences
  for place = M.CAN_HIDE and fences.hidden + 1 or math.huge, #fences.list do
    local last = fences.list[place].last
    if not last then
      return
    end
    fences.hidden = place
    wanted[#wanted + 1] = { chat = view.chat, buf = view.buf, id = block.id, last = last }
    if #wanted == 1 then
      vim.schedule(work)
    end
  end
end

return M
