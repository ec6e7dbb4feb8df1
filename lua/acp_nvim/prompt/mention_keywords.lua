-- Collects what `@selection`, `@buffer`, `@diagnostics`, `@diff`, `@quickfix` and `@terminal` in a prompt stand for.
local context_items = require("acp_nvim.prompt.context_items")
local git_diff_request = require("acp_nvim.prompt.git_diff_request")
local limits = require("acp_nvim.limits")

local api = vim.api
local M = {}

---@class acp.ContextName
---@field name string
---@field doc string                                  beside it in the menu
---@field has fun(cwd: string): boolean               there is something to send; it must be cheap
---@field item fun(cwd: string): acp.ContextItem?

--- The lines that were selected last in the user's buffer.
---@return integer? buf
---@return integer first
---@return integer last
local function selection()
  local buf = context_items.users_buffer()
  local first = buf and api.nvim_buf_get_mark(buf, "<")[1] or 0
  local last = buf and api.nvim_buf_get_mark(buf, ">")[1] or 0
  if first == 0 or last == 0 then
    return nil, 0, 0
  end
  return buf, math.min(first, last), math.max(first, last)
end

--- The terminal in which the user was last.
---@return integer? buf
local function last_terminal()
  local found, used = nil, -1
  for _, info in ipairs(vim.fn.getbufinfo({ bufloaded = 1 })) do
    if vim.bo[info.bufnr].buftype == "terminal" and info.lastused > used then
      found, used = info.bufnr, info.lastused
    end
  end
  return found
end

--- The end of a terminal's output, without the empty rows below it.
---@param buf integer
---@return string
local function output_of(buf)
  local lines = api.nvim_buf_get_lines(buf, -limits.TERMINAL_LINES_ATTACHED - 1, -1, false)
  return (table.concat(lines, "\n"):gsub("%s+$", "")):sub(-limits.ATTACHED_BYTES)
end

---@param buf integer
---@return string
local function terminal_name(buf)
  local title = vim.b[buf].term_title
  return type(title) == "string" and title ~= "" and title or api.nvim_buf_get_name(buf)
end

--- In the order of the menu.
---@type acp.ContextName[]
local NAMES = {
  {
    name = "selection",
    doc = "the lines selected last",
    has = function()
      return selection() ~= nil
    end,
    item = function()
      local buf, first, last = selection()
      return buf and { buffer = buf, first = first, last = last } or { missing = "@selection: nothing is selected" }
    end,
  },
  {
    name = "buffer",
    doc = "the file you were in last",
    has = function()
      return false -- the menu begins with that file's own name
    end,
    item = function()
      local buf = context_items.users_buffer()
      return buf and { buffer = buf }
    end,
  },
  {
    name = "diagnostics",
    doc = "diagnostics of that file",
    has = function()
      return context_items.users_buffer() ~= nil
    end,
    item = function()
      local buf = context_items.users_buffer()
      return buf and { diagnostics = buf } or { missing = "@diagnostics: no file is open" }
    end,
  },
  {
    name = "diff",
    doc = "changes since the last commit",
    has = function(cwd)
      return vim.fs.root(cwd, ".git") ~= nil
    end,
    item = function(cwd)
      return git_diff_request.item(cwd)
    end,
  },
  {
    name = "quickfix",
    doc = "the quickfix list",
    has = function()
      return vim.fn.getqflist({ size = 0 }).size > 0
    end,
    item = function()
      return (context_items.quickfix(0)) or { missing = "@quickfix: the quickfix list is empty" }
    end,
  },
  {
    name = "terminal",
    doc = "the end of the last terminal",
    has = function()
      return last_terminal() ~= nil
    end,
    item = function()
      local buf = last_terminal()
      return buf and { title = "terminal " .. terminal_name(buf), text = output_of(buf) }
        or { missing = "@terminal: no terminal is open" }
    end,
  },
}

--- What a name stands for now; nil: it is none of these names.
---@param name string
---@param cwd string  of the session
---@return acp.ContextItem?
function M.item(name, cwd)
  for _, entry in ipairs(NAMES) do
    if entry.name == name then
      return entry.item(cwd)
    end
  end
end

--- The names that begin with `typed` and have something to send now.
---@param typed string  in lower case
---@param cwd string
---@return { name: string, doc: string }[]
function M.matching(typed, cwd)
  local found = vim.tbl_filter(function(entry)
    return vim.startswith(entry.name, typed) and entry.has(cwd)
  end, NAMES)
  if #found == 1 and found[1].name == "diff" then
    git_diff_request.prepare(cwd)
  end
  return found
end

return M
