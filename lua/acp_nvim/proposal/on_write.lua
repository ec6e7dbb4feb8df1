-- Handles writes of a right side: `:w` of all of it decides, if the user means it so; under another name it makes a
-- copy.
local decision = require("acp_nvim.proposal.decision")
local messages = require("acp_nvim.ui.messages")
local store = require("acp_nvim.proposal.store")
local write_copy = require("acp_nvim.proposal.write_copy")
local write_intent = require("acp_nvim.proposal.write_intent")

local api = vim.api
local M = {}

--- Tells that a write was no answer: always after a command of the user's, once for plugins that write again and again.
---@param proposal acp.Proposal
---@param is_pressed boolean
local function tell_unsent(proposal, is_pressed)
  if is_pressed or not proposal.told_unsent then
    proposal.told_unsent = true
    messages.show("warn", "the proposal was not sent: type :w in its window")
  end
end

---@param proposal acp.Proposal
---@param path string
---@param name string  of the buffer
---@param event table  BufWriteCmd
---@param go_to fun(index: integer)  shows another file
local function write(proposal, path, name, event, go_to)
  local buf = event.buf
  if event.match ~= name then
    write_copy.write(event, name, "; the proposal still waits for your answer")
    return
  end
  local is_whole = vim.fn.line("'[") == 1 and vim.fn.line("']") == api.nvim_buf_line_count(buf)
  write_intent.judge(buf, function()
    if not is_whole then
      messages.show("warn", "not sent: use :w without a range")
    elseif store.is_open(proposal) and api.nvim_buf_is_valid(buf) then
      local file = vim.iter(proposal.files):find(function(each)
        return each.path == path
      end)
      local following = decision.submit(proposal, file)
      if following then
        vim.schedule(function() -- Neovim goes back to the buffer that it writes
          go_to(following)
        end)
      end
    end
  end, function(is_pressed)
    tell_unsent(proposal, is_pressed)
  end)
end

--- Listens to writes of a right side.
---@param proposal acp.Proposal
---@param path string
---@param buf integer
---@param go_to fun(index: integer)
function M.listen(proposal, path, buf, go_to)
  local name = api.nvim_buf_get_name(buf)
  write_intent.watch(buf)
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function(event)
      write(proposal, path, name, event, go_to)
    end,
  })
end

return M
