-- Opens the windows of a pair: the chat where the configuration says, the prompt below it.
local config = require("acp_nvim.config.settings")
local neighbours = require("acp_nvim.windows.neighbours")
local pairs_of = require("acp_nvim.windows.window_pair")
local tabpage = require("acp_nvim.ui.tabpage")

local api = vim.api
local M = {}

local LEAST_WIDTH = 20
local LEAST_LINES = 10 -- below it the chat has a tabpage of its own
local PROMPT_ROWS = 3 -- of an empty prompt
local WIDE = 100 -- columns from which on 'auto' puts the chat beside the user's windows

--- Returns where a chat opens on a screen of this size.
---@return string
function M.position()
  local wanted = config.get().chat.position
  if wanted == "auto" then
    wanted = vim.o.columns < WIDE and "bottom" or "right"
  end
  local beside = wanted == "right" or wanted == "left"
  if beside and vim.o.columns < 2 * LEAST_WIDTH or wanted ~= "tab" and vim.o.lines < LEAST_LINES then
    return "tab"
  end
  return wanted
end

--- Whether a file of the user's may be shown in it. File trees are buffers of another type, or as netrw's folders, and
--- not listed.
---@param win integer
---@return boolean
function M.takes_files(win)
  if not pairs_of.is_open(win) or vim.wo[win].winfixbuf or vim.wo[win].previewwindow then
    return false
  end
  local buf = api.nvim_win_get_buf(win)
  local is_folder = vim.fn.isdirectory(api.nvim_buf_get_name(buf)) == 1
  return vim.bo[buf].buftype == "" and vim.bo[buf].buflisted and not is_folder
end

--- Returns the width of a chat beside the user's windows.
---@return integer
function M.width()
  local total, width = vim.o.columns, config.get().chat.width
  width = width < 1 and total * width or width
  return math.max(math.min(math.floor(width), total - LEAST_WIDTH), LEAST_WIDTH)
end

--- Returns the height of a chat with its prompt below the user's windows.
---@return integer
function M.height()
  return math.max(3, math.floor(vim.o.lines * 0.45))
end

---@param height integer  of the two windows together
---@param rows? integer   of the prompt's text
---@return integer
local function prompt_height(height, rows)
  local wanted = math.max(PROMPT_ROWS, rows or 0)
  return math.max(1, math.min(wanted, config.get().chat.prompt_height, math.floor(height / 3)))
end

---@param row integer
---@param height integer
---@return vim.api.keyset.win_config
local function floating(row, height)
  local width = math.max(1, math.min(vim.o.columns - 4, math.max(80, math.floor(vim.o.columns * 0.7))))
  return {
    relative = "editor",
    row = row,
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    border = "rounded",
    title = "",
  }
end

--- Returns where a chat and its prompt float.
---@param rows? integer  of the prompt's text
---@return vim.api.keyset.win_config chat
---@return vim.api.keyset.win_config prompt
local function floats(rows)
  local both = math.max(4, math.floor(vim.o.lines * 0.8) - 4)
  local row, below = math.floor(vim.o.lines * 0.06), prompt_height(both, rows) + 1 -- with a bar
  return floating(row, both - below), floating(row + both - below + 2, below)
end

--- Gives the two that float their share of the screen as it is now.
---@param pair acp.Pair
---@param rows? integer  of the prompt's text
function M.float_anew(pair, rows)
  local chat, prompt_below = floats(rows)
  api.nvim_win_set_config(pair.chat, chat)
  api.nvim_win_set_config(pair.prompt, prompt_below)
end

---@class acp.Edge
---@field split "left"|"right"|"below"
---@field side acp.Side
---@field size fun(): integer

---@type table<string, acp.Edge>  by `chat.position`
local EDGES = {
  right = { split = "right", side = "width", size = M.width },
  left = { split = "left", side = "width", size = M.width },
  bottom = { split = "below", side = "height", size = M.height },
}

--- Brings a window to an edge of the screen; all of the user's windows give it room.
---@param edge acp.Edge
---@param before acp.WindowSizes  of the user's windows
---@param bring fun(where: vim.api.keyset.win_config): integer  returns the window
---@return integer win
local function at_edge(edge, before, bring)
  local size = edge.size()
  -- a size keeps 'equalalways' from resizing all windows
  local win = bring({ win = -1, split = edge.split, [edge.side] = size })
  if edge.side == "width" then
    api.nvim_win_set_width(win, size) -- Neovim 0.10 gives it what one neighbour has
  else
    api.nvim_win_set_height(win, size)
  end
  neighbours.share(before, edge.side)
  return win
