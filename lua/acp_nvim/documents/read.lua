-- Reads a loaded file for an agent: the text that the user sees, unsaved lines included.
local find = require("acp_nvim.documents.find")
local origin = require("acp_nvim.documents.origin")
local text = require("acp_nvim.documents.text")

local M = {}

--- Whether the file may be read from disk instead of from the buffer.
---@param buf integer
---@return boolean
local function is_plain(buf)
  local bo = vim.bo[buf]
  local utf8 = bo.fileencoding == "" or bo.fileencoding == "utf-8"
  return utf8 and not bo.modified and bo.buftype == "" and not bo.binary
end

---@class acp.Document
---@field plain? true        unmodified: the disk has the text, or a newer one
---@field text? string       the buffer's
---@field ff? "unix"|"dos"|"mac"
---@field final? boolean
---@field bom? boolean
---@field modified? boolean
---@field fenc? string

--- Returns the text of a loaded file.
---@param path string   absolute
---@param whole? boolean  the text is wanted in any case
---@return acp.Document?  nil: no buffer has it
function M.read(path, whole)
  local buf = find.find(path)
  if not buf then
    return nil
  elseif not whole and is_plain(buf) then
    return { plain = true }
  end
  local live = text.of_buffer(buf)
  return {
    text = text.whole(live),
    ff = live.ff,
    final = live.final,
    bom = live.bom,
    modified = vim.bo[buf].modified,
    fenc = vim.bo[buf].fileencoding,
    ahead = origin.is_ahead(buf),
  }
end

return M
