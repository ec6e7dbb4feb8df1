-- Reads which branch is checked out in a folder, from the files of git alone.
local M = {}

---@param file string
---@return string?
local function first_line(file)
  local opened = io.open(file, "r")
  local line = opened and opened:read(400)
  if opened then
    opened:close()
  end
  return line and line:match("^[^\n]*")
end

--- The git branch that is checked out there, or the beginning of the commit.
---@param path string
---@return string?
function M.of(path)
  local git = vim.fs.find(".git", { path = path, upward = true })[1]
  if git and vim.fn.isdirectory(git) == 0 then -- of a worktree, or of a submodule
    local named = (first_line(git) or ""):match("^gitdir: (.+)$")
    git = named and (named:find("^/") and named or vim.fs.dirname(git) .. "/" .. named)
  end
  local head = git and first_line(git .. "/HEAD")
  return head and (head:match("^ref: refs/heads/(.+)$") or head:match("^%x%x%x%x%x%x%x%x"))
end

return M
