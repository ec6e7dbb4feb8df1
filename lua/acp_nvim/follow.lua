-- Follow-along: one window of the user's shows the file and line that an agent touches. It never takes the focus, never
-- moves while it is the current window, and stops as soon as the user acts in it.
local state = require("acp_nvim.state")

local api = vim.api
local M = {}

---@class acp.Follower
---@field win integer
---@field paused boolean
---@field seen? acp.Seen            what we have set, or found; nil while the user is there since it was pinned
---@field wanted? acp.Place         the newest place, if the window does not show it yet

---@class acp.Place
---@field path string
---@field line? integer

---@class acp.Seen
---@field buf integer
---@field cursor integer  extmarks: text edits shift them as they shift the window
---@field top integer
---@field column integer
---@field was_first boolean
---@field size string

local LARGEST = 5 * 1024 * 1024 -- bytes of a file that is loaded to be shown: larger ones are felt
local HEAD = 1024 -- bytes in which a file that is no text shows it
-- They speak of the user's focus, which stays where it is
local FOCUS_EVENTS = "BufEnter,BufLeave,WinEnter,WinLeave"

local namespace = api.nvim_create_namespace("acp_nvim.follow")
local group = api.nvim_create_augroup("acp_nvim.follow", {})
local followers = {} ---@type table<integer, acp.Follower>
local newest = {} ---@type table<integer, acp.Place>
local complaints = {} ---@type table<string, true>  told already
local moving = false -- what happens now is our own doing
local listener = function(_, _) end ---@type fun(n: integer, what: "following"|"paused"|"off")

--- `fn(n, what)` is told whenever the following of a session begins, pauses or ends.
---@param fn fun(n: integer, what: "following"|"paused"|"off")
function M.listen(fn)
  listener = fn
  for n, follower in pairs(followers) do -- there may be some before anybody is listening
    fn(n, follower.paused and "paused" or "following")
  end
end

---@param win integer
---@return boolean  a file of the user's may be shown there
local function is_normal(win)
  local wo = vim.wo[win]
  return api.nvim_win_is_valid(win)
    and vim.bo[api.nvim_win_get_buf(win)].buftype == ""
    and api.nvim_win_get_config(win).relative == ""
    and not (wo.winfixbuf or wo.diff or wo.previewwindow)
end

