-- Shows a message that the mode's name (`-- INSERT --`) would cover, or for which 'cmdheight' 0 leaves no line, in a
-- one-line float in its place, until the mode is left, another message comes, or there has been time to read it. The
-- float takes neither the focus nor a key.
local api = vim.api
local M = {}

local READ_MS = 8000

local win ---@type integer?
local count = 0

--- Whether a message would be covered at once, by the mode's name or the command line.
---@return boolean
function M.is_covered()
  local mode = api.nvim_get_mode().mode
  if mode == "n" or mode == "nt" or mode:find("^no") then
    return false
  end
  return mode:find("^[cr]") ~= nil or vim.o.showmode
end

---@return boolean
local function is_drawn_elsewhere()
  return vim.iter(api.nvim_list_uis()):any(function(ui)
    return ui.ext_messages
  end)
end

---@return boolean
local function is_on_command_line()
  return api.nvim_get_mode().mode:find("^[cr]") ~= nil
end

--- Whether there is no line to echo a message in: with 'cmdheight' 0 it would raise the hit-enter prompt.
---@return boolean
function M.lacks_line()
  return vim.o.cmdheight == 0 and not is_drawn_elsewhere() and not is_on_command_line()
end

--- Runs `fn` without autocommands. An error (of the textlock, of a command line's window) is ignored: the message has
--- been echoed in any case.
---@param fn fun()
local function unnoticed(fn)
  local before = vim.o.eventignore
  vim.o.eventignore = "all"
  pcall(fn)
  vim.o.eventignore = before
end

--- Closes the float, if there is one.
function M.hide()
  local gone = win
  win = nil
  if gone and api.nvim_win_is_valid(gone) then
    unnoticed(function()
      api.nvim_win_close(gone, true)
    end)
  end
end

---@param line string
---@param hl? string
local function open(line, hl)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  api.nvim_buf_set_lines(buf, 0, -1, true, { line })
  win = api.nvim_open_win(buf, false, {
    relative = "editor",
    row = vim.o.lines - math.max(1, vim.o.cmdheight),
    col = 0,
    width = math.max(1, vim.v.echospace),
    height = 1,
    style = "minimal",
    focusable = false,
    zindex = 250, -- above messages
  })
  api.nvim_set_option_value("winhighlight", "Normal:MsgArea,NormalFloat:MsgArea", { win = win, scope = "local" })
  api.nvim_set_option_value("winbar", "", { win = win, scope = "local" })
  if hl then
    local place = { end_col = #line, hl_group = hl }
    api.nvim_buf_set_extmark(buf, api.nvim_create_namespace("acp_nvim.message_float"), 0, 0, place)
  end
end

--- Shows a message in a float, if the mode's name covers it or there is no line for it.
---@param line string
---@param hl? string
---@return boolean shown
function M.show(line, hl)
  M.hide()
  if is_drawn_elsewhere() or is_on_command_line() or not (M.is_covered() or vim.o.cmdheight == 0) then
    return false
  end
  unnoticed(function()
    open(line, hl)
  end)
  count = count + 1
  local mine = count
  vim.defer_fn(function()
    if mine == count then
      M.hide()
    end
  end, READ_MS)
  return win ~= nil
end

api.nvim_create_autocmd({ "ModeChanged", "VimResized", "TabLeave" }, {
  group = api.nvim_create_augroup("acp_nvim.message_float", {}),
  callback = function(event)
    if event.event ~= "ModeChanged" or not M.is_covered() or is_on_command_line() then
      M.hide()
    end
  end,
})

return M
