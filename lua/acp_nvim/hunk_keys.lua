-- Keys in buffers with pending changes: there with the first, gone with the last, and only where nothing else is mapped.
local review = require("acp_nvim.review")
local scratch = require("acp_nvim.scratch")

local api = vim.api
local M = {}

---@type { mode: string, lhs: string, plug: string, desc: string }[]
local KEYS = {
  { mode = "n", lhs = "]h", plug = "acp-next-hunk", desc = "next change of an agent" },
  { mode = "n", lhs = "[h", plug = "acp-previous-hunk", desc = "previous change of an agent" },
  { mode = "n", lhs = "<localleader>k", plug = "acp-keep-hunk", desc = "keep the change" },
  { mode = "n", lhs = "<localleader>u", plug = "acp-undo-hunk", desc = "undo the change" },
  { mode = "x", lhs = "<localleader>k", plug = "acp-keep-hunk", desc = "keep the changes" },
  { mode = "x", lhs = "<localleader>u", plug = "acp-undo-hunk", desc = "undo the changes" },
}

local mapped = {} ---@type table<integer, true> buffers that have their keys

---@param lhs string
---@param mode string
---@param plug string
---@return boolean
local function is_taken(lhs, mode, plug)
  local rhs = vim.fn.maparg(lhs, mode)
  return rhs ~= plug and (rhs ~= "" or vim.fn.mapcheck(lhs, mode) ~= "")
end

---@param buf integer
local function map(buf)
  api.nvim_buf_call(buf, function()
    for _, key in ipairs(KEYS) do
      local to = ("<Plug>(%s)"):format(key.plug)
      if not is_taken(key.lhs, key.mode, to) then
        vim.keymap.set(key.mode, key.lhs, to, { buffer = buf, remap = true, desc = key.desc })
      end
    end
  end)
  mapped[buf] = true
end

--- Whatever has been heard of the buffer: one that was read anew may have kept its keys.
---@param buf integer
local function unmap(buf)
  for _, key in ipairs(api.nvim_buf_is_valid(buf) and KEYS or {}) do
    local ours = ("<Plug>(%s)"):format(key.plug)
    local now = api.nvim_buf_call(buf, function()
      return vim.fn.maparg(key.lhs, key.mode, false, true)
    end)
    if now.buffer == 1 and now.rhs == ours and now.desc == key.desc then
      vim.keymap.del(key.mode, key.lhs, { buffer = buf })
    end
  end
  mapped[buf] = nil
end

review.listen(function(buf, has_pending)
  if not has_pending then
    unmap(buf)
  elseif not mapped[buf] and require("acp_nvim.config").get().review.maps then
    map(buf)
  end
end, function(buf)
  mapped[buf] = nil
end)

--- To the next (previous) pending change of this buffer, `v:count1` times.
---@param step 1|-1
function M.jump(step)
  local buf, row = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1
  local rows = review.rows(buf)
  local target
  for _ = 1, vim.v.count1 do
    for i = step > 0 and 1 or #rows, step > 0 and #rows or 1, step do
      if (rows[i] - row) * step > 0 then
        target, row = rows[i], rows[i]
        break
      end
    end
  end
  if not target then
    return scratch.message("info", step > 0 and "no change below" or "no change above")
  end
  vim.cmd("normal! m'")
  api.nvim_win_set_cursor(0, { target + 1, 0 })
  vim.cmd("normal! zv")
end

return M
