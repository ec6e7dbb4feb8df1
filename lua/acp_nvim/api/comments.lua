-- Offers the user's comments in the Lua API: add, edit, list, send, remove.
local comments = require("acp_nvim.comments")
local requests = require("acp_nvim.backend.session_requests")
local sessions = require("acp_nvim.api.sessions")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

local SIDES = { live = true, old = true, proposed = true }

---@param value any
---@return boolean
local function is_line(value)
  return type(value) == "number" and value == math.floor(value)
end

---@class acp.CommentOptions
---@field id? integer     of the comment that is to be changed; nil: a new one
---@field text? string
---@field state? acp.CommentState
---@field path? string    default: the current buffer
---@field first? integer  default: the cursor's line
---@field last? integer   default: `first`
---@field side? acp.CommentSide  "old": lines that a pending change has removed

---@param options acp.CommentOptions
---@return integer? id
---@return string? message
local function add(options)
  local path, first, side = options.path, options.first, options.side
  if first == nil and path == nil then
    first = vim.api.nvim_win_get_cursor(0)[1]
  end
  local last = options.last == nil and first or options.last
  if path ~= nil and (type(path) ~= "string" or path == "") then
    return nil, "a comment needs the path of a file"
  elseif not (is_line(first) and is_line(last)) then
    return nil, "a comment needs the numbers of its first and its last line"
  elseif side ~= nil and not SIDES[side] then
    return nil, ("the side of a comment is 'live', 'old' or 'proposed', not '%s'"):format(tostring(side))
  end
  local about, message
  local name = path or vim.api.nvim_buf_get_name(0)
  if side == "old" or (path and side ~= "proposed") then
    about, message = comments.in_file(name, first, last, side)
  elseif path then
    about, message = comments.in_proposal(path, first, last)
  else
    about, message = comments.in_buffer(vim.api.nvim_get_current_buf(), first, last)
  end
  if not about then
    return nil, message
  end
  return comments.add(about, options.text)
end

--- Comments lines, or changes a comment: its text, its state.
---@param options acp.CommentOptions
---@return integer? id
---@return string? message
function M.comment(options)
  if options == nil then
    return nil, "a comment needs a text"
  elseif options.id ~= nil then
    return comments.change(options.id, options.text, options.state)
  end
  return add(options)
end

--- Removes a comment.
---@param id integer
---@return true? ok
---@return string? message
function M.uncomment(id)
  return comments.remove(id)
end

--- The comments of the projects that have been looked at, in the order of their paths and lines.
---@param options? { path?: string, state?: acp.CommentState }
---@return table[]? comments
---@return string? message
function M.comments(options)
  if options and options.path ~= nil and type(options.path) ~= "string" then
    return nil, "the path of comments must be a string"
  end
  comments.load()
  local path = options and options.path and comments.resolve(options.path)
  local wanted = options and options.state
  local list = {}
  for _, comment in ipairs(comments.all()) do
    if (not path or comment.path == path) and (not wanted or comment.state == wanted) then
      list[#list + 1] = {
        id = comment.id,
        path = comment.path,
        side = comment.side,
        first = comment.first,
        last = comment.last,
        text = comment.text,
        state = comment.state,
        moved = comment.moved,
        question = comment.question,
      }
    end
  end
  return list
end

--- Sends all drafts in one message: into the running turn, where the agent takes that, else as a prompt. Without any
--- session the default agent is started.
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.send_comments(options)
  local n, message
  comments.load()
  if not (options and options.session) and not session_store.current() then
    if #M.comments({ state = "draft" }) == 0 then
      return nil, "no comments to send: :Acp comment adds one"
    end
    n, message = sessions.new_session()
  else
    n, message = requests.session_of(options)
  end
  if not n then
    return nil, message
  end
  return comments.send(n)
end

return M
