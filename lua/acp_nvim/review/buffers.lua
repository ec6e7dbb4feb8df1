-- The loaded buffers of files in review come and go, are renamed, and bring back what was deleted.
local book = require("acp_nvim.review.book")
local deleted = require("acp_nvim.review.deleted")
local hunks = require("acp_nvim.hunks")
local listeners = require("acp_nvim.review.listeners")
local stream = require("acp_nvim.stream")

local api = vim.api
local M = {}

local group = api.nvim_create_augroup("acp_nvim.review", {})

---@param real string
---@param file acp.Changed
---@param buf integer
function M.unload(real, file, buf)
  if file.buf == buf then
    for _, hunk in pairs(file.hunks) do
      hunk.first = api.nvim_buf_is_loaded(buf) and hunks.first(buf, hunk) or hunk.first
    end
    hunks.clear(buf)
    file.buf = nil
    listeners.announce(buf, false)
  end
  if stream.buffer(real) == buf then
    stream.detach(buf)
  end
end

--- What the buffer knows is to be known without it.
---@param buf integer
local function remember(buf)
  for _, file in pairs(book.files) do
    for _, hunk in pairs(file.buf == buf and api.nvim_buf_is_loaded(buf) and file.hunks or {}) do
      hunk.first = hunks.first(buf, hunk)
      hunk.new = hunk.new or api.nvim_buf_get_lines(buf, hunk.first, hunk.first + hunk.n, false)
    end
  end
end

-- Before or after the buffer is told to be gone: that differs between Neovims.
api.nvim_create_autocmd("BufUnload", {
  group = group,
  callback = function(event)
    remember(event.buf)
    deleted.forget(event.buf)
  end,
})

stream.listen(function(buf, real)
  remember(buf)
  hunks.forget(buf)
  if book.files[real] and book.files[real].buf == buf then
    book.files[real].buf = nil
  end
  listeners.announce_gone(buf)
end)

--- A buffer is there, or has another name.
---@param buf integer
local function meet(buf)
  local kind = api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype
  local real, file = book.find(api.nvim_buf_get_name(buf))
  local before = stream.attached()[buf]
  if before and before ~= real then
    listeners.announce(buf, false)
    stream.leave(buf)
    hunks.clear(buf)
  end
  if real and file and file.deleted and not vim.uv.fs_stat(real) then
    deleted.show(real, file)
  elseif real and file and not stream.buffer(real) and (kind == "" or kind == "acwrite") then
    stream.attach(buf, real)
  end
end

--- The loaded buffers of a file that has come into review.
---@param real string
function M.meet_loaded(real)
  local look = require("acp_nvim.files").look(real)
  if look then
    meet(look.buf)
  end
end

-- To write a deleted file is to bring it back.
api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
  group = group,
  callback = function(event)
    if next(book.files) then
      meet(event.buf)
    end
  end,
})

return M
