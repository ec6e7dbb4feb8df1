-- Converts a text to its body: its lines as a buffer has them, joined, without the end of the last one. The sides of a
-- proposal are kept as bodies, and whether the last line has its end is kept beside them.
--
--    "a\nb\n"   body "a\nb", final          "a\nb"   body "a\nb", not final          ""   body "", final
local diff = require("acp_nvim.documents.diff")
local merge = require("acp_nvim.documents.merge")

local M = {}

--- A text without its last line end, and whether it has one.
---@param text string
---@return string body
---@return boolean final
function M.split(text)
  if text == "" then
    return "", true
  elseif text:sub(-1) == "\n" then
    return text:sub(1, -2), true
  end
  return text, false
end

---@param body string
---@param final boolean
---@return string text
function M.join(body, final)
  return body == "" and "" or final and body .. "\n" or body
end

--- The lines of a body. An empty one has none, as a file that is not there.
---@param body? string
---@return string[]
function M.lines(body)
  return (body or "") == "" and {} or vim.split(body --[[@as string]], "\n", { plain = true })
end

---@param lines string[]
---@return string body
function M.body(lines)
  return table.concat(lines, "\n")
end

---@param buf integer
---@return string body
function M.of_buffer(buf)
  return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
end

---@param body string
---@return string[]  as a buffer has them
local function rows(body)
  return vim.split(body, "\n", { plain = true })
end

--- The changes that make one body of the other.
---@param old string
---@param new string
---@return acp.Edit[]
function M.edits(old, new)
  return old == new and {} or diff.edits(rows(old), rows(new))
end

--- `ours` with what `theirs` has made of `base`. Where both have changed the same lines, ours stays.
---
---    base     a b c d
---    ours     a B c d
---    theirs   x a b c D      the merge is x a B c D
---@param base string
---@param ours string
---@param theirs string
---@return string body
---@return boolean overlaps
function M.merge(base, ours, theirs)
  if base == theirs or ours == theirs then
    return ours, false
  elseif base == ours then
    return theirs, false
  end
  local lines, others = merge.lines(rows(base), rows(ours), rows(theirs))
  return table.concat(lines, "\n"), others ~= nil
end

return M
