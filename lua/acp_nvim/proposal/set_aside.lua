-- Puts what the user has made of right sides into buffers of its own, when something else takes its place.
local buffers = require("acp_nvim.proposal.buffers")
local messages = require("acp_nvim.ui.messages")

local M = {}

local count = 0

--- Puts the texts into buffers, and tells the user their number.
---@param question integer
---@param texts table<string, string>  path -> body
---@param said string  with a place for the number of the last buffer
function M.put(question, texts, said)
  local buf
  for path, text in pairs(texts) do
    count = count + 1
    buf = buffers.new(("acp://proposal/%d/yours/%d/%s"):format(question, count, vim.fs.basename(path)), "nofile")
    buffers.fill(buf, text)
    buffers.set_filetype(buf, path, buf)
  end
  if buf then
    messages.show("warn", said:format(buf))
  end
end

return M
