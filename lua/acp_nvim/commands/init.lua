-- Runs `:Acp {subcommand}[!] [args]`. All subcommands are in one table, each with its help and its completion.
local activity = require("acp_nvim.commands.activity")
local agents = require("acp_nvim.commands.agents")
local comments = require("acp_nvim.commands.comments")
local decisions = require("acp_nvim.commands.decisions")
local did_you_mean = require("acp_nvim.ui.did_you_mean")
local first_file = require("acp_nvim.first_file")
local log = require("acp_nvim.ui.log")
local messages = require("acp_nvim.ui.messages")
local path_argument = require("acp_nvim.ui.path_argument")
local prompt_entry = require("acp_nvim.windows.prompt_entry")
local prompts = require("acp_nvim.commands.prompts")
local questions = require("acp_nvim.commands.questions")
local records = require("acp_nvim.commands.records")
local review = require("acp_nvim.commands.review")
local session_options = require("acp_nvim.commands.session_options")
local sessions = require("acp_nvim.commands.sessions")
local takes = require("acp_nvim.commands.takes")
local turns = require("acp_nvim.commands.turns")
require("acp_nvim.wiring")

local M = {}

---@class acp.Call
---@field bang boolean
---@field rest string      all after the subcommand
---@field words string[]
---@field range? { first: integer, last: integer }

---@class acp.Subcommand
---@field doc string      for the help
---@field args? string    for the help
---@field run fun(call: acp.Call): any, string?  nil and a message: it failed
---@field bang? boolean   it takes one
---@field range? boolean
---@field complete? fun(words: string[], lead: string): string[]  the words before the one at the cursor

local subcommands = {} ---@type table<string, acp.Subcommand>
M.subcommands = subcommands

local ROOMS = {
  sessions,
  session_options,
  prompts,
  questions,
  decisions,
  review,
  comments,
  takes,
  turns,
  activity,
  records,
  agents,
}

for _, room in ipairs(ROOMS) do
  for name, subcommand in pairs(room) do
    subcommands[name] = subcommand
  end
end

---@return string[]
local function names()
  local sorted = vim.tbl_keys(subcommands)
  table.sort(sorted)
  return sorted
end

---@param typed string  a name, or the beginning of one
---@return string[]  all names that it may mean; only itself if it is one
local function find_commands(typed)
  if subcommands[typed] then
    return { typed }
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name, typed)
  end, names())
end

---@param name string
---@return string
local function unknown(name)
  local near = did_you_mean(names(), name)
  return ("no subcommand '%s'%s"):format(name, near and (": did you mean '%s'?"):format(near) or ": see :Acp <Tab>")
end

---@param args vim.api.keyset.create_user_command.command_args
---@return any, string?
local function dispatch(args)
  first_file.here()
  local name, bang, rest = vim.trim(args.args):match("^([^%s!]*)(!?)%s*(.*)$")
  local candidates = find_commands(name == "" and "open" or name)
  if #candidates == 0 then
    return nil, unknown(name)
  elseif #candidates > 1 then
    return nil, ("'%s' may be %s"):format(name, table.concat(candidates, ", "))
  end
  name = candidates[1]
  local subcommand = subcommands[name]
  if bang ~= "" and not subcommand.bang then
    return nil, ("'%s' takes no !"):format(name)
  elseif args.range > 0 and not subcommand.range then
    return nil, ("'%s' takes no range"):format(name)
  elseif rest ~= "" and not subcommand.args then
    return nil, (":Acp %s takes no argument"):format(name)
  end
  return prompt_entry.by_user(function()
    return subcommand.run({
      bang = bang ~= "",
      rest = rest,
      words = vim.split(rest, "%s+", { trimempty = true }),
      range = args.range > 0 and { first = args.line1, last = args.line2 } or nil,
    })
  end)
end

--- Runs `:Acp`. A failure becomes a one-line message.
---@param args vim.api.keyset.create_user_command.command_args
function M.run(args)
  local ran, ok, message = xpcall(dispatch, debug.traceback, args)
  if not ran and tostring(ok):find("E11:", 1, true) then -- no window can be opened in the command-line window
    messages.show("warn", "close the command-line window first")
  elseif not ran then
    log.add(tostring(ok))
    messages.show("error", (tostring(ok):gsub("\n.*", "")))
  elseif not ok then
    messages.show("error", message or "that failed: see :Acp log")
  end
end

--- Completes the end of the command line.
---@param line string  up to the cursor
---@return string[]
function M.complete(line)
  local typed = line:match("^.-Acp%s+(.*)$") or ""
  local words = path_argument.typed_words(typed)
  local lead = table.remove(words)
  local candidates
  if #words == 0 then
    candidates = names()
    if subcommands[lead] and subcommands[lead].bang then
      table.insert(candidates, lead .. "!")
    end
  else
    local named = find_commands((table.remove(words, 1):gsub("!$", "")))
    local subcommand = #named == 1 and subcommands[named[1]]
    candidates = subcommand and subcommand.complete and subcommand.complete(words, lead) or {}
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
