-- The line edits that make one list of lines out of another: few, and found in bounded time.
local diff = vim.text and vim.text.diff or vim.diff
local M = {}

-- More hunks than a person would ever decide on one by one are one hunk: Neovim compares 200,000 lines in 60 ms, and
-- then every one of 100,000 hunks would cost an extmark and a place in the undo memory.
M.MOST_HUNKS = 20000

---@class acp.LineEdit
---@field [1] integer   first row, from 0, in the text before all edits of the list
---@field [2] integer   behind the last row
---@field [3] string[]  the lines that take their place

---@param lines string[]
---@param first integer  from 1
---@param last integer
---@return string
local function joined(lines, first, last)
  local text = table.concat(lines, "\n", first, last)
  if select(2, text:gsub("\n", "")) > last - first then -- Neovim shows a NUL byte of a file as a newline
    local part = {}
    for i = first, last do
      part[#part + 1] = (lines[i]:gsub("\n", "\0"))
    end
    text = table.concat(part, "\n")
  end
  return text .. "\n"
end

--- The edits that make `new` of `old`: ascending, disjoint, none touching the next.
---@param old string[]
---@param new string[]
---@return acp.LineEdit[]
---@return boolean? is_capped  there were too many: one edit stands for all
function M.edits(old, new)
  local head, tail, most = 0, 0, math.min(#old, #new)
  while head < most and old[head + 1] == new[head + 1] do
    head = head + 1
  end
  while tail < most - head and old[#old - tail] == new[#new - tail] do
    tail = tail + 1
  end
  local last, new_last = #old - tail, #new - tail
  if head == last and head == new_last then
    return {}
  elseif head == last or head == new_last or (last - head == 1 and new_last - head == 1) then
    return { { head, last, vim.list_slice(new, head + 1, new_last) } }
  end
  local hunks = diff(joined(old, head + 1, last), joined(new, head + 1, new_last), { result_type = "indices" })
  ---@cast hunks integer[][]
  if #hunks > M.MOST_HUNKS then
    return { { head, last, vim.list_slice(new, head + 1, new_last) } }, true
  end
  local edits = {}
  for i, hunk in ipairs(hunks) do
    -- where one side has no line, xdiff names the line before
    local first = head + (hunk[2] == 0 and hunk[1] or hunk[1] - 1)
    local start = head + (hunk[4] == 0 and hunk[3] or hunk[3] - 1)
    edits[i] = { first, first + hunk[2], vim.list_slice(new, start + 1, start + hunk[4]) }
  end
  return edits
end

--- What `edits` make of `lines`, as a list of its own.
---@param lines string[]
---@param edits acp.LineEdit[]
---@return string[]
function M.apply(lines, edits)
  local result, done = {}, 0
  for _, edit in ipairs(edits) do
    vim.list_extend(result, lines, done + 1, edit[1])
    vim.list_extend(result, edit[3])
    done = edit[2]
  end
  return vim.list_extend(result, lines, done + 1, #lines)
end

--- An edit without the lines that it leaves as they are, in rows of the whole text.
---@param lines string[]  the whole text before
---@param edit acp.LineEdit
---@return acp.LineEdit[]
function M.refined(lines, edit)
  local first, last = edit[1], edit[2]
  local finer = M.edits(vim.list_slice(lines, first + 1, last), edit[3])
  for _, each in ipairs(finer) do
    each[1], each[2] = each[1] + first, each[2] + first
  end
  return finer
end

return M
