-- Highlights fenced code in the chat: a parser of its language reads its text as a string, once, outside the redraw and
-- not while text streams in.
local limits = require("acp_nvim.limits")

local M = {}

local QUIET_MS = 120

---@class acp.Code
---@field lang string
---@field text string  empty but while it waits for the parser
---@field spans? table<integer, acp.Span[]>  by line from 0; nil: not parsed yet

local kept = {} ---@type acp.Code[]
local waiting = {} ---@type { code: acp.Code, is_seen: fun(): boolean, done: fun() }[]
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
---@return table<integer, acp.Span[]>
local function parse(code)
  local lang = language(code.lang)
  local query = lang and vim.treesitter.query.get(lang, "highlights")
  if not lang or not query then
    return {}
  end
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
---@return { code: acp.Code, done: fun() }?
local function take()
  repeat
    local job = table.remove(waiting, 1)
    if not job or job.is_seen() then
      return job
    end
    job.code.text = ""
  until false
end

local function work()
  local job = take()
  if not job then
    return
  end
  local ok, spans = pcall(parse, job.code)
  job.code.spans = ok and spans or {} -- a broken parser or query costs the colours, nothing else
  job.code.text = ""
  keep(job.code)
  job.done()
  if waiting[1] and timer then
    timer:start(1, 0, vim.schedule_wrap(work))
  end
end

--- Has the code parsed as soon as nothing has come for a moment, if it `is_seen` then; `done` is called when its spans
--- are there.
---@param code acp.Code
---@param is_seen fun(): boolean
---@param done fun()
function M.request(code, is_seen, done)
  table.insert(waiting, { code = code, is_seen = is_seen, done = done })
  M.postpone()
end

--- Postpones parsing: text streams in.
function M.postpone()
  if waiting[1] then
    timer = timer or assert(vim.uv.new_timer())
    timer:start(QUIET_MS, 0, vim.schedule_wrap(work))
  end
end

return M
