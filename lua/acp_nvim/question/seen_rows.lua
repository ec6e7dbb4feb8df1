-- Remembers which rows of a question have been on the screen in its current version, while the user was there to see.
--
-- Most questions are seen at once. One that is higher than its window is seen as it is scrolled, in the chat itself: a
-- float of its own would need keys, colours and a proof of its own that it has been scrolled to its end.
local visible_rows = require("acp_nvim.question.visible_rows")

local M = {}

---@class acp.OnScreen
---@field look string
---@field rows table<integer, true>  from 0, of `look` wrapped as the window wraps it

-- By question and window: what of it has been on the screen.
local seen = {} ---@type table<integer, table<integer, acp.OnScreen>>

--- Records the rows that are on the screen.
---@param question acp.Question
function M.record(question)
  local windows = seen[question.id] or {}
  seen[question.id] = windows
  for _, part in ipairs(visible_rows.visible_parts(question)) do
    local before = windows[part.win]
    local known = before and before.look == part.look and before or { look = part.look, rows = {} }
    windows[part.win] = known
    for row = part.from, part.to - 1 do
      known.rows[row] = true
    end
  end
end

--- Returns the first row that has not been on the screen in the current version.
---@param question acp.Question
---@param part acp.Part
---@return integer? row
function M.unseen(question, part)
  local known = (seen[question.id] or {})[part.win]
  for row = 0, part.total - 1 do
    if not known or known.look ~= part.look or not known.rows[row] then
      return row
    end
  end
end

--- Is the question on the screen, and has the user seen all of it? Of a question higher than its window each row must
--- have been on the screen, and some row must still be.
---@param question acp.Question
---@return boolean
function M.has_seen(question)
  return vim.iter(visible_rows.visible_parts(question)):any(function(part)
    return (visible_rows.is_whole(part) or part.total > part.room) and not M.unseen(question, part)
  end)
end

---@param id? integer  default: all
function M.forget(id)
  if id then
    seen[id] = nil
  else
    seen = {}
  end
end

return M