end

-- Where the chat is opened, by `chat.position`.
---@type table<string, fun(buf: integer, pair: acp.Pair): integer>
local places = {}

for position, edge in pairs(EDGES) do
  places[position] = function(buf)
    return at_edge(edge, neighbours.sizes_of(tabpage.windows()), function(where)
      return api.nvim_open_win(buf, false, where)
    end)
  end
end

function places.tab(buf, pair)
  tabpage.new_tab(buf)
  pair.own_tab = true
  return api.nvim_get_current_win()
end

function places.float(buf)
  return api.nvim_open_win(buf, false, (floats()))
end

--- Opens the chat above its prompt if that is open, else where the configuration says; where Neovim has no room for
--- another window (E36), in a tabpage of its own.
---@param pair acp.Pair
---@param buf integer
---@return integer
function M.open_chat(pair, buf)
  if pairs_of.is_open(pair.prompt) then
    local height = math.max(1, api.nvim_win_get_height(pair.prompt) - prompt_height(vim.o.lines) - 1)
    return api.nvim_open_win(buf, false, { split = "above", win = pair.prompt, height = height })
  end
  local position = M.position()
  local ok, win = pcall(places[position], buf, pair)
  pair.position = ok and position or "tab"
  return ok and win or places.tab(buf, pair)
end

--- Whether the chat and its prompt still stand at the edge where they were opened.
---@param pair acp.Pair
---@return boolean
local function is_in_place(pair)
  local kind, frames = unpack(vim.fn.winlayout())
  local ours = vim.tbl_filter(pairs_of.is_open, { pair.chat, pair.plan or pair.prompt, pair.plan and pair.prompt })
  if pair.position == "bottom" then
    local last = vim.list_slice(frames, #frames - #ours + 1)
    return kind == "col"
      and vim.deep_equal(
        last,
        vim.tbl_map(function(win)
          return { "leaf", win }
        end, ours)
      )
  end
  local stack = kind == "row" and frames[#frames] or {}
  return stack[1] == "col"
    and vim.deep_equal(
      vim.tbl_map(function(frame)
        return frame[2]
      end, stack[2]),
      ours
    )
end

--- Whether the chat has to move: `chat.position` is 'auto', and the screen has become narrow or wide. One that the user
--- has moved or sized stays.
---@param pair acp.Pair
---@return boolean
function M.is_to_move(pair)
  local is_auto = config.get().chat.position == "auto" and EDGES[pair.position] ~= nil and EDGES[M.position()] ~= nil
  return is_auto
    and pair.position ~= M.position()
    and not (pair.share and pair.share.by_hand)
    and pairs_of.is_complete(pair)
    and #pairs_of.users_windows(pair) > 0
    and is_in_place(pair)
end

--- Moves the chat and its prompt to the edge where they belong on a screen of this size.
---@param pair acp.Pair
---@param before acp.WindowSizes  of the user's windows
function M.move(pair, before)
  local edge, rows = EDGES[M.position()], api.nvim_win_get_height(pair.prompt)
  at_edge(edge, before, function(where)
    api.nvim_win_set_config(pair.chat, where)
    return pair.chat
  end)
  for _, win in ipairs({ pair.prompt, pair.plan }) do -- each right below the chat, so that the plan is between them
    local height = win == pair.prompt and rows or api.nvim_win_get_height(win)
    api.nvim_win_set_config(win, { split = "below", win = pair.chat, height = height })
  end
  neighbours.share(before, "width")
  neighbours.share(before, "height")
  pair.position = M.position()
end

--- Opens the prompt as a float over the chat's last line: on a screen of a few lines no window can be split.
---@param chat integer
---@param buf integer
---@return integer
local function over_the_last_line(chat, buf)
  local row, width = api.nvim_win_get_height(chat) - 1, api.nvim_win_get_width(chat)
  return api.nvim_open_win(buf, false, { relative = "win", win = chat, row = row, col = 0, width = width, height = 1 })
end

---@param pair acp.Pair
---@param buf integer
---@return integer
function M.open_prompt(pair, buf)
  local height = api.nvim_win_get_height(pair.chat)
  if tabpage.is_float(pair.chat) then
    return api.nvim_open_win(buf, false, (select(2, floats())))
  end
  local below = { split = "below", win = pair.chat, height = prompt_height(height) }
  local ok, win = pcall(api.nvim_open_win, buf, false, below)
  return ok and win or over_the_last_line(pair.chat, buf)
end

return M
