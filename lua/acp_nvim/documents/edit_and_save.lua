-- Changes a loaded buffer and saves it, as one undo step and without a question. If the save fails, the buffer is put
-- back as it was.
local changes = require("acp_nvim.documents.changes")
local edit = require("acp_nvim.documents.edit")
local find = require("acp_nvim.documents.find")
local locked = require("acp_nvim.documents.locked")
local messages = require("acp_nvim.ui.messages")
local origin = require("acp_nvim.documents.origin")
local save = require("acp_nvim.documents.save")
local textlock = require("acp_nvim.system.textlock")
local undo_step = require("acp_nvim.documents.undo_step")

local api = vim.api
local M = {}

---@class acp.EditOptions
---@field by? acp.By
---@field steps? acp.Step[]     what listeners are told; nil: the edits, by `by`
---@field created? boolean
---@field before? string[]      the rows of the buffer; nil: they are read
---@field after? string[]       what the edits make of its lines; nil: the same
---@field autocmds? boolean
---@field final? boolean        how the text becomes bytes: what is given changes
---@field bomb? boolean
---@field ff? "unix"|"dos"|"mac"
---@field fenc? string

--- Runs `fn` without the question about a swap file: a change makes the buffer's own, which asks when it finds another.
---@param fn fun()
local function without_questions(fn)
  local before = vim.o.shortmess
  vim.cmd("noautocmd set shortmess+=A")
  fn()
  if vim.o.shortmess ~= before then
    vim.cmd("noautocmd let &shortmess = " .. vim.fn.string(before))
  end
end

--- Puts the buffer back. A save that fails half-way, as on a full disk without 'writebackup', may leave a broken file:
--- then the buffer alone has the text, must not look saved, and the user is told.
---@param buf integer
---@param before acp.Before
---@param saved acp.Saved
---@param data? string  what the disk held under unsaved lines
---@return boolean is_broken
local function take_back(buf, before, saved, data)
  undo_step.take_back(buf, before)
  if not saved.touched then
    return false
  end
  local is_intact = save.is_as_on_disk(buf) or (data ~= nil and origin.read(buf) == data)
  origin.record(buf)
  if is_intact then
    return false
  end
  vim.bo[buf].modified = true
  local name = vim.fs.basename(api.nvim_buf_get_name(buf))
  messages.show("error", ("%s is damaged on disk (%s); the buffer has its text: :w"):format(name, saved.error))
  return true
end

---@param buf integer
---@param list acp.Edit[]
---@param options acp.EditOptions
---@return table answer  { ok, saved? } | { error, locked?, broken? }
local function carry_out(buf, list, options)
  local path = find.resolve(api.nvim_buf_get_name(buf))
  local before, tick = undo_step.remember(buf), api.nvim_buf_get_changedtick(buf)
  local data = before.modified and origin.data(buf) or nil
  local rows = options.before or api.nvim_buf_get_lines(buf, 0, -1, true)
  local change = changes.begin({ buf = buf, path = path, by = options.by, before = rows, created = options.created })
  local ok, err = pcall(function()
    undo_step.break_undo(buf)
    edit.apply(buf, list)
    edit.set_format(buf, options)
  end)
  local why = not ok and err or save.not_encodable(buf)
  local saved = { error = why and edit.one_line(why) } ---@type acp.Saved
  if not why then
    changes.applied(change, options.steps or { { by = options.by, edits = list } })
    saved = save.save(buf, options, rows, options.after)
  end
  local is_loaded = api.nvim_buf_is_loaded(buf)
  local is_untouched = is_loaded and api.nvim_buf_get_changedtick(buf) == tick
  local is_broken = false
  if saved.ok and is_loaded then
    undo_step.break_undo(buf)
  elseif not saved.ok and is_loaded and not is_untouched then
    is_broken = take_back(buf, before, saved, data)
  end
  changes.finish(change, saved.ok == true, not saved.changed)
  if saved.ok then
    return { ok = true, saved = saved, warning = saved.warning }
  end
  local is_locked = is_untouched and textlock.is_cause_of(why)
  return { error = saved.error, locked = is_locked or nil, broken = is_broken or nil }
end

--- Changes the buffer as one undo step and saves it as `:w` would; if that fails, all is as before.
---@param buf integer
---@param edits acp.Edit[]
---@param options acp.EditOptions
---@return table answer  { ok, saved, warning? } | { error, locked?, broken? }
function M.run(buf, edits, options)
  local why = save.refusal(buf)
  if why then
    return { error = why }
  end
  why = locked.why(buf)
  if why then
    return { error = "it waits until you " .. why, locked = true }
  end
  local answer
  without_questions(function()
    answer = carry_out(buf, edits, options)
  end)
  return answer
end

return M
