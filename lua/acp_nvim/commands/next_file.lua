-- Goes on to the next file with pending changes, once the user has decided the last one of a file there
-- (`review.next_file`). The files of the session come in the order of their paths, the first one after the last.
local config = require("acp_nvim.config.settings")
local file_window = require("acp_nvim.commands.file_window")
local review = require("acp_nvim.review")

local api = vim.api
local M = {}

---@param session integer
---@param path string  of the file that is decided
---@return acp.ChangedFile?
local function following(session, path)
  local first
  for _, file in ipairs(review.pending_files(session)) do
    if #file.hunks > 0 and file.path > path then
      return file
    end
    first = first or #file.hunks > 0 and file or nil
  end
  return first
end

--- Returns a function to be called once these changes of the current file are decided.
---@param hunks acp.Hunk[]
---@return fun()? after  nil: the cursor stays
function M.after(hunks)
  local buf, win = api.nvim_get_current_buf(), api.nvim_get_current_win()
  local path = (review.of_buffer(buf) or {}).given
  if not config.get().review.next_file or not path then
    return nil
  end
  return function()
    local is_here = api.nvim_get_current_win() == win
      and (api.nvim_get_current_buf() == buf or not api.nvim_buf_is_valid(buf))
    local is_done = not api.nvim_buf_is_valid(buf) or #review.rows(buf) == 0
    local file = is_here and is_done and following(hunks[#hunks].session, path)
    if file then
      file_window.open(file.path, file.hunks[1].first + 1, win)
    end
  end
end

return M
