-- The prompt: an ordinary buffer per session whose text is sent as it stands, with a history at its ends.
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")

local api = vim.api
local M = {}

---@class acp.Prompt
---@field buf integer
---@field history string[]  oldest first
---@field at? integer       where in the history; nil: at the text being written
---@field draft? string

local MOST_KEPT = 500
local NAMESPACE = api.nvim_create_namespace("acp_nvim.prompt")

local prompts = {} ---@type table<integer, acp.Prompt>
local hints = {} ---@type table<integer, integer> buffer -> session

---@param n integer
---@return acp.Prompt
local function prompt_of(n)
  prompts[n] = prompts[n] or { buf = -1, history = {} }
  return prompts[n]
end

-- The hint in an empty prompt is drawn, not kept: it is right whatever has emptied the buffer.
local function draw_hint(_, _, buf, row)
  if row > 0 or api.nvim_buf_line_count(buf) > 1 or api.nvim_buf_get_lines(buf, 0, 1, true)[1] ~= "" then
    return
  end
  local status = state.get(hints[buf]) or {}
  local text = ("Ask %s …   <CR> sends"):format(scratch.visible(status.agent_title or status.agent or "the agent"))
  api.nvim_buf_set_extmark(buf, NAMESPACE, 0, 0, {
    virt_text = { { text, "AcpPlaceholder" } },
    virt_text_pos = "overlay",
    ephemeral = true,
  })
end

api.nvim_set_decoration_provider(NAMESPACE, {
  on_win = function(_, _, buf)
    return hints[buf] ~= nil
  end,
  on_line = draw_hint,
})

---@param n integer
---@return integer buf
local function create(n)
  local name = ("acp://%d/prompt"):format(n)
  local leftover = vim.fn.bufnr("^" .. name .. "$")
  if leftover > 0 then
    hints[leftover] = nil
    api.nvim_buf_delete(leftover, { force = true })
  end
  local buf = api.nvim_create_buf(false, true)
  hints[buf] = n
  api.nvim_buf_set_name(buf, name)
  vim.b[buf].acp_session = n
  vim.bo[buf].filetype = "acp_prompt"
  return buf
end

--- The session's prompt buffer, made if need be.
---@param n integer
---@return integer buf
function M.buffer(n)
  local prompt = prompt_of(n)
  if not api.nvim_buf_is_loaded(prompt.buf) then
    prompt.buf = create(n)
  end
  return prompt.buf
end

---@param buf integer
---@return string
local function text_of(buf)
  return (
    table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), "\n"):gsub("%s*\n?%s*$", function(blank)
      return blank:match("^[^\n]*") -- blanks of the last line are the user's, blank lines behind it are not
    end)
  )
end

---@param buf integer
---@param text string
local function set_text(buf, text)
  local lines = vim.split(text, "\n", { plain = true })
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
end

--- Adds what was said, or was to be said, to the history.
---@param n integer
---@param items string[]
function M.history_add(n, items)
  local prompt = prompt_of(n)
  for _, item in ipairs(items) do
    if item ~= prompt.history[#prompt.history] then
      table.insert(prompt.history, item)
    end
  end
  while #prompt.history > MOST_KEPT do
    table.remove(prompt.history, 1)
  end
  prompt.at, prompt.draft = nil, nil
end

--- Sends the text; it stays if it is not taken.
---@param n integer
function M.send(n)
  local buf = M.buffer(n)
  local text = text_of(buf)
  if not text:find("%S") then
    return
  end
  local ok, problem = require("acp_nvim").prompt(text, { session = n })
  if not ok then
    return scratch.message("error", problem or "the prompt was not taken")
  end
  M.history_add(n, { text })
  set_text(buf, "")
end

---@param n integer
---@param step -1|1
---@return boolean moved
local function walk(n, step)
  local prompt = prompt_of(n)
  local at = (prompt.at or #prompt.history + 1) + step
  if at < 1 or at > #prompt.history + 1 then
    return false
  end
  if not prompt.at then
    prompt.draft = text_of(prompt.buf)
  end
  local is_draft = at == #prompt.history + 1
  set_text(prompt.buf, is_draft and prompt.draft or prompt.history[at])
  prompt.at = not is_draft and at or nil
  return true
end

--- Walks the history from the first line back and from the last line on; elsewhere the key keeps its meaning.
---@param n integer
---@param step -1|1
function M.history(n, step)
  local row, last = api.nvim_win_get_cursor(0)[1], api.nvim_buf_line_count(0)
  local at_edge = row == (step < 0 and 1 or last)
  if not at_edge or vim.fn.pumvisible() == 1 then
    local key = step < 0 and "<C-p>" or "<C-n>"
    return api.nvim_feedkeys(vim.keycode(key), "n", false)
  end
  if walk(n, step) then
    local line = step < 0 and 1 or api.nvim_buf_line_count(0)
    api.nvim_win_set_cursor(0, { line, vim.v.maxcol })
  end
end

--- Forgets the prompt of a session that has ended.
---@param n integer
function M.wipe(n)
  local prompt = prompts[n]
  prompts[n] = nil
  if prompt and api.nvim_buf_is_valid(prompt.buf) then
    hints[prompt.buf] = nil
    api.nvim_buf_delete(prompt.buf, { force = true })
  end
end

return M
