-- Says who wrote a line: the newest turn in the file's stack that has it, else one whose change was kept there, as far
-- back as the records of the project reach.
--
--   text    a X c      turn 2 has made X of b      line 2: turn 2, pending
--   kept    a X c U    the user has kept it        line 2: turn 2, kept; line 4: nobody's
--
-- What was kept is followed by its row. Where the user has put lines into a kept change its other lines are known again
-- if they are unlike all others of it; a line that it holds twice counts as the user's then.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local find = require("acp_nvim.documents.find")
local owners = require("acp_nvim.review.owners")
local patches = require("acp_nvim.documents.patch")
local project = require("acp_nvim.project")
local record = require("acp_nvim.review.record")
local records = require("acp_nvim.project.records")
local remember = require("acp_nvim.review.remember")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local turn_log = require("acp_nvim.review.turn_log")

local M = {}

local FAR = 100 -- rows that the user may have put into a kept change

---@class acp.BlamedLine
---@field session? integer    nil: of an earlier Neovim
---@field session_id? string
---@field agent? string
---@field turn integer
---@field by acp.ChangedBy
---@field prompt? string      nil: nobody knows it any more, as with the next one
---@field time? integer
---@field call? acp.message.CallName
---@field decision string     "pending", "kept", "asked: {option}" or "commit {hash}"

--- The newest turn of a stack that has written a row.
---@param turns acp.Turn[]
---@param row integer
---@return acp.Turn?
local function in_stack(turns, row)
  for i = #turns, 1, -1 do
    local patch = turns[i].patch
    local k, offset = patches.first_from(patch, row)
    while patch.at[k] and patch.at[k] + patch.n[k] <= row do -- it ends where the row begins
      offset = patch.from[k] + #patch.old[k] - patch.at[k] - patch.n[k]
      k = k + 1
    end
    if patch.at[k] and patch.at[k] <= row then
      return turns[i]
    end
    row = row + offset
  end
end

---@param each acp.DecidedChange
---@param row integer
---@param lines string[]
---@return boolean
local function has_line(each, row, lines)
  local new, line, at = each.change.new, lines[row + 1], row - each.row
  if new[at + 1] == line then
    return true
  elseif not line:find("%S") or at < 0 or at >= #new + FAR then
    return false
  end
  local function is_it(other)
    return other == line
  end
  local count = #vim.tbl_filter(is_it, new)
  return count == 1 and #vim.tbl_filter(is_it, vim.list_slice(lines, each.row + 1, each.row + #new + FAR)) == 1
end

---@param decided acp.DecidedChange[]
---@param row integer
---@param lines string[]
---@return acp.DecidedChange?
local function in_decided(decided, row, lines)
  for i = #decided, 1, -1 do
    local each = decided[i]
    if each.is_kept and not each.is_covered and each.change.had_newline == nil and has_line(each, row, lines) then
      return each
    end
  end
end

--- What was kept in a file before it was in review, or has been since it has left, in the rows of its text.
---@param path string
---@param lines string[]
---@return acp.DecidedChange[]
local function earlier(path, lines)
  local left = reviewed_files.left[path]
  if left then
    return reviewed_files.kept_earlier(left, lines)
  end
  local found = records.read(project.of_file(path), remember.name(path))
  return found and record.is_record(found) and record.kept(found, lines) or {}
end

---@param answer acp.Answered
---@return string
local function asked(answer)
  return "asked: " .. answer.option
end

---@param path string
---@param file? acp.ReviewedFile
---@param lines string[]
---@param row integer
---@return acp.Author?
---@return string? decision
local function author_of(path, file, lines, row)
  local turn = file and in_stack(file.text.known.turns, row)
  if turn then
    return turn, turn.allowed and asked(turn.answer or { option = "allowed" }) or "pending"
  end
  local each = file and in_decided(file.text.known.decided, row, lines) or in_decided(earlier(path, lines), row, lines)
  if each then
    local author = vim.tbl_extend("force", each.change, { answer = each.answer }) --[[@as acp.Author]]
    return author, each.commit and "commit " .. each.commit or each.answer and asked(each.answer) or "kept"
  end
end

--- Who wrote a line of a buffer.
---@param buf integer
---@param line integer  from 1
---@return acp.BlamedLine?  nil: it is no agent's
function M.line(buf, line)
  attached_buffers.settle()
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local name = vim.api.nvim_buf_get_name(buf)
  if not lines[line] or name == "" then
    return nil
  end
  local path, file = find.resolve(name), reviewed_files.of_buffer(buf)
  local author, decision = author_of(path, file and file.buf == buf and file or nil, lines, line - 1)
  if not author then
    return nil
  end
  turn_log.load(project.of_file(path))
  local owner, one = owners.of(author.session), turn_log.find(author.session, author.turn)
  return {
    session = owners.living(author.session),
    session_id = owner.session_id,
    agent = owner.agent,
    turn = author.turn,
    by = author.by,
    prompt = one and one.prompt,
    time = one and math.floor(one.time),
    call = vim.deepcopy(author.call or author.answer and author.answer.call),
    decision = decision,
  }
end

return M
