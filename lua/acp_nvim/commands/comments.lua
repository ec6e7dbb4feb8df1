-- Defines the subcommands of `:Acp` for comments: write, list, send, remove.
local acp = require("acp_nvim")
local changes_quickfix = require("acp_nvim.commands.changes_quickfix")
local comments = require("acp_nvim.comments")
local messages = require("acp_nvim.ui.messages")
local session_windows = require("acp_nvim.windows.session_windows")
local session_store = require("acp_nvim.backend.session_store")

local api = vim.api
local subcommands = {} ---@type table<string, acp.Subcommand>

local NONE_HERE = "no comment in this line: :Acp comments lists them"

---@param ok any
---@param message? string
local function tell_failure(ok, message)
  if not ok then
    messages.show("error", message or "that failed: see :Acp log")
  end
end

--- Asks for a text. No answer changes nothing.
---@param prompt string
---@param before? string
---@param use fun(text: string)  which may be empty
local function ask(prompt, before, use)
  vim.ui.input({ prompt = prompt, default = before }, function(text)
    if text then
      use(text)
    end
  end)
end

---@param comment acp.Comment
---@param text string
local function edit(comment, text)
  if vim.trim(text) == "" then
    tell_failure(comments.remove(comment.id))
  else
    tell_failure(comments.change(comment.id, text))
  end
end

--- The comment that a command without a text is to edit: a draft on just these lines.
---@param about acp.NewComment
---@return acp.Comment?
local function draft_on(about)
  return vim.iter(comments.all()):find(function(comment)
    return comment.state == "draft"
      and comment.path == about.path
      and comment.side == about.side
      and comment.first == about.first
      and comment.last == about.last
      and comment.question == about.question
  end)
end

---@param about acp.NewComment
---@return string
local function prompt_for(about)
  local what = about.side == "old" and "old line" or "line"
  local where = about.last > about.first and ("%ss %d-%d"):format(what, about.first, about.last)
    or ("%s %d"):format(what, about.first)
  return ("comment on %s: "):format(where)
end

subcommands.comment = {
  args = "[text]",
  doc = "comments the cursor's line or the range, in a file or on a side of a proposal; without a text it asks for "
    .. "one, or edits the draft that stands there; with ! the lines that the change under the cursor has removed",
  range = true,
  bang = true,
  run = function(call)
    local buf, at = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1]
    local first, last = call.range and call.range.first or at, call.range and call.range.last or at
    comments.load()
    local here = not call.range and not call.bang and call.rest == "" and comments.in_lines(buf, first, last)
    local draft = here and vim.iter(here):find(function(comment)
      return comment.state == "draft"
    end)
    local about, message = (call.bang and comments.removed_at or comments.in_buffer)(buf, first, last)
    if call.rest ~= "" then
      if not about then
        return nil, message
      end
      return comments.add(about, call.rest)
    end
    draft = draft or (about and draft_on(about))
    if draft then
      ask("edit comment: ", draft.text, function(text)
        edit(draft, text)
      end)
    elseif about then
      ask(prompt_for(about), nil, function(text)
        if vim.trim(text) ~= "" then
          tell_failure(comments.add(about, text))
        end
      end)
    else
      return nil, message
    end
    return true
  end,
}

---@param call acp.Call
---@return acp.Comment[]
local function comments_here(call)
  local at = api.nvim_win_get_cursor(0)[1]
  local range = call.range or { first = at, last = at }
  comments.all()
  return comments.in_lines(api.nvim_get_current_buf(), range.first, range.last)
end

---@param list acp.Comment[]
---@param what string
---@return string
local function counted(list, what)
  return ("%s %s"):format(#list == 1 and "1 comment" or ("%d comments"):format(#list), what)
end

subcommands.uncomment = {
  args = "[done]",
  doc = "removes the comment in the cursor's line, those in the range, or all that are done",
  range = true,
  complete = function(words)
    return #words == 0 and { "done" } or {}
  end,
  run = function(call)
    if call.rest ~= "" and call.rest ~= "done" then
      return nil, "usage: :Acp uncomment [done]"
    end
    comments.load()
    local list = call.rest == "" and comments_here(call)
      or vim.tbl_filter(function(comment)
        return comment.state == "done"
      end, comments.all())
    if #list == 0 then
      return nil, call.rest == "" and NONE_HERE or "no comment is done"
    end
    for _, comment in ipairs(list) do
      local ok, message = comments.remove(comment.id)
      if not ok then
        return nil, message
      end
    end
    messages.show("info", counted(list, "removed"))
    return true
  end,
}

subcommands.resolve = {
  doc = "marks the comment in the cursor's line, or those in the range, as done",
  range = true,
  run = function(call)
    local list = comments_here(call)
    for _, comment in ipairs(list) do
      comments.change(comment.id, nil, "done")
    end
    return #list > 0 or nil, NONE_HERE
  end,
}

subcommands.comments = {
  doc = "puts all comments into the quickfix list and shows the first",
  run = function()
    comments.load()
    local list = comments.all()
    if #list == 0 then
      messages.show("info", "no comments: :Acp comment adds one")
      return true
    end
    local items = vim.tbl_map(changes_quickfix.comment_item, list)
    local title = #list == 1 and "1 comment" or ("%d comments"):format(#list)
    vim.fn.setqflist({}, " ", { title = title, items = items })
    changes_quickfix.show_first(items)
    messages.show("info", ("comment 1 of %d · :cnext next · :Acp send · :copen list"):format(#list))
    return true
  end,
}

subcommands.send = {
  doc = "sends all comments that are drafts in one message: into the running turn where the agent takes that, "
    .. "else as a prompt",
  run = function()
    local had_session = session_store.current() ~= nil
    local ok, message = acp.send_comments()
    if ok and not had_session then
      session_windows.open(assert(session_store.current())) -- beside the file that the user is in
    end
    return ok, message
  end,
}

return subcommands
