-- Highlights code by Vim's syntax files, for languages without a parser. It takes a slice of a few milliseconds at a
-- time, since asking for the group of a character is slow.
--
--   fn main()     spans[0] = { { 0, 2, "Statement" }, { 3, 7, "Function" } }
local limits = require("acp_nvim.limits")

local api = vim.api
local M = {}

local SLICE_NS = 2e6
local NAMES = { bash = "sh", shell = "sh", console = "sh", ["c++"] = "cpp", ["c#"] = "cs", golang = "go" }

--- Whether a name is that of a filetype with a syntax file. Agents choose the names: some files in syntax/ are scripts
--- (hitest.vim opens a window, nosyntax.vim ends all highlighting), but none of these has a filetype plugin.
---@param name string
---@return boolean
local function is_filetype(name)
  local function exists(pattern)
    return api.nvim_get_runtime_file(pattern:format(name), false)[1] ~= nil
  end
  return name:find("^[%w_]+$") ~= nil
    and exists("syntax/%s.vim")
    and (exists("ftplugin/%s.vim") or exists("ftplugin/%s.lua"))
end

--- The name of the syntax file for the language of a fence, if there is one and the user wants syntax files at all.
---@param name string
---@return string?
function M.language(name)
  local known = NAMES[name] or name
  -- The lines of a diff have grounds, on which the colours of its syntax file cannot be read.
  if not vim.g.syntax_on or not known:find("^[%w_]+$") or known == "diff" then
    return nil
  end
  for _, lang in ipairs({ known, vim.filetype.match({ filename = "a." .. known }) }) do
    if is_filetype(lang) then
      return lang
    end
  end
end

--- Adds the spans of a line of the current buffer.
---@param spans acp.Span[]
---@param row integer
---@param line string
local function read(spans, row, line)
  local from, group = 1, 0
  for col = 1, math.min(#line, limits.SYNTAX_COLUMNS) + 1 do
    local now = col <= #line and line:find("^%S", col) and vim.fn.synIDtrans(vim.fn.synID(row + 1, col, 1)) or 0
    if now ~= group then
      local name = group ~= 0 and vim.fn.synIDattr(group, "name") or ""
      if name ~= "" then
        spans[#spans + 1] = { from - 1, col - 1, name }
      end
      from, group = col, now
    end
  end
end

--- Reads lines from `row` on for a slice of time.
---@param spans table<integer, acp.Span[]>
---@param lines string[]
---@param row integer
---@return integer row  the next one
local function read_slice(spans, lines, row)
  local began = vim.uv.hrtime()
  while row < #lines and vim.uv.hrtime() - began < SLICE_NS do
    spans[row] = {}
    read(spans[row], row, lines[row + 1])
    row = row + 1
  end
  return row
end

--- Begins to read code. What it returns is called again until it is done; an error in a syntax file costs the colours.
---@param text string
---@param lang string
---@return fun(): is_done: boolean, spans: table<integer, acp.Span[]>
function M.reader(text, lang)
  local lines, spans, row = vim.split(text, "\n", { plain = true }), {}, 0
  lines = vim.list_slice(lines, 1, limits.SYNTAX_LINES)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].synmaxcol = limits.SYNTAX_COLUMNS
  return function()
    local ok = pcall(api.nvim_buf_call, buf, function()
      if vim.bo.syntax == "" then
        vim.bo.syntax = lang
      else
        row = read_slice(spans, lines, row)
      end
    end)
    local is_done = not ok or row >= #lines
    if is_done and api.nvim_buf_is_valid(buf) then
      api.nvim_buf_delete(buf, { force = true })
    end
    return is_done, spans
  end
end

return M