--- The current window, else the one that is pinned, else the previous one, else any of this tabpage.
---@param pinned? integer
---@return integer?
local function choose(pinned)
  local candidates = { api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#")) }
  if pinned and api.nvim_win_is_valid(pinned) then
    table.insert(candidates, 2, pinned)
  end
  for _, win in ipairs(vim.list_extend(candidates, api.nvim_tabpage_list_wins(0))) do
    if win ~= 0 and is_normal(win) then
      return win
    end
  end
end

-- What the user did ----------------------------------------------------------------------------------------------------

---@param win integer
---@return string
local function size_of(win)
  return api.nvim_win_get_width(win) .. "x" .. api.nvim_win_get_height(win)
end

---@param win integer
---@return { lnum: integer, col: integer, topline: integer }
local function view_of(win)
  return api.nvim_win_call(win, function()
    -- 'scrolloff' may still move it: this makes it happen now
    vim.fn.line("w0")
    return vim.fn.winsaveview()
  end)
end

--- A mark on a whole line: it goes with the line.
---@param buf integer
---@param line integer
---@return integer
local function mark(buf, line)
  local whole = { end_row = line, end_col = 0, strict = false, invalidate = true, undo_restore = false }
  return api.nvim_buf_set_extmark(buf, namespace, line - 1, 0, whole)
end

---@param seen? acp.Seen
local function forget(seen)
  if seen and api.nvim_buf_is_loaded(seen.buf) then
    api.nvim_buf_del_extmark(seen.buf, namespace, seen.cursor)
    api.nvim_buf_del_extmark(seen.buf, namespace, seen.top)
  end
end

---@param win integer
---@return acp.Seen
local function see(win)
  local buf, view = api.nvim_win_get_buf(win), view_of(win)
  return {
    buf = buf,
    cursor = mark(buf, view.lnum),
    top = mark(buf, view.topline),
    column = view.col,
    was_first = view.topline == 1,
    size = size_of(win),
  }
end

--- True if `line` is where the mark is by now. Of a line that was deleted nobody can tell: its mark is gone, or (0.10)
--- ends where it begins, or before.
---@param buf integer
---@param id integer
---@param line integer
---@return boolean
local function agrees(buf, id, line)
  local at = api.nvim_buf_get_extmark_by_id(buf, namespace, id, { details = true })
  return #at == 0 or at[3].end_row <= at[1] or line == math.min(at[1] + 1, api.nvim_buf_line_count(buf))
end

--- The user has been at the window: it shows something else than we have set, text edits aside. What an edit within the
--- cursor's line makes of the column, and another size of the window of its topline, is nobody's move.
---@param follower acp.Follower
---@return boolean
local function was_moved(follower)
  local seen, win = assert(follower.seen), follower.win
  if api.nvim_win_get_buf(win) ~= seen.buf or not is_normal(win) then
    return true
  end
  local view = view_of(win)
  local length = #api.nvim_buf_get_lines(seen.buf, view.lnum - 1, view.lnum, false)[1]
  if not agrees(seen.buf, seen.cursor, view.lnum) or view.col ~= math.min(seen.column, math.max(0, length - 1)) then
    return true
  end
  local first = seen.was_first and view.topline == 1
  return not first and not agrees(seen.buf, seen.top, view.topline) and size_of(win) == seen.size
end

---@param follower acp.Follower
local function remember(follower)
  forget(follower.seen)
  follower.seen = see(follower.win)
end

--- Notices what the user did since.
---@param n integer
local function check(n)
  local follower = followers[n]
  if not follower or follower.paused or moving then
    return
  elseif not api.nvim_win_is_valid(follower.win) then
    M.off(n)
  elseif not follower.seen then
    return
  elseif was_moved(follower) then
    follower.paused = true
    listener(n, "paused")
  else
    remember(follower)
  end
end

-- Moving ---------------------------------------------------------------------------------------------------------------

--- The user has not asked for the file: what it says in a modeline is not done.
---@param buf integer
local function load_text(buf)
  local modeline = vim.go.modeline
  vim.cmd("noautocmd setglobal nomodeline")
  local ok, err =
    pcall(vim.cmd --[[@as fun(command: string)]], ("silent keepalt keepjumps call bufload(%d)"):format(buf))
  if modeline then
    vim.cmd("noautocmd setglobal modeline")
    vim.cmd(("noautocmd call setbufvar(%d, '&modeline', 1)"):format(buf))
  end
  if not ok then
    error(err, 0)
  end
end

--- What keeps the place from being shown as it should; said once.
---@param path string
---@param what string
local function complain(path, what)
  local line = ("follow: %s: %s"):format(vim.fs.basename(path), vim.split(what, "\n", { plain = true })[1])
  if not complaints[line] then
    complaints[line] = true
    require("acp_nvim.scratch").message("warn", line)
  end
end

--- `fn`, and what it fails with is said: it is the fault of an autocommand, most of the time, and what it is about has
--- come to be.
---@param path string
---@param fn fun()
local function attempt(path, fn)
  local ok, err = pcall(fn)
  if not ok then
    complain(path, (tostring(err):gsub("^.-(E%d+:)", "%1")))
  end
end

---@param path string
---@return boolean
local function is_text(path)
  local file = io.open(path, "rb")
  local head = file and file:read(HEAD) or ""
  if file then
    file:close()
  end
  return not head:find("\0", 1, true)
end

--- A buffer of the file, loaded but not listed; nothing is asked (a stale swap file would) and no name is expanded.
---@param path string
---@return integer? buf
local function load(path)
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= "file" then
    return nil
  end
  local loaded = require("acp_nvim.files").find(path)
  if loaded then
    return loaded
  elseif stat.size > LARGEST then
    return complain(path, ("%d MB are too many to be shown"):format(stat.size / 1024 / 1024))
  elseif not is_text(path) then
    return complain(path, "it is no text, and is not shown")
  end
  local buf = vim.fn.bufadd(vim.fn.fnamemodify(path, ":.")) -- shown by the name that `:edit` would give it
  if not api.nvim_buf_is_loaded(buf) then
    attempt(path, function()
      load_text(buf)
    end)
  end
  return buf
end

--- Lines to be seen are not moved; others come to the middle.
---@param line integer
local function go_to(line)
  line = math.max(1, math.min(line, vim.fn.line("$")))
  local view = { lnum = line, col = 0, curswant = 0 }
  if line < vim.fn.line("w0") or line > vim.fn.line("w$") then
    view.topline = math.max(1, line - math.floor(api.nvim_win_get_height(0) / 2))
  end
  vim.fn.winrestview(view)
  if vim.fn.foldclosed(line) ~= -1 then
    vim.cmd(("silent! %dfoldopen!"):format(line))
  end
end

---@param win integer
---@param buf integer
---@param place acp.Place
local function move(win, buf, place)
  api.nvim_win_call(win, function()
    if api.nvim_win_get_buf(win) ~= buf then
      -- :hide: a modified buffer is no hindrance, whatever 'hidden' says
      attempt(place.path, function()
        vim.cmd(("silent hide keepalt keepjumps buffer %d"):format(buf))
      end)
    end
    if place.line and api.nvim_win_get_buf(win) == buf then
      go_to(place.line)
    end
  end)
end

--- What is loaded runs autocommands of the user's; those that are about the focus do not, for it does not move.
---@param fn fun()
local function quietly(fn)
  local ignored, short = vim.o.eventignore, vim.o.shortmess
  local events = ignored == "" and FOCUS_EVENTS or ignored .. "," .. FOCUS_EVENTS
  vim.cmd("noautocmd set shortmess+=A | noautocmd let &eventignore = " .. vim.fn.string(events))
  moving = true
  local ok, err = pcall(fn)
  moving = false
  vim.cmd(
    ("noautocmd let &eventignore = %s | noautocmd let &shortmess = %s"):format(
      vim.fn.string(ignored),
      vim.fn.string(short)
    )
  )
  if not ok then
    require("acp_nvim.scratch").log("follow: " .. tostring(err))
  end
end

--- The window shows the newest place.
---@param n integer
---@return boolean moved
local function catch_up(n)
  local follower = followers[n]
  local place = follower.wanted
  if not place or vim.fn.getcmdwintype() ~= "" then
    return false
  end
  follower.wanted = nil
  quietly(function()
    local buf = load(place.path)
    if buf and api.nvim_win_is_valid(follower.win) then
      move(follower.win, buf, place)
    end
  end)
  if not api.nvim_win_is_valid(follower.win) then
    M.off(n)
    return false
  end
  remember(follower)
  return true
end

--- Only the session in front moves a window, and never the one where the user is.
---@param n integer
---@return boolean moved
local function follow(n)
  check(n)
  local follower = followers[n]
  if not follower or follower.paused or state.current() ~= n or follower.win == api.nvim_get_current_win() then
    return false
  end
  return catch_up(n)
end

-- The seam -------------------------------------------------------------------------------------------------------------

--- Pins a window. Where the user has paused it, that window shows the newest place at once: they have asked for it.
---@param n integer
---@return true? ok
---@return string? message
function M.on(n)
  local before = followers[n]
  local win = choose(before and before.win)
  if not win then
    return nil, "no window here shows a file"
  end
  for other, follower in pairs(followers) do
    if other ~= n and follower.win == win then
      M.off(other)
    end
  end
  local resumed = before ~= nil and before.paused
  if not before or resumed or before.win ~= win then
    forget(before and before.seen)
    followers[n] = { win = win, paused = false, wanted = before and newest[n] }
    if win ~= api.nvim_get_current_win() then
      remember(followers[n])
    end
  end
  if resumed and before.win == win then
    catch_up(n)
  end
  if followers[n] then
    listener(n, "following")
  end
  return true
end

---@param n integer
function M.off(n)
  local follower = followers[n]
  if follower then
    forget(follower.seen)
    followers[n] = nil
    listener(n, "off")
  end
end

--- The session is over.
---@param n integer
function M.drop(n)
  M.off(n)
  newest[n] = nil
end

--- The agent of session `n` is at that place now.
---@param n integer
---@param path string    absolute
---@param line? integer  from 1; nil: wherever the cursor was last
---@return boolean moved
function M.show(n, path, line)
  newest[n] = { path = path, line = line }
  if not followers[n] then
    return false
  end
  followers[n].wanted = newest[n]
  return follow(n)
end

api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI", "WinScrolled", "BufWinEnter", "WinResized" }, {
  group = group,
  callback = function()
    for _, n in ipairs(vim.tbl_keys(followers)) do
      check(n)
    end
  end,
})

-- Whoever is in the window when it is pinned may still go about in it
api.nvim_create_autocmd("WinLeave", {
  group = group,
  callback = function()
    for _, follower in pairs(followers) do
      if follower.win == api.nvim_get_current_win() and not follower.seen and is_normal(follower.win) then
        remember(follower)
      end
    end
  end,
})

api.nvim_create_autocmd("WinClosed", {
  group = group,
  callback = function(event)
    for _, n in ipairs(vim.tbl_keys(followers)) do
      if followers[n].win == tonumber(event.match) then
        M.off(n)
      end
    end
  end,
})

-- The user has left the window, or has come to another session
api.nvim_create_autocmd({ "WinEnter", "TabEnter" }, {
  group = group,
  callback = vim.schedule_wrap(function()
    for _, n in ipairs(vim.tbl_keys(followers)) do
      follow(n)
    end
  end),
})

return M
