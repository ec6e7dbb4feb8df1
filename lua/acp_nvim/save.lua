-- What an agent writes goes into a loaded buffer as a careful colleague would type it, and is saved as `:w` would: one
-- undo step of its own, nothing asked, and all as before if it cannot be saved.
local changes = require("acp_nvim.documents.changes")
local edits = require("acp_nvim.edits")
local files = require("acp_nvim.files")
local user_events = require("acp_nvim.backend.user_events")

local api = vim.api
local M = {}

---@class acp.ApplyOptions
---@field autocmds boolean  the save runs BufWritePre and BufWritePost
---@field real? string      where the path led when it was judged; elsewhere now: refused
---@field final? boolean    the text ends with a line end; else as `:w` decides
---@field bomb? boolean
---@field ff? "unix"|"dos"|"mac"
---@field fenc? string
---@field look? acp.Look     what the edits build on, as `files.look` has told it
---@field by? acp.By        for whom

--- Why the buffer or its file cannot be written, found before anything is touched. `:write!` must not ask and therefore
--- overrides what `:write` refuses.
---@param buf integer
---@param options acp.ApplyOptions
---@return string?
local function refusal(buf, options)
  local name = api.nvim_buf_get_name(buf)
  local stat = vim.uv.fs_stat(name)
  if not vim.bo[buf].modifiable then
    return "E21: Cannot make changes, 'modifiable' is off"
  elseif vim.bo[buf].readonly then
    return "E45: 'readonly' option is set"
  elseif vim.bo[buf].buftype ~= "" and vim.bo[buf].buftype ~= "acwrite" then
    return "E382: Cannot write, 'buftype' option is set"
  elseif options.real and files.resolve(name) ~= options.real then
    return ("%s leads elsewhere now"):format(name)
  elseif stat and stat.type == "directory" then
    return ("E502: %s is a directory"):format(name)
  elseif stat and stat.type ~= "file" then
    return ("E503: %s is not a file"):format(name)
  elseif stat and not vim.uv.fs_access(name, "W") then
    return ("E505: %s is read-only"):format(name)
  end
end

--- `:write!` would put "?" for what the file's encoding lacks.
---@param buf integer
---@return boolean
local function is_encodable(buf)
  local encoding = vim.bo[buf].fileencoding
  if encoding == "" or encoding:find("^utf") or encoding:find("^ucs") then
    return true
  end
  local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), "\n")
  local bytes = vim.iconv(text, "utf-8", encoding)
  return bytes ~= nil and vim.iconv(bytes, encoding, "utf-8") == text
end

--- True when called from now on if the text of the buffer has changed meanwhile.
---@param buf integer
---@return fun(): boolean
local function change_detector(buf)
  local changed, over = false, false
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      changed = true
      return over
    end,
    -- an autocommand may open the file again
    on_reload = function()
      changed = true
    end,
    on_detach = function()
      changed = true
    end,
  })
  return function()
    over = true
    return changed
  end
end

---@param buf integer
---@return string
local function disk_state(buf)
  local stat = vim.uv.fs_stat(api.nvim_buf_get_name(buf))
  return stat and vim.inspect({ stat.mtime, stat.ctime, stat.ino, stat.size }) or ""
end

---@param buf integer
---@param options acp.ApplyOptions
---@return boolean ok
---@return any err
local function run_write(buf, options)
  local fixes = vim.bo[buf].fixendofline
  if options.final ~= nil then
    vim.bo[buf].fixendofline = false
  end
  local command = (options.autocmds and "" or "noautocmd ") .. "silent keepalt write!"
  local ok, err = pcall(api.nvim_buf_call, buf, function()
    local done, why = pcall(api.nvim_exec2, command, {})
    if not done then
      error(why, 0)
    end
  end)
  if api.nvim_buf_is_loaded(buf) then
    vim.bo[buf].fixendofline = fixes
  end
  return ok, err
end

--- The marks '[ and '] are the user's last change or yank; a save of ours is neither.
---@param buf integer
---@param fn fun()
local function keeping_marks(buf, fn)
  local start, stop = api.nvim_buf_get_mark(buf, "["), api.nvim_buf_get_mark(buf, "]")
  fn()
  if api.nvim_buf_is_loaded(buf) and start[1] > 0 then
    pcall(api.nvim_buf_set_mark, buf, "[", start[1], start[2], {})
    pcall(api.nvim_buf_set_mark, buf, "]", stop[1], stop[2], {})
  end
