-- Says what a buffer shows that can be commented: a file, or a side of a proposal. It is loaded with the first file of
-- a project that has comments, and so it loads no proposals: these say themselves which buffers are theirs.
local find = require("acp_nvim.documents.find")

local api = vim.api
local M = {}

---@class acp.Commentable
---@field path string        resolved
---@field side acp.CommentSide  of a comment on its lines
---@field question? integer  the proposal of which it is a side

---@type fun(buf: integer): { path: string, question: integer, is_proposed: boolean }?
local side_of = function() end

---@param provided fun(buf: integer): { path: string, question: integer, is_proposed: boolean }?
function M.provide_sides(provided)
  side_of = provided
end

--- Returns what a buffer shows. The left side of a proposal is the file as it is now, whether it is loaded or not.
---@param buf integer
---@return acp.Commentable?  nil: neither a file nor a side of a proposal
function M.of(buf)
  local shown = side_of(buf)
  if shown then
    local is_plan = vim.startswith(shown.path, "acp://")
    return {
      path = is_plan and shown.path or find.resolve(shown.path),
      side = shown.is_proposed and "proposed" or "live",
      question = shown.question,
    }
  elseif vim.b[buf].acp_question and vim.bo[buf].buftype == "acwrite" and vim.bo[buf].filetype ~= "acp_form" then
    return { path = api.nvim_buf_get_name(buf), side = "proposed", question = vim.b[buf].acp_question }
  elseif find.is_file(buf) then
    return { path = find.resolve(api.nvim_buf_get_name(buf)), side = "live" }
  end
end

--- Whether the comment stands on lines of what is shown.
---@param shown acp.Commentable
---@param comment acp.Comment
---@return boolean
function M.holds(shown, comment)
  if shown.path ~= comment.path or (shown.side == "proposed") ~= (comment.side == "proposed") then
    return false
  end
  return shown.side ~= "proposed" or shown.question == comment.question
end

return M
