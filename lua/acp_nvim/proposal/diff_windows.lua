-- Opens the two windows of a diff, or one for a text that has nothing beside it. No window of the user's enters diff
-- mode or loses its view, and once they are closed all sizes are what they were.
local options = require("acp_nvim.proposal.diff_windows.options")
local placement = require("acp_nvim.proposal.diff_windows.placement")
local review = require("acp_nvim.review")
local users_windows = require("acp_nvim.proposal.diff_windows.users_windows")

local api = vim.api
local M = { has_room = placement.is_there }

---@class acp.DiffWindows
---@field left? integer  none: nothing stands beside the right one
---@field right integer
---@field tab integer
---@field own_tab boolean
---@field before acp.UsersWindows
---@field closed boolean
---@field watches integer[]  autocommands
---@field left_by_hand? boolean  one was closed while the user was in it
---@field bufs table<integer, integer>  window -> what it shows
---@field on_closed fun(alone: boolean)  alone: nothing but the two was left
---@field is_ours fun(win: integer, buf: integer): boolean  a buffer that has come by another way than ours
---@field both? integer  the size of both together
---@field bars table<integer, acp.SideBar>  window -> what its bar says

--- The windows that there are, the left one first.
---@param sides acp.DiffWindows
---@return integer[]
local function windows(sides)
  return sides.left and { sides.left, sides.right } or { sides.right }
end

local group = api.nvim_create_augroup("acp_nvim.proposal.diff_windows", {})

--- Gives a window that shows something else to the user: it stays, without its diff.
---@param sides acp.DiffWindows
local function give_up_changed(sides)
  for _, win in ipairs(windows(sides)) do
    local buf = not sides.closed and api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win)
    if buf and buf ~= sides.bufs[win] and not sides.is_ours(win, buf) then
      options.take_off(win)
      sides[win == sides.left and "left" or "right"] = -1
      M.close(sides)
    end
  end
end

--- Gives both windows the same share of what they have together when that changes, as windows come and go beside them.
--- What the user has made of the shares stays until then.
---@param sides acp.DiffWindows
local function share(sides)
  if not sides.left then
    return
  end
  local left, right = api.nvim_win_get_position(sides.left), api.nvim_win_get_position(sides.right)
  local beside, above = left[1] == right[1], left[2] == right[2]
  if beside == above then -- moved by hand
    return
  end
  local size = beside and api.nvim_win_get_width or api.nvim_win_get_height
  local both = size(sides.left) + size(sides.right)
  if sides.both ~= both then
    sides.both = both
    local set = beside and api.nvim_win_set_width or api.nvim_win_set_height
    if math.abs(size(sides.left) - size(sides.right)) > 1 then
      set(sides.left, math.floor(both / 2))
    end
    sides.both = size(sides.left) + size(sides.right)
  end
end

---@param sides acp.DiffWindows
---@param left? acp.SideBar
---@param right acp.SideBar
function M.set_bars(sides, left, right)
  sides.bars = { [sides.right] = right }
  if sides.left then
    sides.bars[sides.left] = left
  end
  options.name_sides(sides.bars)
  options.fit_bars(sides.bars)
end

---@param sides acp.DiffWindows
local function fit(sides)
  if M.is_open(sides) and api.nvim_get_current_tabpage() == sides.tab then
    share(sides)
    options.fit_bars(sides.bars)
  end
end

--- Closes both windows once one of them is closed.
---@param sides acp.DiffWindows
---@param win integer
local function window_closed(sides, win)
  if win == sides.left or win == sides.right then
    sides.left_by_hand = sides.left_by_hand or api.nvim_get_current_win() == win
    options.take_off(win)
    vim.schedule(function()
      M.close(sides)
    end)
  end
end

---@param sides acp.DiffWindows
local function watch(sides)
  local function on(events, pattern, fn)
    return api.nvim_create_autocmd(events, {
      group = group,
      pattern = pattern,
      callback = function(event)
        fn(sides, tonumber(event.match))
      end,
    })
  end
  sides.watches = {
    on({ "WinResized", "VimResized", "TabEnter" }, "*", vim.schedule_wrap(fit)),
    on("ModeChanged", { "*:[iR]*", "[iR]*:*" }, vim.schedule_wrap(fit)), -- other keys work then
    on("BufWinEnter", "*", vim.schedule_wrap(give_up_changed)),
    on("WinClosed", "*", window_closed),
  }
end

---@param sides acp.DiffWindows
---@param left? integer  buffer
---@param right integer  buffer
---@param plain? boolean
local function put_on(sides, left, right, plain)
  sides.bufs = { [sides.right] = right }
  review.hide_in_diff(sides, left)
  if sides.left then
    sides.bufs[sides.left] = left
    options.put_on(sides.left, left --[[@as integer]], { goes = true, plain = plain })
  end
  options.put_on(sides.right, right, { goes = false, plain = plain or not sides.left })
