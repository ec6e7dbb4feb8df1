-- `:Acp` for the changes that wait for a review.
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")

local api = vim.api
local subcommands = {} ---@type table<string, acp.Subcommand>

---@param word? string  a session's number
---@return integer? n
---@return string? message
local function session_of(word)
  local n = word and tonumber(word) or not word and state.current() or nil
  if not n or not state.exists(n) then
    return nil, word and ("there is no session %s"):format(word) or "there is no session: :Acp new starts one"
  end
  return n
end

---@param n integer
---@return integer
local function turn_of(n)
  return (state.look(n) or {}).turn or 0
end

-- The list -------------------------------------------------------------------------------------------------------------

---@param file table  as changes() has it
---@param hunk table
---@return string  "+2 -1 the first line"
local function summary(file, hunk)
  local first = hunk.note or vim.trim(hunk.new[1] or hunk.old[1] or "")
  local what = file.created and "new file: " or file.deleted and "deleted: " or ""
  return ("%s+%d -%d %s"):format(what, #hunk.new, #hunk.old, scratch.cut(scratch.visible(first), 200))
end

---@param n integer
---@param turn? integer
---@return table[] items  for the quickfix list
---@return table? first   the file of the first one
local function items_of(n, turn)
  local items = {}
  for _, file in ipairs(require("acp_nvim.review").changes(n)) do
    for _, hunk in ipairs(file.hunks) do
      if hunk.state == "pending" and (not turn or hunk.turn == turn) then
        items[#items + 1] = { filename = file.path, lnum = math.max(1, hunk.first), text = summary(file, hunk) }
      end
    end
    if file.unknown then
      items[#items + 1] = { filename = file.path, lnum = 1, text = "changed: earlier text unknown, no undo" }
    end
  end
  return items
end

--- In a window of the user's, as `:cfirst` does.
local function show_first()
  local here = api.nvim_get_current_win()
  local is_ours = vim.b[api.nvim_win_get_buf(here)].acp_session or vim.bo[api.nvim_win_get_buf(here)].buftype ~= ""
  if is_ours or vim.wo[here].winfixbuf then
    api.nvim_set_current_win(require("acp_nvim.window").origin()) -- which makes one if there is none
  end
  vim.cmd("silent cfirst")
end

---@param count integer
---@param noun string
---@return string
local function counted(count, noun)
  return ("%d %s%s"):format(count, noun, count == 1 and "" or "s")
end

---@param items table[]
---@return string
local function listed(items)
  local files = {}
  for _, item in ipairs(items) do
    files[item.filename] = true
  end
  local changes, places = counted(#items, "change"), counted(vim.tbl_count(files), "file")
  return ("%s in %s: :cnext goes on, :copen lists them"):format(changes, places)
end

subcommands.review = {
  args = "[session]",
  doc = "puts the turn's pending changes, with a session's number all of its, into the quickfix list and shows the first",
  complete = function()
    return vim.tbl_map(tostring, state.numbers())
  end,
  run = function(call)
    local n, message = session_of(call.words[1])
    if not n then
      return nil, message
    end
    local items = items_of(n, not call.words[1] and turn_of(n) or nil)
    if #items == 0 then
      items = items_of(n)
    end
    if #items == 0 then
      scratch.message("info", "no change is pending")
      return true
    end
    vim.fn.setqflist({}, " ", { title = ("changes of session %d"):format(n), items = items })
    show_first()
    scratch.message("info", listed(items)) -- the cursor may stand on the first one already
    return true
  end,
}

-- Decisions ------------------------------------------------------------------------------------------------------------

---@param range? { first: integer, last: integer }
---@return acp.Hunk[]? hunks
---@return string? message
local function hunks_here(range)
  local review = require("acp_nvim.review")
  if range then
    local found = review.touching(api.nvim_get_current_buf(), range.first - 1, range.last - 1)
    return #found > 0 and found or nil, #found == 0 and "no pending change in these lines" or nil
  end
  local hunk = review.hunk_at_cursor()
  if not hunk then
    local any = review.of_buffer(api.nvim_get_current_buf())
    return nil, "no pending change under the cursor" .. (any and "" or ": :Acp review lists them")
  end
  return { hunk }
end

---@param verb "keep"|"undo"
---@param turn? true
---@param with_unknown boolean
---@return true?, string?
local function decide_all(verb, turn, with_unknown)
  local n, message = session_of()
  if not n then
    return nil, message
  end
  local review = require("acp_nvim.review")
  local pending, unknown = review.pending(n, turn and turn_of(n) or nil)
  local left, chosen = {}, {}
  for _, hunk in ipairs(pending) do
    if with_unknown or hunk.by == "agent" then
      chosen[#chosen + 1] = hunk
    end
  end
  if #chosen < #pending then
    left[1] = ("%d that nobody announced left: :Acp undo! turn"):format(#pending - #chosen)
  end
  if verb == "undo" and #unknown > 0 then
    local names = vim.tbl_map(vim.fs.basename, unknown)
    left[#left + 1] = ("earlier text unknown: %s"):format(table.concat(names, ", "))
  end
  if #chosen == 0 and (verb == "undo" or #unknown == 0) then
    return nil, #left > 0 and table.concat(left, "; ") or "no change is pending"
  end
  return review.decide(verb, chosen, { all = verb == "keep" and n or nil, left = left, aloud = true })
end

---@param verb "keep"|"undo"
---@param call acp.Call
---@return true?, string?
local function decide(verb, call)
  local what = call.words[1]
  if what == nil and not call.bang then
    local found, message = hunks_here(call.range)
    if not found then
      return nil, message
    end
    return require("acp_nvim.review").decide(verb, found)
  elseif what == "all" and not call.bang then
    return decide_all(verb, nil, true)
  elseif what == "turn" and verb == "undo" then
    return decide_all(verb, true, call.bang)
  end
  return nil, verb == "keep" and "keep, or keep all" or "undo, undo all, undo turn or undo! turn"
end

subcommands.hunk = {
  args = "{next|previous}",
  doc = "goes to the next or previous pending change of this buffer",
  complete = function(words)
    return #words == 0 and { "next", "previous" } or {}
  end,
  run = function(call)
    if call.rest ~= "next" and call.rest ~= "previous" then
      return nil, "hunk next, or hunk previous"
    end
    require("acp_nvim.hunk_keys").jump(call.rest == "next" and 1 or -1)
    return true
  end,
}

subcommands.keep = {
  args = "[all]",
  doc = "keeps the change under the cursor, those in the range, or all of the session",
  range = true,
  complete = function(words)
    return #words == 0 and { "all" } or {}
  end,
  run = function(call)
    return decide("keep", call)
  end,
}

subcommands.undo = {
  args = "[all|turn]",
  doc = "takes back the change under the cursor, those in the range, all of the session or of its last turn, with ! also what nobody announced",
  range = true,
  bang = true,
  complete = function(words)
    return #words == 0 and { "all", "turn" } or {}
  end,
  run = function(call)
    return decide("undo", call)
  end,
}

return subcommands
