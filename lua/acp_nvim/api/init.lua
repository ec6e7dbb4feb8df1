-- Joins the functions of the Lua API for the public module. None blocks or raises: what can fail returns true or a
-- value, or nil and a message.
local comments = require("acp_nvim.api.comments")
local conversation = require("acp_nvim.api.conversation")
local log = require("acp_nvim.ui.log")
local requests = require("acp_nvim.backend.session_requests")
local review = require("acp_nvim.api.review")
local saved_sessions = require("acp_nvim.api.saved_sessions")
local session_options = require("acp_nvim.api.session_options")
local sessions = require("acp_nvim.api.sessions")
local statusline = require("acp_nvim.api.statusline")
local takes = require("acp_nvim.api.takes")
require("acp_nvim.ui.highlight")

---@class acp
local M = {}

-- Where the options stand among the arguments; 1 if nothing else is said.
local OPTIONS = {
  prompt = 2,
  steer = 2,
  load = 2,
  resume = 2,
  reopen = 2,
  rename = 2,
  delete = 2,
  login = 2,
  set_mode = 2,
  set_model = 2,
  set_option = 3,
  setup = false,
  answer = false,
  replay = false,
  keep = false,
  undo = false,
  undo_turn = 2,
  restore = 2,
  redo = false,
  blame = false,
  uncomment = false,
  take = 2,
}

--- Whatever goes wrong in `fn` becomes a message.
---@param fn function
---@param options_at integer|false
---@return function
local function guarded(fn, options_at)
  return function(...)
    local options = options_at and select(options_at, ...) or nil
    if options ~= nil and type(options) ~= "table" then
      return nil, "the options must be a table"
    end
    local results = vim.F.pack_len(xpcall(fn, debug.traceback, ...))
    if results[1] then
      return unpack(results, 2, results.n)
    end
    log.add(tostring(results[2]))
    return nil, (tostring(results[2]):gsub("\n.*", ""))
  end
end

local ROOMS = {
  sessions,
  saved_sessions,
  statusline,
  session_options,
  conversation,
  review,
  comments,
  { take = takes.take, drop = takes.drop },
}

for _, room in ipairs(ROOMS) do
  for name, fn in pairs(room) do
    M[name] = guarded(fn, OPTIONS[name] == nil and 1 or OPTIONS[name])
  end
end
M._send = guarded(requests.send, false)

return M
