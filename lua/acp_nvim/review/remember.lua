-- Keeps the review over a restart: each file in review has a record among those of its project. It is written when an
-- agent's change has landed, when something was decided, and when the file is saved; it goes with the file's last hunk.
--
-- A record says which Neovim writes it. As long as that one lives, another one that reviews the same file shows and
-- decides what its own agents have written, and writes nothing down.
local owners = require("acp_nvim.review.owners")
local project = require("acp_nvim.project")
local record = require("acp_nvim.review.record")
local records = require("acp_nvim.project.records")
local session_store = require("acp_nvim.backend.session_store")
local reviewed_files = require("acp_nvim.review.reviewed_files")

local uv = vim.uv
local M = {}

M.PREFIX = "review-"
local written = {} ---@type table<string, any[]>  path -> what its record was made of

---@class acp.RecordWriter
---@field pid integer
---@field server string

---@return acp.RecordWriter
local function me()
  return { pid = uv.os_getpid(), server = vim.v.servername }
end

--- Whether another Neovim, which still runs, writes the record.
---@param writer? acp.RecordWriter
---@return boolean
function M.is_elsewhere(writer)
  if not writer or writer.pid == uv.os_getpid() then
    return false
  end
  return uv.kill(writer.pid, 0) == 0 and uv.fs_stat(writer.server) ~= nil
end

---@param path string
---@return acp.RecordName
function M.name(path)
  return { name = M.PREFIX .. vim.fn.sha256(path):sub(1, 16), version = record.VERSION }
end

---@class acp.OpenTurn
---@field session integer
---@field turn integer

--- The turn that runs, and may be writing files.
---@return acp.OpenTurn?
local function open_turn()
  for _, n in ipairs(session_store.numbers()) do
    local turn = session_store.session(n).turn
    if turn then
      return { session = n, turn = turn }
    end
  end
end

--- What a record is made of: as long as these are the same, so is the record.
---@param file acp.ReviewedFile
---@param open? acp.OpenTurn
---@return any[]
local function made_of(file, open)
  local known, standing = record.on_disk(file).known, file.text.standing
  local facts = ("%s %s %s %d"):format(file.created, file.deleted, file.removed, #file.unknown)
  local on_disk, beside = record.stamp(file.path) or false, standing and standing.known.turns or false
  return { known.turns, known.decided, known.newline or false, beside, on_disk, facts, open ~= nil }
end

---@param one? any[]
---@param other any[]
---@return boolean
local function is_same(one, other)
  for i, part in ipairs(other) do
    if not one or one[i] ~= part then
      return false
    end
  end
  return true
end

--- What the record of a file shall hold.
---@param file acp.ReviewedFile
---@param there? acp.FileRecord  what it holds
---@return acp.FileRecord|false|nil  false: nothing is left to remember; nil: it stays as it is
local function content(file, there)
  local open, text = open_turn(), file.text
  if there and M.is_elsewhere(there.writer) then
    return nil
  elseif there and not file.is_recalled then
    local kept = record.kept(there, record.on_disk(file).lines)
    text.known.decided = vim.list_extend(kept, text.known.decided)
  end
  file.is_recalled = true
  local parts = made_of(file, open)
  if is_same(written[file.path], parts) then
    return nil
  end
  local is_in_review = reviewed_files.files[file.path] == file and not reviewed_files.is_over(file)
  written[file.path] = parts
  local function is_kept(each)
    return each.is_kept
  end
  if not is_in_review and not vim.iter(text.known.decided):any(is_kept) then
    return false
  end
  local result = record.of(file, is_in_review and open or nil)
  result.writer = me()
  return result
end

---@param file acp.ReviewedFile
---@return string root
local function root_of(file)
  file.root = file.root or project.of_file(file.path)
  return file.root
end

--- The review of a file has changed, or it has left the review.
---@param file acp.ReviewedFile
function M.note(file)
  if records.are_kept() then
    records.write_soon(root_of(file), M.name(file.path), function(there)
      return content(file, there)
    end)
  end
end

--- The file gets another path.
---@param file acp.ReviewedFile
function M.forget(file)
  if records.are_kept() then
    written[file.path] = nil
    records.write_soon(root_of(file), M.name(file.path), function()
      return false
    end)
    file.root = nil
  end
end

--- A turn is over: what was open is closed.
function M.close()
  for path in pairs(written) do
    local file = reviewed_files.files[path]
    if file then
      M.note(file)
    end
  end
end

--- Where the review of a file is written down, if another Neovim does that: there it is decided on.
---@param file acp.ReviewedFile
---@return string?
function M.refusal(file)
  local writer = file.writer
  if not M.is_elsewhere(writer) then
    file.writer = nil
    return nil
  end ---@cast writer -?
  return ("%s is reviewed in another Neovim (process %d)"):format(vim.fs.basename(file.given), writer.pid)
end

return M
