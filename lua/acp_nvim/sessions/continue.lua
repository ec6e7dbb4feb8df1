-- Continues the last conversation of a folder, for `:Acp continue` and `<CR>` in an empty chat.
local acp = require("acp_nvim.api")
local available_agents = require("acp_nvim.config.available_agents")
local backend = require("acp_nvim.backend.process")
local earlier_session = require("acp_nvim.chat.earlier_session")
local messages = require("acp_nvim.ui.messages")
local printable = require("acp_nvim.ui.printable")
local prompt = require("acp_nvim.prompt.buffer")
local prompt_entry = require("acp_nvim.windows.prompt_entry")
local relative_time = require("acp_nvim.ui.relative_time")
local requests = require("acp_nvim.backend.session_requests")
local session_store = require("acp_nvim.backend.session_store")
local session_windows = require("acp_nvim.windows.session_windows")

local M = {}

--- Closes an empty session, which has given way to the one that goes on. Its draft goes into the history.
---@param n? integer
---@return string said  of the draft
local function close_empty(n)
  if not n or not session_store.exists(n) or not earlier_session.is_empty(n) then
    return ""
  end
  local has_draft = prompt.draft(n) ~= ""
  acp.close_session({ session = n })
  return has_draft and ", <C-p> has your draft" or ""
end

---@param kept acp.Earlier
---@return string
local function name(kept)
  return ('"%s" (%s)'):format(
    printable.cut(printable.visible(kept.title or "untitled"), 40),
    relative_time(kept.updated)
  )
end

---@param cwd string
---@param kept acp.Earlier
---@return integer? n
---@return string said  or why not
local function go_on(cwd, kept)
  local agent = kept.id and available_agents.find(kept.agent)
  if not agent then
    local n, message = acp.replay(kept.file)
    local why = ("%s used %s, which is not configured: replayed without an agent"):format(
      name(kept),
      printable.visible(kept.agent)
    )
    return n, message or why
  end
  local more = { id = kept.id, transcript = kept.file, about = kept.title }
  local n, message = requests.begin("new", { agent = agent, cwd = cwd, roots = {} }, more)
  local waits = kept.cut and ", and its last prompt waits in the prompt" or ""
  return n, message or ("continuing %s with %s%s"):format(name(kept), printable.visible(agent), waits)
end

---@param n integer
local function show(n)
  session_store.focus(n)
  prompt_entry.by_user(function()
    return acp.open({ session = n })
  end)
end

--- Goes on with the newest session of the folder: one that lives, else the newest that was kept. Its agent loads it,
--- else resumes it, else begins again below what was said.
---@param cwd? string  default: the current folder
---@return true? ok
---@return string? message
function M.continue(cwd)
  cwd = cwd or vim.fn.getcwd()
  local before = session_store.current()
  local n = earlier_session.newest_live(cwd)
  if n then
    show(n)
    local status = session_store.look(n) or {}
    local what = status.title or status.about or ("session %d"):format(n)
    messages.show("info", ('back in "%s"%s'):format(printable.cut(what, 40), close_empty(before)))
    return true
  end
  local ok, message = backend.start()
  if not ok then
    return nil, message
  end
  earlier_session.find_saved(cwd, function(kept)
    if not kept then
      local text = "nothing to continue in %s: see :Acp sessions"
      return messages.show("info", text:format(printable.visible(printable.short(cwd, text))))
    end
    local began, said = go_on(cwd, kept)
    if began then
      show(began)
      said = said .. close_empty(before)
    end
    if began and kept.cut and session_store.session(began).origin.agent ~= "replay" then
      session_windows.recall(began, kept.cut)
    end
    messages.show(began and "info" or "error", said)
  end)
  return true
end

return M
