-- Deletes a file whose buffer is loaded: `u` and `:w` bring both back.
local changes = require("acp_nvim.documents.changes")
local edit = require("acp_nvim.documents.edit")
local file_timestamp = require("acp_nvim.documents.file_timestamp")
local find = require("acp_nvim.documents.find")
local locked = require("acp_nvim.documents.locked")
local undo_step = require("acp_nvim.documents.undo_step")

local api = vim.api
local M = {}

--- Loads a file that is to be deleted into a hidden buffer, so that `:e`, `u` and `:w` bring it back. The user has not
--- opened it, so no autocommand, modeline or swap file sees it until it is shown.
---@param path string
---@return integer? buf
function M.load(path)
  local buf = vim.fn.bufadd(path)
  local modeline = vim.o.modeline
  vim.cmd("noautocmd set nomodeline")
  local ok = pcall(vim.cmd, ("noautocmd silent noswapfile call bufload(%d)"):format(buf))
  vim.cmd("noautocmd set " .. (modeline and "modeline" or "nomodeline"))
  if not ok or not api.nvim_buf_is_loaded(buf) then
    return nil
  end
  api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    once = true,
    desc = "acp: the file type of what was loaded by its undo",
    command = "doautocmd <nomodeline> filetypedetect BufNewFile",
  })
  return buf
end

---@param buf integer
---@param path string
---@param is_gone? boolean
---@return table?
local function refusal(buf, path, is_gone)
  local why = locked.why_not_read(buf)
  if is_gone and vim.uv.fs_stat(path) then
    return { error = "the file is there again" }
  elseif not vim.bo[buf].modifiable then
    return { error = "E21: Cannot make changes, 'modifiable' is off" }
  end
  return why and { error = "it waits until you " .. why, locked = true } or nil
end

--- Carries out the edits in the buffer and deletes its file. The lines that are left stay unsaved.
---@param buf integer
---@param edits acp.Edit[]
---@param options { by?: acp.By, is_gone?: boolean }  `is_gone`: there is no file
---@return table answer  { ok } | { error, locked? }
function M.remove(buf, edits, options)
  local path = find.resolve(api.nvim_buf_get_name(buf))
  local refused = refusal(buf, path, options.is_gone)
  if refused then
    return refused
  end
  local before = undo_step.remember(buf)
  local rows = api.nvim_buf_get_lines(buf, 0, -1, true)
  local change = changes.begin({ buf = buf, path = path, by = options.by, before = rows, marks_lost = true })
  local ok, err = pcall(function()
    undo_step.break_undo(buf)
    edit.apply(buf, edits)
    if not options.is_gone then
      local gone, why, code = vim.uv.fs_unlink(path)
      assert(gone or code == "ENOENT", why)
    end
    file_timestamp.forget_file(buf)
    undo_step.break_undo(buf)
    changes.applied(change, { { by = options.by, edits = edits } })
  end)
  if not ok then
    undo_step.take_back(buf, before)
  end
  changes.finish(change, ok)
  return ok and { ok = true } or { error = edit.one_line(err) }
end

return M
