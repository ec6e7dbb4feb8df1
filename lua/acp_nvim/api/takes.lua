-- Offers in the Lua API to take what somebody else has changed into review, and to give it back. Each take is a session
-- of its own, which has no agent. It is never the current one; what is pending of it belongs to whoever reviews.
local folder = require("acp_nvim.api.folder")
local first_file = require("acp_nvim.first_file")
local requests = require("acp_nvim.backend.session_requests")
local review = require("acp_nvim.review")
local sessions = require("acp_nvim.api.sessions")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

local NOTHING = "nothing to drop: what was taken is decided already"

--- Takes what a branch, a commit, a range of commits, a patch file or a worktree has changed into review.
---@param source string
---@param options? { cwd?: string }  default: the current folder
---@return integer? session
---@return string? message
function M.take(source, options)
  if type(source) ~= "string" or vim.trim(source) == "" then
    return nil, "take needs a branch, a commit, a range, a patch file or a worktree"
  elseif source:find("^%-") or source:find("[%z\n]") then
    return nil, ("'%s' is no branch, commit, range, patch or worktree"):format(source)
  end
  local cwd, message = folder.path(options and options.cwd or vim.fn.getcwd())
  if not cwd then
    return nil, message
  end
  return requests.begin("take", { agent = "taken", cwd = cwd }, { source = source })
end

--- Closes the session of a take of which nothing is left to decide.
---@param n integer
local function close(n)
  if session_store.exists(n) and #review.pending({ n }) == 0 then
    sessions.close_session({ session = n })
  end
end

--- Undoes what is pending of what was taken last, or of all that was taken.
---@param options? { all?: boolean }
---@return true? ok
---@return string? message
function M.drop(options)
  first_file.here()
  local waiting = vim.tbl_filter(function(n)
    return #review.pending({ n }) > 0 or #session_store.questions(n) > 0
  end, review.taken())
  if #waiting == 0 then
    return nil, NOTHING
  end
  local dropped = options and options.all and waiting or { waiting[#waiting] }
  local hunks = review.pending(dropped)
  local function close_all()
    vim.iter(dropped):each(close)
  end
  if #hunks == 0 then -- it only asks
    close_all()
    return true
  end
  return review.decide("undo", hunks, { aloud = true, after = close_all })
end

return M
