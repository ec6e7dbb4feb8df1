-- Makes what the backend is told of comments; it writes the message to the agent.
local find = require("acp_nvim.documents.find")
local limits = require("acp_nvim.limits")
local review = require("acp_nvim.review")

local M = {}

--- The first lines, and how many more there are.
---@param lines string[]
---@return string[]
---@return integer more
local function bounded(lines)
  local most = limits.COMMENT_LINES_SENT
  return vim.list_slice(lines, 1, most), math.max(0, #lines - most)
end

---@param comment acp.Comment
---@param hunk table  of `review.changes()`
---@return boolean
local function is_about(comment, hunk)
  if hunk.state ~= "pending" then
    return false
  elseif comment.side == "old" then
    return math.max(hunk.first, 1) == comment.at and vim.list_contains(hunk.old, comment.lines[1])
  end
  return comment.side == "live" and hunk.first <= comment.last and hunk.last >= comment.first
end

--- The pending change in whose lines a comment stands.
---@param comment acp.Comment
---@param changes table[]  of `review.changes()`
---@return acp.message.CommentedHunk?
local function hunk_of(comment, changes)
  for _, file in ipairs(comment.moved and {} or changes) do
    for _, hunk in ipairs(find.resolve(file.path) == comment.path and file.hunks or {}) do
      if is_about(comment, hunk) then
        local old, more_old = bounded(hunk.old)
        local new, more_new = bounded(hunk.new)
        return { old = old, new = new, more = more_old + more_new }
      end
    end
  end
end

--- The comments as the backend takes them.
---@param comments acp.Comment[]
---@return acp.message.Comment[]
function M.of(comments)
  local changes = #comments > 0 and review.changes() or {}
  return vim.tbl_map(function(comment)
    local lines, more = bounded(comment.lines)
    return {
      id = comment.id,
      path = comment.path,
      side = comment.side,
      first = comment.first,
      last = comment.last,
      lines = lines,
      more = more,
      text = comment.text,
      moved = comment.moved,
      hunk = hunk_of(comment, changes),
    }
  end, comments)
end

return M
