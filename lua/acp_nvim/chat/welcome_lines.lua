-- Writes the lines of the welcome: which agent answers and where, what can be continued, the first keys.
local available_agents = require("acp_nvim.config.available_agents")
local earlier_session = require("acp_nvim.chat.earlier_session")
local git_branch = require("acp_nvim.system.git_branch")
local global_keys = require("acp_nvim.config.global_keys")
local printable = require("acp_nvim.ui.printable")
local relative_time = require("acp_nvim.ui.relative_time")
local session_store = require("acp_nvim.backend.session_store")
local winbar_status = require("acp_nvim.chat.winbar_status")

local M = { MARGIN = 2 } -- cells beside the lines

local KEYS_WIDTH = 7 -- of the column that they stand in
local LEAST_TITLE = 16
local WIDE, LOW = 68, 14
local KEYS = { -- what they do fits a chat of 30 columns
  { "i", "write a prompt" },
  { "<C-s>", "send it" },
  { "@  /", "file, command" },
  { "<M-1>", "answer a question" },
  { "g?", "all keys" },
}

local DEMO = { -- what to ask the demo agent for
  { "/tour", "see all it does" },
  { "/edit", "decide on a diff" },
  { "/help", "what else to try" },
}

---@alias acp.Chunk [string, string]  text and highlight group

local STATES = {
  starting = { "starting …", "AcpSpinner" },
  auth = { "logged out: :Acp login", "AcpWarning" },
  failed = { "failed: see :Acp log", "AcpError" },
  stopped = { "stopped: :Acp restart", "AcpCancelled" },
}

