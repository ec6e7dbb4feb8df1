-- Keeps what the user has made of right sides in buffers of its own, when no question waits for it any more. Such a
-- buffer is modified until it is written to a file, so that Neovim does not quit and lose it without a word.
local buffers = require("acp_nvim.proposal.buffers")
local messages = require("acp_nvim.ui.messages")
local reload = require("acp_nvim.ui.reload")
local write_copy = require("acp_nvim.proposal.write_copy")

local api = vim.api
local M = {}

local NOT_WRITTEN = "not written: no question waits for this text; :w {file} saves a copy, :bwipeout! drops it"

local count = 0

--- Lets a buffer be written under other names only: its question has ended.
---@param buf integer
function M.allow_copies(buf)
  local name = api.nvim_buf_get_name(buf)
  vim.bo[buf].buftype, vim.bo[buf].modifiable = "acwrite", true
  reload.keep_text(buf)
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function(event)
      if event.match == name then
        messages.show("warn", NOT_WRITTEN)
      elseif write_copy.write(event, name, "") then
        vim.bo[buf].modified = false
      end
    end,
  })
end

--- Puts the texts into buffers, and tells the user their numbers.
---@param question integer
---@param texts table<string, string>  path -> body
---@param said string  with a place for the numbers of the buffers
function M.put(question, texts, said)
  local bufs = {}
  for path, text in vim.spairs(texts) do
    if text ~= "" then -- nothing to keep: a file that is refused as a whole
      count = count + 1
      local name = ("acp://proposal/%d/yours/%d/%s"):format(question, count, vim.fs.basename(path))
      local buf = buffers.new(name, "acwrite")
      buffers.fill(buf, text)
      buffers.set_filetype(buf, path, buf)
      M.allow_copies(buf)
      vim.bo[buf].modified = true
      bufs[#bufs + 1] = buf
    end
  end
  if #bufs > 0 then
    messages.show("warn", said:format(table.concat(bufs, ", :sbuffer ")))
  end
end

return M
