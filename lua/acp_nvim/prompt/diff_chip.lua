-- Serves `:Acp add diff`, the chip for what git says has changed since the last commit. It stands in the prompt before
-- git has answered, so that a prompt that is sent at once does not leave without it.
local chips = require("acp_nvim.prompt.chips")
local git_diff_request = require("acp_nvim.prompt.git_diff_request")
local messages = require("acp_nvim.ui.messages")
local prompt = require("acp_nvim.prompt.buffer")
local session_store = require("acp_nvim.backend.session_store")

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

--- Adds the diff since the last commit. Its chip is there at once, so that it goes along with the next prompt; the text
--- comes when git has ended.
---@param n integer
---@param told fun(text: string)  says that the chip is there
function M.add(n, told)
  local cwd = (session_store.look(n) or {}).cwd or vim.fn.getcwd()
  local diff ---@type acp.GitDiff
  local shown ---@type string
  diff = git_diff_request.ask(cwd, function()
    if not session_store.exists(n) then
      return
    elseif not diff.text then
      prompt.replace(n, shown)
      return messages.show("error", diff.why or "")
    end
    local before = shown
    shown = chips.renamed(n, before)
    prompt.replace(n, before, shown)
    told(shown)
  end)
  shown = chips.new(n, function()
    return diff.text and ("diff %d lines"):format(changed_lines(diff.text)) or "diff"
  end, function()
    return git_diff_request.await(diff)
  end)
  prompt.insert(n, shown)
end

return M