--- The agent with its mode and model, or why it does not answer.
---@param status table
---@return acp.Chunk[]
local function who(status)
  local line = { { printable.visible(status.agent_title or status.agent or ""), "AcpAgent" } }
  local doing = STATES[status.state]
  if doing then
    line[2] = { "  " .. doing[1], doing[2] }
    return line
  end
  local model, mode = winbar_status.choices(status)
  for _, name in ipairs({ model or "", mode or "" }) do
    line[#line + 1] = name ~= "" and { " · " .. printable.visible(name), "AcpCount" } or nil
  end
  return line
end

---@param cwd string
---@param width integer
---@return acp.Chunk[]
local function where(cwd, width)
  local path = printable.visible(vim.fn.fnamemodify(cwd, ":~"))
  local branch = git_branch.of(cwd)
  if not branch then
    return { { printable.cut_start(path, width), "AcpPath" } }
  end
  local on = printable.cut("  on " .. printable.visible(branch), math.floor(width / 2))
  return { { printable.cut_start(path, width - vim.fn.strwidth(on)), "AcpPath" }, { on, "AcpCount" } }
end

--- The title is cut, not what the key does nor how long ago it was; where that leaves little, it has a line of its own.
---
---   <CR>   continue "Fix the cart" (2 h ago)
---   <CR>   go on from the turn that was cut off (2 h ago)
---          "Run the tests"
---@param does string
---@param title string
---@param when string
---@param width integer
---@return acp.Chunk[][] lines
local function continuing(does, title, when, width)
  local key = { "<CR>" .. (" "):rep(KEYS_WIDTH - 4), "AcpOption" }
  title = printable.visible(title)
  local room = width - KEYS_WIDTH - vim.fn.strwidth(does .. when) - 4
  if room >= math.min(LEAST_TITLE, vim.fn.strwidth(title)) then
    title = printable.cut(title, room)
    return { { key, { does .. ' "', "AcpTool" }, { title, "AcpHeading" }, { '" ', "AcpTool" }, { when, "AcpCount" } } }
  end
  local lines, left = {}, { (" "):rep(KEYS_WIDTH), "AcpTool" }
  repeat -- a row holds as many words as there is room for
    local words = does
    while words:find(" ") and KEYS_WIDTH + vim.fn.strwidth(words) > width do
      words = words:match("^(.*) ")
    end
    lines[#lines + 1] = { #lines == 0 and key or left, { words .. " ", "AcpTool" } }
    does = does:sub(#words + 2)
  until does == ""
  table.insert(lines[#lines], { when, "AcpCount" })
  title = printable.cut(title, math.max(1, width - KEYS_WIDTH - 2))
  lines[#lines + 1] = { left, { '"', "AcpTool" }, { title, "AcpHeading" }, { '"', "AcpTool" } }
  return lines
end

---@param n integer
---@param kept? acp.Earlier
---@param width integer
---@return acp.Chunk[][]
local function offer(n, kept, width)
  local origin = session_store.session(n).origin
  ---@param agent string  that the conversation is with; it is named where it is another than that of this chat
  ---@param which string
  local function beside(agent, which)
    return agent == origin.agent and ("(%s)"):format(which) or ("(%s, %s)"):format(printable.visible(agent), which)
  end
  local living = earlier_session.newest_live(origin.cwd)
  if living then
    local status = session_store.look(living) or {}
    local title = status.title or status.about or ("session %d"):format(living)
    return continuing(
      "go to",
      title,
      beside(session_store.session(living).origin.agent, ("session %d"):format(living)),
      width
    )
  elseif kept then
    local when = beside(kept.agent, relative_time(kept.updated))
    local words = kept.cut and vim.trim(kept.cut):match("^[^\n]*") --[[@as string?]]
    if words then
      return continuing("go on from the turn that was cut off", words, when, width)
    end
    return continuing("continue", kept.title or "untitled", when, width)
  end
  return {}
end

--- Things to type with what they do, one below the other, or in a low window side by side.
---@param list [string, string][]
---@param width integer
---@param is_low boolean
---@return acp.Chunk[][]
local function in_columns(list, width, is_low)
  local lines, room = {}, 0
  for _, key in ipairs(list) do
    local gap = is_low and 1 or KEYS_WIDTH - #key[1]
    local cells = #key[1] + gap + #key[2]
    if not is_low or cells > room then
      lines[#lines + 1], room = {}, width
    end
    local line, behind = lines[#lines], is_low and "   " or ""
    vim.list_extend(line, { { key[1] .. (" "):rep(gap), "AcpOption" }, { key[2] .. behind, "AcpTool" } })
    room = room - cells - #behind
  end
  return lines
end

--- The first keys.
---@param width integer
---@param is_low boolean
---@return acp.Chunk[][]
local function keys(width, is_low)
  if vim.g.no_plugin_maps then
    return { { { ":help acp_nvim-mappings", "AcpOption" }, { "  keys for here", "AcpTool" } } }
  end
  return in_columns(KEYS, width, is_low)
end

--- What to ask the demo agent for; nothing with any other agent.
---@param agent string
---@param width integer
---@param is_low boolean
---@return acp.Chunk[][]
local function try(agent, width, is_low)
  local known = available_agents.get(agent)
  return known and known.origin == "demo" and in_columns(DEMO, width, is_low) or {}
end

---@param width integer
---@return acp.Chunk[][]
local function maps(width)
  if global_keys.is_used() then
    return {}
  end
  local setting, what = { 'keys = "<leader>a"', "AcpOption" }, { "in setup() maps the rest", "AcpCount" }
  if width < WIDE then
    return { { setting }, { what } }
  end
  return { { setting, { " ", "AcpTool" }, what, { "   :help acp_nvim-keys", "AcpCount" } } }
end

--- The parts from top to bottom, each some lines.
---@param n integer
---@param kept? acp.Earlier
---@param width integer
---@param is_low boolean
---@return acp.Chunk[][][]
local function parts(n, kept, width, is_low)
  local status, origin = session_store.look(n) or {}, session_store.session(n).origin
  return {
    { who(status), where(origin.cwd, width) },
    offer(n, kept, width),
    try(origin.agent, width, is_low),
    keys(width, is_low),
    maps(width),
  }
end

---@param line acp.Chunk[]
---@param width integer
---@return acp.Chunk[]
local function fitted(line, width)
  local shown = { { (" "):rep(M.MARGIN), "AcpTool" } }
  for _, chunk in ipairs(line) do
    local text = width > 0 and printable.cut(chunk[1], width) or ""
    width = width - vim.fn.strwidth(text)
    shown[#shown + 1] = { text, chunk[2] }
  end
  return shown
end

--- The lines of the welcome: as many whole parts as there is room for, with a blank line between them if that fits.
---@param n integer
---@param kept? acp.Earlier  what can be continued
---@param width integer
---@param rows integer
---@return acp.Chunk[][]
function M.of(n, kept, width, rows)
  local lines, is_low = {}, rows <= LOW
  for _, part in ipairs(parts(n, kept, width, is_low)) do
    local gap = not is_low and #lines > 0 and #part > 0
    if #lines + #part + (gap and 1 or 0) > rows then
      break
    end
    lines[#lines + 1] = gap and { { " ", "AcpTool" } } or nil
    for _, line in ipairs(part) do
      lines[#lines + 1] = fitted(line, width)
    end
  end
  return lines
end

return M
