-- Builds the bar above a side of a diff: what the side is, of which file, what the user should know, which keys decide.
-- The order is the same at every width. Where there is no room it gives up, in this order: long words, the folders of
-- the path, how to leave, the path, the name, how to refuse a hunk, notes; the keys that send and reject stay.
--
--    proposed · src/orders/price.py (1 of 3) · do refuse hunk · :w send · :Acp reject · :q later     wide
--    proposed · …/price.py (1/3) · do refuse hunk · :w send · :Acp reject                            narrower
--    proposed · do refuse · :w send · :Acp reject
--    do refuse · :w send · :Acp reject
--    :w send · :Acp reject
--    proposed · src/orders/price.py · :w reject all · :q later                                       all is refused
--    now · src/orders/price.py · deletes the file · :w send · :Acp reject · :q later                 one window
local printable = require("acp_nvim.ui.printable")

local M = {}

---@class acp.SideBar
---@field name string
---@field path? string        as the session's folder has it
---@field at? integer         which of several files
---@field of? integer
---@field notes? string[][]   each in long words and in short ones
---@field keys? string[]      the names of those that work there, in the order of KEYS

local BETWEEN = " · "
local TYPING = "<Esc>, then %s" -- no other key of these works in insert mode

---@class acp.SideKey
---@field long string
---@field short string

local KEYS = { ---@type table<string, acp.SideKey>
  refuse = { long = "do refuse hunk", short = "do refuse" },
  yours = { long = "do take yours", short = "do yours" },
  send = { long = ":w send", short = ":w send" },
  go_back = { long = ":w go back, all files", short = ":w go back" },
  send_yours = { long = ":w send your version", short = ":w send yours" },
  refuse_all = { long = ":w reject all", short = ":w reject" },
  refuse_file = { long = ":w rejects", short = ":w rejects" },
  refuse_file_next = { long = ":w rejects, next file", short = ":w rejects" },
  refuse_file_last = { long = ":w rejects, sends the rest", short = ":w rejects" },
  next_file = { long = ":w next file", short = ":w next" },
  merge = { long = ":w merge", short = ":w merge" },
  accept_plan = { long = ":w accepts the plan", short = ":w accepts" },
  send_plan = { long = ":w refuses it and sends your version", short = ":w sends yours" },
  send_comments = { long = ":w refuses it and sends your comments", short = ":w sends comments" },
  refuse_plan = { long = ":w rejects the plan", short = ":w rejects" },
  save = { long = ":w save", short = ":w save" },
  reject = { long = ":Acp reject", short = ":Acp reject" },
  later = { long = ":q later", short = ":q later" },
  close = { long = ":q close", short = ":q close" },
}

---@class acp.BarSize
---@field is_short? boolean    words
---@field path? integer        cells that the path may take; 0: none
---@field without table<string, true>
---@field notes? integer       how many
---@field is_nameless? boolean

-- What is given up, step by step; each keeps what the ones before have given up.
local STEPS = { ---@type table<string, any>[]
  { is_short = true },
  { path = 24 },
  { path = 12 },
  { without = "later" },
  { without = "close" },
  { path = 0 },
  { is_nameless = true },
  { without = "refuse" },
  { without = "yours" },
  { notes = 1 },
}

--- The end of a path: it loses its left first.
---@param path string
---@param cells integer
---@return string
local function end_of(path, cells)
  if vim.fn.strwidth(path) <= cells then
    return path
  end
  local name = vim.fs.basename(path)
  if vim.fn.strwidth(name) + 2 <= cells then
    return "…/" .. name
  end
  return printable.cut(name, cells)
end

---@param bar acp.SideBar
---@param size acp.BarSize
---@return string?
local function file(bar, size)
  if not bar.path or size.path == 0 then
    return nil
  end
  local text = end_of(bar.path, size.path or math.huge)
  if (bar.of or 1) > 1 then
    text = text .. (size.path and " (%d/%d)" or " (%d of %d)"):format(bar.at, bar.of)
  end
  return text
end

---@param bar acp.SideBar
---@param size acp.BarSize
---@param is_typing boolean
---@return string
local function written(bar, size, is_typing)
  local parts = { not size.is_nameless and bar.name or nil }
  parts[#parts + 1] = file(bar, size)
  for index, note in ipairs(bar.notes or {}) do
    if index > #bar.notes - (size.notes or math.huge) then -- the last is about what sending does
      parts[#parts + 1] = size.is_short and note[2] or note[1]
    end
  end
  for _, name in ipairs(is_typing and {} or bar.keys or {}) do
    if not size.without[name] then
      parts[#parts + 1] = KEYS[name][size.is_short and "short" or "long"]
    end
  end
  for _, name in ipairs(is_typing and bar.keys or {}) do
    if vim.startswith(KEYS[name].short, ":w") then
      parts[#parts + 1] = TYPING:format(KEYS[name].short)
    end
  end
  return table.concat(parts, BETWEEN)
end

--- The bar as long as there is room for.
---@param bar acp.SideBar
---@param width integer
---@param is_typing boolean  in insert mode in that window
---@return string  an option's value
function M.text(bar, width, is_typing)
  local size = { without = {} } ---@type acp.BarSize
  local text = written(bar, size, is_typing)
  for _, step in ipairs(STEPS) do
    if vim.fn.strwidth(text) + 1 <= width then
      break
    end
    if step.without then
      size.without[step.without] = true
    else
      size = vim.tbl_extend("force", size, step)
    end
    text = written(bar, size, is_typing)
  end
  return " " .. printable.cut(text, math.max(1, width - 1)):gsub("%%", "%%%%")
end

return M
