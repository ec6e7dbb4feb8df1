-- What the user has made of a right side stays in a buffer of its own once something else has taken its place.
local buffers = require("acp_nvim.proposal.buffers")
local messages = require("acp_nvim.ui.messages")

local M = {}

local count = 0

---@param question integer
---@param path string
---@param text string
---@return integer buf
function M.put(question, path, text)
  count = count + 1
  local name = ("acp://proposal/%d/yours/%d/%s"):format(question, count, vim.fs.basename(path))
  local buf = buffers.new(name, "nofile")
  buffers.fill(buf, text)
  buffers.set_filetype(buf, path, buf)
  return buf
end

--- Puts all of these texts into buffers, and says where.
---@param question integer
---@param texts table<string, string>  path -> text
---@param said string  with a place for the number of the last buffer
function M.put_all(question, texts, said)
  local buf
  for path, text in pairs(texts) do
    buf = M.put(question, path, text)
  end
  if buf then
    messages.show("warn", said:format(buf))
  end
end

return M
