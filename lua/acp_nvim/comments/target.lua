-- Says what a new comment is about: lines of a file, lines that a pending change has removed, or lines of a proposal.
local find = require("acp_nvim.documents.find")
local proposal = require("acp_nvim.proposal")
local regular_file = require("acp_nvim.system.regular_file")
local limits = require("acp_nvim.limits")
local review = require("acp_nvim.review")
local subject = require("acp_nvim.comments.subject")
local text = require("acp_nvim.documents.text")

local api, uv = vim.api, vim.uv
local M = {}

local NOT_HERE = "comments stand on lines of files and of proposals: this buffer is neither"

---@class acp.NewComment: acp.CommentedLines
---@field path string
---@field side acp.CommentSide
---@field first integer
---@field last integer
---@field at? integer
---@field question? integer

---@class acp.OldHunk  lines that a pending change has removed
---@field first integer  the first of them, in the text before the pending changes
---@field at integer     the line beside which they stood
---@field old string[]
---@field new string[]

--- Returns the pending changes of a file that have removed lines.
---@param path string  resolved
---@return acp.OldHunk[]
function M.old_hunks(path)
  local hunks, list, by = {}, {}, 0
  for _, file in ipairs(review.changes()) do
    if find.resolve(file.path) == path then
      vim.list_extend(hunks, file.hunks)
    end
  end
  table.sort(hunks, function(one, other)
    return one.first < other.first
  end)
  for _, hunk in ipairs(hunks) do
    if hunk.state == "pending" then
      if #hunk.old > 0 then
        list[#list + 1] = {
          first = hunk.first - by,
          at = math.max(hunk.first, 1),
          old = hunk.old,
          new = hunk.new,
          new_first = hunk.first,
        }
      end
      by = by + #hunk.new - #hunk.old
    end
  end
  return list
end

---@param path string
---@param hunk acp.OldHunk
---@param first integer
---@param last integer
---@return acp.NewComment
local function on_old(path, hunk, first, last)
  local from = first - hunk.first + 1
  local lines = vim.list_slice(hunk.old, from, from + last - first)
  return {
    path = path,
    side = "old",
    first = first,
    last = last,
    at = hunk.at,
    lines = lines,
    before = hunk.old[from - 1],
    after = hunk.old[from + #lines],
  }
end

--- The lines that the pending change at some lines of a buffer has removed.
---@param buf integer
---@param first integer
---@param last integer
---@return acp.NewComment?
---@return string? message
function M.removed_at(buf, first, last)
  local shown = subject.of(buf)
  if not shown or shown.side ~= "live" then
    return nil, "no pending change has removed lines here"
  end
  local hunks = M.old_hunks(shown.path)
  for _, each in ipairs(review.touching(buf, first - 1, last - 1)) do
    for _, hunk in ipairs(hunks) do
      if #each.old > 0 and math.max(each.first + 1, 1) == hunk.at and vim.deep_equal(each.old, hunk.old) then
        return on_old(shown.path, hunk, hunk.first, hunk.first + #hunk.old - 1)
      end
    end
  end
  return nil, "no pending change has removed lines here"
end

---@param shown acp.Commentable
---@param lines string[]
---@param first integer
---@param last integer
---@param name string  of the text
---@return acp.NewComment?
---@return string? message
local function in_text(shown, lines, first, last, name)
  if first < 1 or last < first or last > #lines then
    local has = #lines == 1 and "1 line" or ("%d lines"):format(#lines)
    local asked = first == last and ("line %d"):format(first) or ("lines %d to %d"):format(first, last)
    return nil, ("no comment on %s: %s has %s"):format(asked, name, has)
  elseif last - first >= limits.COMMENTED_LINES then
    return nil, ("no comment: %d lines are too many, at most %d"):format(last - first + 1, limits.COMMENTED_LINES)
  elseif #table.concat(lines, "\n", first, last) > limits.COMMENTED_BYTES then
    return nil, ("no comment: these lines have more than %d KiB"):format(limits.COMMENTED_BYTES / 1024)
  end
  return {
    path = shown.path,
    side = shown.side,
    question = shown.question,
    first = first,
    last = last,
    lines = vim.list_slice(lines, first, last),
    before = lines[first - 1],
    after = lines[last + 1],
  }
end

--- The lines of a buffer. In the windows of a proposal they are about that proposal.
---@param buf integer
---@param first integer
---@param last integer
---@return acp.NewComment?
---@return string? message
function M.in_buffer(buf, first, last)
  local shown = subject.of(buf)
  if not shown then
    return nil, NOT_HERE
  end
  if not shown.question and buf == api.nvim_get_current_buf() then
    shown.question = proposal.question_here()
  end
  return in_text(shown, api.nvim_buf_get_lines(buf, 0, -1, false), first, last, vim.fs.basename(shown.path))
end

---@param path string
---@return string[]? lines
---@return string? message
local function read(path)
  local name = vim.fs.basename(path)
  local fd, stat = regular_file.reading(path)
  if not fd then
    return nil, ("no comment on %s: %s"):format(name, uv.fs_stat(path) and tostring(stat) or "there is no such file")
  elseif stat.size > limits.REVIEWED_FILE_BYTES then
    uv.fs_close(fd)
    return nil, ("no comment on %s: it is too large"):format(name)
  end
  local data = uv.fs_read(fd, stat.size, 0) or ""
  uv.fs_close(fd)
  return text.rows(text.split(data).lines)
end

--- The resolved path that a script's path means.
---@param path string
---@return string
function M.resolve(path)
  return find.resolve(vim.fn.fnamemodify(path, ":p"))
end

--- The lines of the right side of an open proposal.
---@param path string
---@param first integer
---@param last integer
---@return acp.NewComment?
---@return string? message
function M.in_proposal(path, first, last)
  path = M.resolve(path)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local shown = api.nvim_buf_is_loaded(buf) and subject.of(buf)
    if shown and shown.side == "proposed" and shown.path == path then
      return M.in_buffer(buf, first, last)
    end
  end
  return nil, ("no diff of %s has been opened: :Acp diff opens it"):format(vim.fs.basename(path))
end

--- The lines of a file, whether it is loaded or not, or lines that a pending change of it has removed.
---@param path string
---@param first integer
---@param last integer
---@param side? acp.CommentSide
---@return acp.NewComment?
---@return string? message
function M.in_file(path, first, last, side)
  path = M.resolve(path)
  local name = vim.fs.basename(path)
  if side == "old" then
    for _, hunk in ipairs(M.old_hunks(path)) do
      if first >= hunk.first and last < hunk.first + #hunk.old and last >= first then
        return on_old(path, hunk, first, last)
      end
    end
    return nil, ("no pending change has removed line %d of %s"):format(first, name)
  end
  local buf = find.find(path)
  if buf then
    return M.in_buffer(buf, first, last)
  end
  local lines, message = read(path)
  if not lines then
    return nil, message
  end
  return in_text({ path = path, side = "live" }, lines, first, last, name)
end

return M
