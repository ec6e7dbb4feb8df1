-- The files in review, and where their hunks are: of a loaded file their marks know, of the others the backend says so.
local hunks = require("acp_nvim.hunks")
local stream = require("acp_nvim.stream")

local api = vim.api
local M = {}

---@class acp.Hunk
---@field id integer
---@field session integer
---@field turn integer
---@field by "agent"|"unknown"
---@field state "pending"|"kept"|"undone"
---@field first integer   row from 0, as it was last told; `hunks.first` knows better
---@field n integer       lines in the text
---@field old string[]
---@field new? string[]   nil: they are in the buffer
---@field note? string    what has changed where the lines have not
---@field below? boolean  deleted behind the last line

---@class acp.Changed  a file
---@field path string     as it was named
---@field created? boolean
---@field deleted? boolean
---@field unknown table[] { session, turn, by }: changes of a text that nobody knows
---@field hunks table<integer, acp.Hunk>
---@field buf? integer    the loaded buffer that follows
---@field left? integer   of a deleted file: the loaded buffer that still has its text

M.files = {} ---@type table<string, acp.Changed> by resolved path

---@param file acp.Changed
---@return boolean
function M.has_pending(file)
  for _, hunk in pairs(file.hunks) do
    if hunk.state == "pending" then
      return true
    end
  end
  return false
end

---@param name string
---@return string? real
---@return acp.Changed?
function M.find(name)
  local real = name ~= "" and next(M.files) and require("acp_nvim.files").resolve(name)
  return real or nil, real and M.files[real] or nil
end

--- The file of a buffer, if it is in review.
---@param buf integer
---@return acp.Changed?
function M.of_buffer(buf)
  local path = stream.attached()[buf]
  if path then
    return M.files[path]
  end
  return select(2, M.find(api.nvim_buf_get_name(buf)))
end

---@param file acp.Changed
---@param hunk acp.Hunk
---@return integer row  from 0
local function first(file, hunk)
  return file.buf and api.nvim_buf_is_loaded(file.buf) and hunks.first(file.buf, hunk) or hunk.first
end

---@param file acp.Changed
---@param some? table<integer, acp.Hunk>  these of them alone
---@return { row: integer, hunk: acp.Hunk }[]  in their order
function M.ordered(file, some)
  local list = {}
  for _, hunk in pairs(some or file.hunks) do
    list[#list + 1] = { row = first(file, hunk), hunk = hunk }
  end
  table.sort(list, function(one, other)
    return one.row < other.row or (one.row == other.row and one.hunk.id < other.hunk.id)
  end)
  return list
end

return M