end

--- Raises if the file has not been written; an autocommand that fails after that is only told.
---@param buf integer
---@param options acp.ApplyOptions
---@return string? warning
local function write(buf, options)
  local before = disk_state(buf)
  local ok, err
  keeping_marks(buf, function()
    ok, err = run_write(buf, options)
  end)
  if not api.nvim_buf_is_loaded(buf) then
    error(ok and "an autocommand has unloaded the buffer" or err, 0)
  end
  local written = not vim.bo[buf].modified or (ok and disk_state(buf) ~= before)
  if not written then
    error(ok and "the buffer was not written" or err, 0)
  end
  return not ok and edits.one_line(err) or nil
end

---@param buf integer
---@param list acp.Edit[]
---@param options acp.ApplyOptions
---@param change acp.BufferChange
---@return string[]? lines  where an autocommand changed the text
---@return string? warning
local function change_and_write(buf, list, options, change)
  edits.break_undo(buf)
  edits.apply(buf, list)
  edits.set_format(buf, options)
  changes.applied(change, options.steps or { { by = options.by, edits = list } })
  if not is_encodable(buf) then
    error(("E513: the text has characters that %s lacks"):format(vim.bo[buf].fileencoding), 0)
  end
  local has_changed = change_detector(buf)
  local ok, warning = pcall(write, buf, options)
  local lines = has_changed() and api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_lines(buf, 0, -1, true) or nil
  if not ok then
    error(warning, 0)
  end
  edits.break_undo(buf)
  files.in_step(buf)
  return lines, warning
end

--- A change opens the swap file if there is none yet, which asks when it finds one of somebody else's.
---@param fn fun()
local function without_questions(fn)
  local before = vim.o.shortmess
  vim.cmd("noautocmd set shortmess+=A")
  fn()
  if vim.o.shortmess ~= before then
    vim.cmd("noautocmd let &shortmess = " .. vim.fn.string(before))
  end
end

--- Without the lines. Nothing if another buffer stands for the file, or none.
---@param buf integer
---@param options acp.ApplyOptions
---@return acp.Look?
local function look(buf, options)
  local tick = api.nvim_buf_get_changedtick(buf)
  local seen = files.look(options.real or api.nvim_buf_get_name(buf), { buf, tick })
  return seen and seen.buf == buf and seen or nil
end

---@param buf integer
---@param tick integer
---@param options acp.ApplyOptions
---@return boolean  it is no longer what the edits build on
local function is_stale(buf, tick, options)
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= tick then
    return true
  end
  return options.look ~= nil and not vim.deep_equal(look(buf, options), options.look)
end

--- Applies `list` to the buffer as it was at `tick` and saves it.
---@param buf integer
---@param tick integer
---@param list acp.Edit[]
---@param options acp.ApplyOptions
---@return table answer  { ok, look?, heard, lines?, warning? } | { stale } | { error, locked? }
function M.apply(buf, tick, list, options)
  if is_stale(buf, tick, options) then
    return { stale = true }
  end
  local why = refusal(buf, options)
  if why then
    return { error = why }
  end
  local busy = require("acp_nvim.busy").refusal(buf)
  if busy then
    return busy
  end
  local before = edits.remember(buf)
  local answer
  without_questions(function()
    local change = changes.begin({
      buf = buf,
      path = options.real or files.resolve(api.nvim_buf_get_name(buf)),
      by = options.by,
      before = api.nvim_buf_get_lines(buf, 0, -1, true),
      created = options.created,
    })
    local ok, lines, warning = pcall(change_and_write, buf, list, options, change)
    if ok then
      local heard = user_events.is_heard("AcpFileWritten")
      answer = { ok = true, heard = heard, lines = lines, warning = warning }
    else
      local touched = not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= tick
      answer = { error = edits.one_line(lines), locked = not touched and edits.is_locked(lines) or nil }
      if touched and api.nvim_buf_is_loaded(buf) then
        edits.take_back(buf, before)
      end
    end
    changes.finish(change, ok)
  end)
  if answer.ok and api.nvim_buf_is_loaded(buf) then
    answer.look = look(buf, options)
  end
  return answer
end

return M