end

---@param left? integer   buffer; none: nothing stands beside the right one
---@param right integer   buffer
---@param how { focus: boolean, plain?: boolean }  focus: to the right side; plain: without diff mode
---@param hooks { on_closed: fun(alone: boolean), is_ours: fun(win: integer, buf: integer): boolean }
---@return acp.DiffWindows
function M.open(left, right, how, hooks)
  local before = users_windows.remember()
  local left_win, right_win, own_tab = placement.open(left, right)
  local sides = {
    left = left_win,
    right = right_win,
    tab = api.nvim_win_get_tabpage(right_win),
    own_tab = own_tab,
    before = before,
    closed = false,
    bars = {},
    on_closed = hooks.on_closed,
    is_ours = hooks.is_ours,
  }
  put_on(sides, left, right, how.plain)
  watch(sides)
  users_windows.restore_views(before)
  fit(sides)
  if how.focus then
    api.nvim_set_current_win(right_win)
  end
  return sides
end

--- Opens or closes the left window: it comes and goes with its buffer.
---@param sides acp.DiffWindows
---@param left? integer  buffer
local function with_left(sides, left)
  if left and not sides.left then
    sides.left = placement.open_left(sides.right, left)
  elseif sides.left and not left then
    local win = sides.left
    sides.left, sides.both, sides.bars[win] = nil, nil, nil
    options.take_off(win)
    if api.nvim_get_current_win() == win then
      api.nvim_set_current_win(sides.right)
    end
    api.nvim_win_close(win, true)
  end
end

--- Shows other buffers in the windows.
---@param sides acp.DiffWindows
---@param left? integer
---@param right integer
---@param plain? boolean  without diff mode
function M.show(sides, left, right, plain)
  local is_diff = left ~= nil and not plain
  local function holds(win, buf)
    return sides.bufs[win] == buf and api.nvim_win_get_buf(win) == buf and vim.wo[win].diff == is_diff
  end
  local same = holds(sides.right, right) and (sides.left ~= nil) == (left ~= nil)
  if same and (not left or holds(sides.left, left)) then
    return
  end
  for _, win in ipairs(windows(sides)) do
    options.take_off(win)
  end
  with_left(sides, left)
  api.nvim_win_call(sides.right, function()
    vim.cmd("diffoff!") -- a buffer that is only hidden would stay a third party of the diff
  end)
  put_on(sides, left, right, plain)
  fit(sides)
end

--- Goes to the right window. Once it is closed the cursor is where it has come from.
---@param sides acp.DiffWindows
function M.enter(sides)
  local from = api.nvim_get_current_win()
  if from ~= sides.left and from ~= sides.right then
    sides.before.win = from
  end
  api.nvim_set_current_win(sides.right)
end

---@param sides acp.DiffWindows?
---@return boolean
function M.is_open(sides)
  return sides ~= nil and not sides.closed and vim.iter(windows(sides)):all(api.nvim_win_is_valid)
end

---@param sides acp.DiffWindows
---@param win integer
---@return boolean alone  it was the last window of Neovim, and stays with a file of the user's
local function close_window(sides, win)
  if not api.nvim_win_is_valid(win) then
    return false
  end
  options.take_off(win)
  if pcall(api.nvim_win_close, win, true) then
    return false
  end
  local buf = users_windows.earlier_file(sides.before)
  if buf then
    vim.wo[win][0].winfixbuf = false
    api.nvim_win_set_buf(win, buf)
  else
    api.nvim_win_call(win, function()
      vim.cmd("enew")
    end)
  end
  return true
end

--- Closes both; the focus, if one of them has it, goes to where the user came from.
---@param sides acp.DiffWindows
function M.close(sides)
  if sides.closed then
    return
  end
  sides.closed = true
  review.hide_in_diff(sides, nil)
  vim.iter(sides.watches):each(api.nvim_del_autocmd)
  local current = api.nvim_get_current_win()
  local had_focus = sides.left_by_hand or current == sides.left or current == sides.right
  local back = sides.before.win
  if had_focus and api.nvim_win_is_valid(back) and api.nvim_get_current_tabpage() == sides.tab then
    api.nvim_set_current_win(back)
  end
  local alone = false
  for _, win in ipairs(windows(sides)) do
    alone = close_window(sides, win) or alone
  end
  if not sides.own_tab and api.nvim_get_current_tabpage() == sides.tab then
    users_windows.restore(sides.before)
  end
  sides.on_closed(alone)
end

return M
