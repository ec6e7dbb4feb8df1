-- Decides in one file after the other. A buffer that takes no edits now is tried again: the keys of the review are
-- operators, which run in the middle of a command, and that is over as soon as they return.
local M = {}

local AGAIN_MS = 50 -- after which a buffer that still takes no edits is tried again

---@param files acp.ReviewedFile[]
---@param decide fun(file: acp.ReviewedFile): acp.UndoAnswer
---@param done fun()
---@param pause? integer  ms
function M.run(files, decide, done, pause)
  for i, file in ipairs(files) do
    if decide(file).locked then
      vim.defer_fn(function()
        M.run(vim.list_slice(files, i), decide, done, AGAIN_MS)
      end, pause or 0)
      return
    end
  end
  done()
end

return M
