-- Finds the colours of code that is no buffer: fenced code and diffs in the chat, removed lines in review. A parser of
-- its language reads it as a string, once, outside the redraw and not while text streams in. Where there is no parser,
-- Vim's syntax file does.
local classic_syntax = require("acp_nvim.ui.classic_syntax")
local limits = require("acp_nvim.limits")

local M = {}

local QUIET_MS = 120

---@class acp.Code
---@field lang string
---@field text string  empty but while it waits for the parser
---@field spans? table<integer, acp.Span[]>  by line from 0; nil: not parsed yet
---@field met? table<integer, integer>  by window: in which of its drawings it has come upon the code

---@class acp.CodeJob
---@field code acp.Code
---@field is_seen fun(): boolean
---@field done fun()
---@field is_kept boolean  the colours, for a time

local kept = {} ---@type acp.Code[]
local waiting = {} ---@type acp.CodeJob[]
local timer ---@type uv.uv_timer_t?

---@param name string
---@return string?
local function language(name)
  local lang = vim.treesitter.language.get_lang(name) or name
  if not lang:find("^[%w_]+$") then
    return nil
  end
  local ok, loaded = pcall(vim.treesitter.language.add, lang)
  -- Neovim 0.10 raises when there is no parser and else returns nothing; later ones return whether there is one.
  return ok and loaded ~= false and (loaded or vim.fn.has("nvim-0.11") == 0) and lang or nil
end

---@param spans table<integer, acp.Span[]>
---@param node TSNode
---@param hl string
---@param lines string[]
local function add(spans, node, hl, lines)
  local first_row, first_col, last_row, last_col = node:range()
  for row = first_row, math.min(last_row, #lines - 1) do
    local from = row == first_row and first_col or 0
    local to = row == last_row and last_col or #lines[row + 1]
    spans[row] = spans[row] or {}
    table.insert(spans[row], { from, to, hl })
  end
end

---@param code acp.Code
---@param lang string
---@param query vim.treesitter.Query
---@return table<integer, acp.Span[]>
local function parse(code, lang, query)
  local lines, spans = vim.split(code.text, "\n", { plain = true }), {}
  local root = vim.treesitter.get_string_parser(code.text, lang):parse()[1]:root()
  for id, node in query:iter_captures(root, code.text) do
    local name = query.captures[id]
    if not name:find("^_") and not name:find("^n?o?spell$") then
      add(spans, node, ("@%s.%s"):format(name, lang), lines)
    end
  end
  return spans
end

---@param code acp.Code
local function keep(code)
  kept[#kept + 1] = code
  if #kept > limits.CODE_BLOCKS then
    table.remove(kept, 1).spans = nil
  end
end

--- The next block that is still visible: text that streams by leaves many that are not. Those wait to be drawn again.
---@return acp.CodeJob?
local function take()
  repeat
    local job = table.remove(waiting, 1)
    if not job or job.is_seen() then
      return job
    end
    job.code.text = ""
  until false
end

---@param code acp.Code
---@return fun(): is_done: boolean, spans: table<integer, acp.Span[]>
local function reader(code)
  local lang = language(code.lang)
  local has_query, query = pcall(vim.treesitter.query.get, lang or "", "highlights")
  if lang and has_query and query then
    return function()
      local ok, spans = pcall(parse, code, lang, query)
      return true, ok and spans or {} -- a broken parser or query costs the colours, nothing else
    end
  end
  local syntax = classic_syntax.language(code.lang)
  return syntax and classic_syntax.reader(code.text, syntax) or function()
    return true, {}
  end
end

local under_way ---@type { job: acp.CodeJob, read: fun(): boolean, table }?

local function work()
  local job = under_way and under_way.job or take()
  if not job then
    return
  end
  under_way = under_way or { job = job, read = reader(job.code) }
  local is_done, spans = under_way.read()
  if is_done then
    under_way = nil
    job.code.spans, job.code.text = spans, ""
    if job.is_kept then
      keep(job.code)
    end
    job.done()
  end
  if timer and (under_way or waiting[1]) then
    timer:start(1, 0, vim.schedule_wrap(work))
  end
end

--- Has the code parsed as soon as nothing has come for a moment, if it `is_seen` then; `done` is called when its spans
--- are there.
---@param code acp.Code
---@param is_seen fun(): boolean
---@param done fun()
function M.request(code, is_seen, done)
  table.insert(waiting, { code = code, is_seen = is_seen, done = done, is_kept = true })
  M.postpone()
end

--- Has a text parsed, and calls `done` with its spans.
---@param lang string  or a filetype
---@param text string
---@param done fun(spans: table<integer, acp.Span[]>)
function M.read(lang, text, done)
  local code = { lang = lang, text = text } ---@type acp.Code
  local function is_seen()
    return true
  end
  table.insert(waiting, {
    code = code,
    is_seen = is_seen,
    is_kept = false,
    done = function()
      done(code.spans)
    end,
  })
  M.postpone()
end

--- Postpones parsing: text streams in.
function M.postpone()
  if under_way or waiting[1] then
    timer = timer or assert(vim.uv.new_timer())
    timer:start(QUIET_MS, 0, vim.schedule_wrap(work))
  end
end

return M
