-- The left side: the file as it is now, in the user's own buffer where it is loaded.
local abreast = require("acp_nvim.abreast")
local desk = require("acp_nvim.proposal.desk")
local sheet = require("acp_nvim.proposal.sheet")

local M = {}

---@param proposal acp.Proposal
---@return integer? buf  none: the file is new
function M.buffer(proposal)
  if not proposal.shown.left_bar then
    return nil
  end
  local shown, path = proposal.shown, desk.path_of(proposal)
  local loaded = (shown.live or shown.follows) and require("acp_nvim.files").find(path)
  if loaded then
    return loaded
  end
  local buf = proposal.lefts[path]
  if not (buf and vim.api.nvim_buf_is_loaded(buf)) then
    buf = sheet.new(sheet.name_of(shown, path, "live/"), "nofile")
    proposal.lefts[path] = buf
  end
  sheet.fill(buf, shown.left)
  vim.bo[buf].modifiable = false
  return buf
end

--- What the user changes in the file comes to be on both sides.
---@param proposal acp.Proposal
---@param left? integer  buffer
function M.follow(proposal, left)
  local page = proposal.pages[desk.path_of(proposal)]
  if proposal.follower then
    proposal.follower.stop()
    proposal.follower = nil
  end
  if page and left and page.follows and not vim.list_contains(vim.tbl_values(proposal.lefts), left) then
    proposal.follower = abreast.watch(left, page.buf, function()
      if desk.is_open(proposal) then
        abreast.follow(page, abreast.text_of(left))
      end
    end)
  end
end

return M
