-- Asks git what has changed since the last commit, for a prompt that is about to be sent: in the background, awaited
-- for a moment.
local git_diff = require("acp_nvim.backend.git_diff")
local limits = require("acp_nvim.limits")
local messages = require("acp_nvim.ui.messages")

local M = {}

local FRESH_MS = 5000
local MOST_WAIT_MS = 300 -- a prompt that is sent at once waits so long for git; then the user is told to repeat it

---@class acp.GitDiff
---@field began integer  when git was asked
---@field over boolean   git has ended
---@field text? string
---@field why? string    there is none

--- Asks git what differs from the last commit.
---@param cwd string
---@param diff acp.GitDiff
---@param ended fun()  later
local function ask_git(cwd, diff, ended)
  ---@param text? string
  ---@param why? string
  local function is_over(text, why)
    diff.over, diff.text, diff.why = true, text, why
    ended()
  end
  local ok, message = git_diff.ask(cwd, function(result)
    if result.code ~= 0 then
      local why = vim.trim(result.stderr or ""):match("^[^\n]*")
      return is_over(nil, "git has no diff: " .. (why ~= "" and why or "it took too long"))
    elseif result.stdout == "" then
      return is_over(nil, "git sees no changes here")
    end
    is_over(result.stdout)
  end)
  if not ok then
    vim.schedule(function()
      is_over(nil, message)
    end)
  end
end

---@param text string
---@return string
local function bounded(text)
  if #text <= limits.ATTACHED_BYTES then
    return text
  end
  messages.show("warn", ("the diff is %.1f MB: cut at 1 MB"):format(#text / 2 ^ 20))
  return text:sub(1, limits.ATTACHED_BYTES) .. "\n… cut here"
end

--- Asks git for the diff of a folder.
---@param cwd string
---@param ended? fun()  later: the diff is over
---@return acp.GitDiff
function M.ask(cwd, ended)
  local diff = { over = false, began = vim.uv.now() } ---@type acp.GitDiff
  ask_git(cwd, diff, function()
    diff.text = diff.text and bounded(diff.text)
    if ended then
      ended()
    end
  end)
  return diff
end

--- The diff as it goes along with a prompt, which does not wait long for git.
---@param diff acp.GitDiff
---@return acp.ContextItem
function M.await(diff)
  vim.wait(MOST_WAIT_MS, function()
    return diff.over
  end, 10)
  if not diff.over then
    return { late = "not sent: git is still reading the diff, send again" }
  end
  return diff.text and { title = "git diff", text = diff.text } or { missing = diff.why }
end

local asked = {} ---@type table<string, acp.GitDiff>  folder -> the diff for a prompt that has not gone out

--- Asks git ahead, when `@diff` is being typed. A diff that has been there for a while is asked for again.
---@param cwd string
---@return acp.GitDiff
function M.prepare(cwd)
  local diff = asked[cwd]
  if not diff or diff.over and vim.uv.now() - diff.began > FRESH_MS then
    diff = M.ask(cwd)
    asked[cwd] = diff
  end
  return diff
end

--- What `@diff` stands for in a prompt that is being sent.
---@param cwd string
---@return acp.ContextItem
function M.item(cwd)
  local diff = M.prepare(cwd)
  local item = M.await(diff)
  if diff.over then
    asked[cwd] = nil
  end
  return item
end

return M
