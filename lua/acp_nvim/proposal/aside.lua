-- What the user has made of a right side stays in a buffer of its own once something else has taken its place.
local desk = require("acp_nvim.proposal.desk")
local messages = require("acp_nvim.ui.messages")
local sheet = require("acp_nvim.proposal.sheet")

local M = {}

local count = 0

---@param question integer
---@param path string
---@param text string
---@return integer buf
function M.put(question, path, text)
  count = count + 1
  local buf = sheet.new(("acp://proposal/%d/yours/%d/%s"):format(question, count, vim.fs.basename(path)), "nofile")
  sheet.fill(buf, text)
  sheet.set_filetype(buf, path, buf)
  return buf
end

--- Another version of the right side has taken its place: the user's own stays in a buffer.
---@param question integer
---@param path string
---@param text string
function M.keep(question, path, text)
  local buf = M.put(question, path, text)
  local proposal = desk.open[question]
  for _, known in ipairs({ proposal and proposal.pages or {}, desk.kept[question] or {} }) do
    known[path] = nil
  end
  messages.show("warn", ("the proposal changed in lines that you edited; yours: :sbuffer %d"):format(buf))
end

return M
