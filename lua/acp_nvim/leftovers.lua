-- What a saved session makes of our buffers: empty ones with their names, in windows of their own. They go.
local api = vim.api
local M = {}

local is_due = false

---@param buf integer
---@return boolean
local function is_leftover(buf)
  return vim.b[buf].acp_session == nil and vim.fn.bufname(buf):find("^acp://%w") ~= nil
end

---@param win integer
local function close(win)
  if #api.nvim_list_tabpages() == 1 and #api.nvim_tabpage_list_wins(0) == 1 then
    -- the last one shows something else once its buffer has gone
    return api.nvim_set_option_value("winfixbuf", false, { win = win, scope = "local" })
  end
  api.nvim_win_close(win, true)
end

local function clear()
  is_due = false
  for _, buf in ipairs(vim.tbl_filter(is_leftover, api.nvim_list_bufs())) do
    vim.tbl_map(close, vim.fn.win_findbuf(buf))
    if api.nvim_buf_is_valid(buf) then -- with 'sessionoptions' "localoptions" it may go with its window
      api.nvim_buf_delete(buf, { force = true })
    end
  end
end

--- Once the session file has been read to its end.
function M.clear_soon()
  if not is_due then
    is_due = true
    vim.schedule(clear)
  end
end

return M
