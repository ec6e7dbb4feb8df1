-- Keeps the other end of a visual selection in place, and its kind. Neovim 0.10 leaves the end on its line number when
-- lines are inserted or deleted above it.
local api = vim.api
local M = {}

local KINDS = { v = "v", V = "V", ["\22"] = "\22", s = "v", S = "V", ["\19"] = "\22" }

---@param buf integer
---@return boolean
local function is_selecting(buf)
  local mode = api.nvim_get_mode().mode
  return buf == api.nvim_get_current_buf() and mode:find("^[vV\22sS\19]") ~= nil
end

--- Returns the other end of a selection in the buffer.
---@param buf integer
---@return integer[]? position  { row from 1, column from 0 }
local function get(buf)
  if is_selecting(buf) then
    local _, row, col = unpack(vim.fn.getpos("v"))
    return { row, col - 1 }
  end
end

--- Returns the key between Select mode and Visual mode; in the latter: none.
---@param mode string
---@return string
local function toggle_of(mode)
  return mode:find("^[sS\19]") and "\7" or ""
end

--- Moves the anchor. Only `o` reaches it, which swaps it with the cursor, so there and back. In Select mode `o` would
--- be typed.
---@param position integer[]
local function set(position)
  local view = vim.fn.winsaveview()
  local toggle = toggle_of(api.nvim_get_mode().mode)
  vim.cmd("noautocmd keepjumps normal! " .. toggle .. "o")
  api.nvim_win_set_cursor(0, position)
  vim.cmd("noautocmd keepjumps normal! o" .. toggle)
  vim.fn.winrestview(view)
end

--- Puts the anchor at the position, unless Neovim has done so.
---@param buf integer
---@param position integer[]
local function put(buf, position)
  local now = get(buf)
  if now and not vim.deep_equal(now, position) then
    set({ math.min(position[1], api.nvim_buf_line_count(buf)), position[2] })
  end
end

--- Remembers the selection, in whatever buffer: another one, which a formatter makes, takes its kind and its other end.
---@return fun(moved: fun(buf: integer, position: integer[]): integer[])  puts it back, where it has moved to
function M.hold()
  local buf, mode = api.nvim_get_current_buf(), api.nvim_get_mode().mode
  local position = get(buf)
  return function(moved)
    if not position or not get(buf) then
      return
    end
    local now = api.nvim_get_mode().mode
    local kind = KINDS[mode:sub(1, 1)]
    local keys = toggle_of(now) .. (KINDS[now:sub(1, 1)] ~= kind and kind or "") .. toggle_of(mode)
    if now ~= mode then
      vim.cmd("noautocmd keepjumps normal! " .. keys)
    end
    put(buf, moved(buf, position))
  end
end

local ns = api.nvim_create_namespace("acp_nvim.visual_anchor")

--- Moves the anchor along with the text while `change` edits the buffer.
---@param buf integer
---@param change fun()
function M.keep(buf, change)
  local position = get(buf)
  if not position then
    return change()
  end
  local mark = api.nvim_buf_set_extmark(buf, ns, position[1] - 1, position[2], { strict = false })
  change()
  local at = api.nvim_buf_get_extmark_by_id(buf, ns, mark, {})
  api.nvim_buf_del_extmark(buf, ns, mark)
  put(buf, { at[1] + 1, at[2] })
end

return M
