-- Keeps what the user commits: a pending hunk whose new lines are in HEAD, in their place, and were not there when the
-- project's last turn ended. Agents commit, too: what is committed while a turn runs keeps nothing.
local diff = require("acp_nvim.documents.diff")
local encoding = require("acp_nvim.documents.encoding")
local decisions = require("acp_nvim.review.decisions")
local git = require("acp_nvim.system.git")
local project = require("acp_nvim.project")
local records = require("acp_nvim.project.records")
local session_store = require("acp_nvim.backend.session_store")
local reviewed_files = require("acp_nvim.review.reviewed_files")

local M = {}

local HEAD = { name = "head", version = 1 }
-- root -> HEAD when it was looked at last; nothing since a turn ended, as HEAD is noted anew then
local looked = {} ---@type table<string, string>

--- Whether a text has the hunk: the text differs from the live one nowhere near it.
---@param edits acp.Edit[]  of the live lines, which make that text of them
---@param hunk acp.Hunk
---@return boolean
local function has(edits, hunk)
  return not vim.iter(edits):any(function(edit)
    return edit[1] <= hunk.first + hunk.n and edit[2] >= hunk.first
  end)
end

--- The pending hunks that one commit has and an earlier one has not.
---@param file acp.ReviewedFile
---@param now string
---@param before? string  nil: there was no such file
---@return acp.Hunk[]
local function committed(file, now, before)
  local to_now = diff.edits(file.text.lines, encoding.split(now, file.shape.fenc).lines)
  local to_before = diff.edits(file.text.lines, encoding.split(before or "", file.shape.fenc).lines)
  return vim.tbl_filter(function(hunk)
    return not hunk.note and has(to_now, hunk) and not has(to_before, hunk)
  end, reviewed_files.pending(file))
end

---@param root string
---@return acp.ReviewedFile[]
local function files_of(root)
  return vim.tbl_filter(function(file)
    return reviewed_files.has_pending(file) and not file.deleted and vim.startswith(file.path, root .. "/")
  end, reviewed_files.all())
end

---@param root string
---@param head string
---@param before string
local function keep(root, head, before)
  for _, file in ipairs(files_of(root)) do
    local name = file.path:sub(#root + 2)
    git.text(root, head, name, function(now)
      git.text(root, before, name, function(earlier)
        local hunks = now and reviewed_files.files[file.path] == file and committed(file, now, earlier) or {}
        if #hunks > 0 then
          decisions.decide("keep", hunks, { commit = head })
        end
      end)
    end)
  end
end

---@param root string
---@param is_meant fun(): boolean
local function look(root, is_meant)
  if #files_of(root) == 0 then
    return
  end
  git.head(root, function(head)
    local noted = records.read(root, HEAD)
    if noted and noted.head ~= head and looked[root] ~= head and is_meant() then
      looked[root] = head
      keep(root, head, noted.head)
    end
  end)
end

---@return boolean
local function is_idle()
  return not vim.iter(session_store.numbers()):any(function(n)
    return session_store.session(n).turn ~= nil
  end)
end

--- Looks whether the user has committed what waits in a project.
---@param root string
function M.look(root)
  if is_idle() then
    look(root, is_idle)
  end
end

--- A turn begins: what is in HEAD by now was committed before it.
---@param n integer  the session
function M.turn_begins(n)
  for root in pairs(project.of_session(n)) do
    look(root, function()
      return true
    end)
  end
end

--- A turn is over: what is in HEAD by now was not committed by the user.
---@param n integer  the session
function M.turn_over(n)
  for root in pairs(project.of_session(n)) do
    git.head(root, function(head)
      looked[root] = nil
      records.write_soon(root, HEAD, function()
        return { head = head }
      end)
    end)
  end
end

vim.api.nvim_create_autocmd({ "FocusGained", "BufReadPost" }, {
  group = vim.api.nvim_create_augroup("acp_nvim.commits", {}),
  callback = function()
    local roots = {}
    for _, file in ipairs(reviewed_files.all()) do
      roots[project.of_file(file.path)] = true
    end
    vim.iter(vim.tbl_keys(roots)):each(M.look)
  end,
})

return M
