-- `:Acp add diff`: the chip for what git says has changed since the last commit. It stands in the prompt before git has
-- answered, so that a prompt that is sent at once does not leave without it.
local chips = require("acp_nvim.prompt.chips")
local git_diff = require("acp_nvim.backend.git_diff")
local limits = require("acp_nvim.limits")
local messages = require("acp_nvim.ui.messages")
local prompt = require("acp_nvim.prompt.buffer")
local state = require("acp_nvim.backend.session_store")

local M = {}

---@param text string
---@return integer
local function changed_lines(text)
  local count = 0
  for sign, second in text:gmatch("\n([+-])(.?.?)") do
    count = count + (second ~= sign .. sign and 1 or 0)
  end
  return count
end

local MOST_WAIT_MS = 300 -- a prompt that is sent at once waits so long for git; then the user is told to repeat it

---@class acp.GitDiff
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
  messages.show("warn", ("the diff has %.1f MB: cut at 1 MB"):format(#text / 2 ^ 20))
  return text:sub(1, limits.ATTACHED_BYTES) .. "\n… cut here"
end

--- Adds the diff since the last commit. Its chip is there at once, so that it goes along with the next prompt; the text
--- comes when git has ended.
---@param n integer
---@param told fun(text: string)  says that the chip is there
function M.add(n, told)
  local cwd = (state.look(n) or {}).cwd or vim.fn.getcwd()
  local diff = { over = false } ---@type acp.GitDiff
  local shown ---@type string
  ask_git(cwd, diff, function()
    if not state.exists(n) then
      return
    elseif not diff.text then
      prompt.replace(n, shown)
      return messages.show("error", diff.why or "")
    end
    diff.text = bounded(diff.text)
    local before = shown
    shown = chips.renamed(n, before)
    prompt.replace(n, before, shown)
    told(shown)
  end)
  shown = chips.new(n, function()
    return diff.text and ("diff %d lines"):format(changed_lines(diff.text)) or "diff"
  end, function()
    vim.wait(MOST_WAIT_MS, function()
      return diff.over
    end, 10)
    if not diff.over then
      return { late = "not sent: git is still reading the diff, send again" }
    end
    return diff.text and { title = "git diff", text = diff.text } or { missing = diff.why }
  end)
  prompt.insert(n, shown)
end

return M
