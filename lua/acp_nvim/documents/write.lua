-- Writes a loaded file for an agent: merges the text with what the user has changed since the agent read the file, puts
-- it into the buffer as one undo step, and saves it. All of it happens in one tick of the event loop, so that nothing
-- can come in between.
--
--   base    what the agent believes the file holds        a b c
--   mine    the buffer, with what has come to the disk    a b c d     the user has typed d
--   theirs  what the agent writes                         a B c
--   the buffer and the file become                        a B c d
local changes = require("acp_nvim.documents.changes")
local diff = require("acp_nvim.documents.diff")
local edit_and_save = require("acp_nvim.documents.edit_and_save")
local encoding = require("acp_nvim.documents.encoding")
local find = require("acp_nvim.documents.find")
local locked = require("acp_nvim.documents.locked")
local merge = require("acp_nvim.documents.merge")
local origin = require("acp_nvim.documents.origin")
local save = require("acp_nvim.documents.save")
local text = require("acp_nvim.documents.text")

local M = {}

local WRITING_SECONDS = 1 -- by which a file that is half written has changed

---@class acp.ProposedText   of a write that the user has decided on
---@field texts string[]     what the disk holds if the agent has written its proposal by itself
---@field right string       the base where the buffer has taken that up

---@class acp.WriteRequest
---@field path string         resolved; where it led when it was judged
---@field base? string        what the agent believes; nil: see `base_bytes`
---@field base_bytes? string  the bytes that it builds on; nil, too: nobody knows
---@field proposed? acp.ProposedText
---@field text string
---@field by acp.By
---@field autocmds boolean
---@field known? acp.KnownText
---@field settled? acp.Stamp  of the file that the user was asked about
---@field typed? acp.TypedLines

---@class acp.Mine
---@field live acp.Text       the buffer
---@field whole string        its text as one string
---@field text acp.Text       the buffer, with what has come to the disk
---@field apart? acp.Text      the same with the disk's lines where these and the unsaved ones overlap
---@field is_coarse? boolean  they have changed too much to be compared line by line
---@field stamp? acp.Stamp    of the disk
---@field is_ahead? boolean
---@field is_others? boolean  no agent has brought to the disk what it is ahead by

---@param proposed? acp.ProposedText
---@param disk acp.Text
---@return boolean
local function is_proposed(proposed, disk)
  return proposed ~= nil and vim.list_contains(proposed.texts, text.whole(disk))
end

--- Whether the file is one that the agent is just writing: it has a beginning of the agent's text, or all of it and a
--- rest of the old text that is not cut off yet. What was there at the last look, before the turn say, is another's,
--- and so is what has stayed for a second: another program has cut the file off.
---
---   the agent writes "a b", over "a c d":  the disk has "", "a", "a b", or "a b d"
---@param known? acp.KnownText
---@param theirs string
---@param data string
---@param stamp acp.Stamp
---@return boolean
local function is_half_written(known, theirs, data, stamp)
  local now = vim.uv.gettimeofday()
  if not (known and known.text) or data == known.text or now - stamp[1] > WRITING_SECONDS then
    return false
  end
  return vim.startswith(theirs, data) or data == theirs .. known.text:sub(#theirs + 1)
end

--- Reads the buffer, and what the disk has beyond it. An agent that writes through us may write the disk at the same
--- time. What the user has decided about that is in the request, so it is no news.
---
---   the buffer has a b c;  the agent proposes A B c, the user refuses A
---   the disk has A B c by now, the request is to write a B c: mine is still a b c
---@param buf integer
---@param request acp.WriteRequest
---@return acp.Mine?  nil: the disk holds no text
local function read_mine(buf, request)
  local live = text.of_buffer(buf)
  local mine = { live = live, whole = text.whole(live), text = live } ---@type acp.Mine
  if not origin.is_ahead(buf) then
    return mine
  end
  local data, stamp = origin.read(buf)
  local before = origin.data(buf)
  if not data or data == before then
    return mine
  end
  local is_agents = is_half_written(request.known, request.text, data, stamp --[[@as acp.Stamp]])
  data = is_agents and request.text or data
  local disk = encoding.text(buf, data, live.ff)
  if not disk then
    return nil
  end
  mine.is_ahead, mine.stamp = true, stamp
  mine.is_others = not is_agents and (not request.known or request.known.others)
  if is_proposed(request.proposed, disk) then
    return mine
  elseif vim.bo[buf].modified then
    local merged, theirs, is_coarse = merge.texts(before and encoding.text(buf, before, live.ff), live, disk)
    mine.text, mine.apart, mine.is_coarse = merged, theirs, is_coarse
  else
    mine.text = disk
  end
  return mine
end

--- Whether the buffer has taken up the proposal from the disk.
---@param buf integer
---@param proposed? acp.ProposedText
---@param mine acp.Mine
---@return boolean
local function has_taken_up(buf, proposed, mine)
  if not proposed or mine.is_ahead then
    return false
  end
  local data = vim.bo[buf].modified and origin.data(buf)
  local disk = data and encoding.text(buf, data, mine.live.ff) or mine.live
  return is_proposed(proposed, disk)
end

--- Returns what the agent believes that the file holds. Most often it is the buffer's text, whose lines are known.
---@param buf integer
---@param request acp.WriteRequest
---@param mine acp.Mine
---@return acp.Text?
local function base_of(buf, request, mine)
  local like = mine.text
  if has_taken_up(buf, request.proposed, mine) then
    return text.split(request.proposed.right, like.ff, like.binary)
  elseif request.base == mine.whole then
    return mine.live
  elseif request.base then
    return text.split(request.base, like.ff, like.binary)
  end
  return request.base_bytes and encoding.text(buf, request.base_bytes, like.ff) or nil
end

--- Returns what the lines do not tell of the file, before and after the agent's change.
---@param buf integer
---@param before acp.Text
---@param wanted acp.Text
---@return table
local function file_facts(buf, before, wanted)
  local is_same = #before.lines > 0 and before.lines[#before.lines] == wanted.lines[#wanted.lines]
  local is_final = nil ---@type boolean?
  if is_same then
    is_final = wanted.final
  end
  return {
    was_there = origin.stamp(buf) ~= nil,
    was_final = before.final,
    was_dos = before.ff == "dos",
    is_final = is_final,
  }
end

--- The buffer's text with what the disk held when the backend last looked.
---@param buf integer
---@param live acp.Text
---@param known acp.KnownText
---@return acp.Text?  nil: they overlap, or nobody can tell
local function with_known(buf, live, known)
  if not known.text then
    return origin.is_built_on(buf, known.stamp) and live or nil
  end
  local seen, data = text.split(known.text, live.ff, live.binary), origin.data(buf)
  if not vim.bo[buf].modified then
    return seen
  end
  local both, apart = merge.texts(data and encoding.text(buf, data, live.ff), live, seen)
  return not apart and both or nil
end

--- Returns the steps of the change, by author. What another program has brought to the disk before is not the agent's.
--- What has come to it since the backend last read it is, unless no call can have made it: the agent has written the
--- disk, too.
---@param buf integer
---@param request acp.WriteRequest
---@param mine acp.Mine
---@param wanted acp.Text
---@param edits acp.Edit[]  from the buffer's text to the wanted one
---@param is_capped? boolean
---@return acp.Step[]
local function steps_of(buf, request, mine, wanted, edits, is_capped)
  local live, before, known = mine.live, mine.text, request.known
  local is_users = origin.is_saved_unnoticed(buf, text.same_lines(live.lines, before.lines))
  if
    mine.is_ahead
    and known
    and not mine.is_others
    and not is_users
    and not origin.is_saved_since(buf, known.stamp)
  then
    before = with_known(buf, live, known) or before
  end
  request.by = vim.tbl_extend("force", request.by, file_facts(buf, before, wanted))
  if before == live and not request.typed then
    return { { by = request.by, edits = edits, capped = is_capped } }
  end
  return changes.steps(live.lines, before.lines, wanted.lines, request.by, request.typed)
end

--- Returns what the user is asked about. The agent's side has the lines that another program has brought to the disk,
--- too: no answer overwrites them unseen.
---@param mine acp.Mine
---@param base? acp.Text
---@param theirs acp.Text
---@param wanted acp.Text   the merge with my lines
---@param others? acp.Text  the merge with the agent's lines, if both overlap
---@param is_coarse? boolean
---@return table answer
local function overlap(mine, base, theirs, wanted, others, is_coarse)
  if mine.apart then
    local both, last = merge.texts(base, mine.apart, theirs)
    others = last or both
  end
  local sides = vim.tbl_map(text.whole, { mine = wanted, agents = others, live = mine.text })
  local about = { disk = mine.stamp, apart = mine.apart and true, coarse = is_coarse or mine.is_coarse or nil }
  return { overlap = vim.tbl_extend("error", sides, about) }
end

---@param wanted acp.Text
---@param live acp.Text
---@return table  only what is to change
local function format_of(wanted, live)
  local final = wanted.final and #wanted.lines > 0 -- no line, no end
  if live.binary then
    return { final = final }
  end
  return { final = final, bomb = wanted.bom, ff = wanted.ff }
end

--- Returns the answer to a write. Texts that the backend has sent are left out.
---@param mine acp.Mine
---@param saved acp.Text
---@param request acp.WriteRequest
---@return table
local function written(mine, saved, request)
  local whole = text.whole(saved)
  return {
    written = true,
    text = whole ~= request.text and whole or nil,
    before = mine.whole ~= request.base and mine.whole or nil,
    had_bom = mine.live.bom or nil,
    has_bom = saved.bom or nil,
  }
end

--- Gives the buffer the wanted text and saves it; nothing is done where all is so already.
---@param buf integer
---@param request acp.WriteRequest
---@param mine acp.Mine
---@param wanted acp.Text
---@return table answer  as `write` returns it
local function edit_to(buf, request, mine, wanted)
  local live = mine.live
  local edits, is_capped = diff.of_buffer(live.lines, wanted.lines)
  local is_there = origin.stamp(buf) ~= nil
  if #edits == 0 and is_there and not mine.is_ahead and not vim.bo[buf].modified and text.same(live, wanted) then
    return written(mine, wanted, request)
  end
  local options = format_of(wanted, live) --[[@as acp.EditOptions]]
  options.steps = steps_of(buf, request, mine, wanted, edits, is_capped)
  options.by, options.autocmds = request.by, request.autocmds
  options.created = not is_there and #live.lines == 0
  options.before, options.after = text.rows(live.lines), wanted.lines
  local answer = edit_and_save.run(buf, edits, options)
  if answer.locked then
    locked.wait_for(buf, request.path)
    return { locked = answer.error }
  elseif answer.error then
    return { refused = answer.error, broken = answer.broken }
  end
  local said = written(mine, answer.saved.text or wanted, request)
  said.warning = answer.warning
  return said
end

--- Writes an agent's text into the loaded buffer of a file, and saves it.
---@param request acp.WriteRequest
---@return table answer  { written, text?, before?, had_bom?, has_bom?, warning? } | { not_loaded } | { no_folder }
---  | { locked = why } | { refused = why, broken? } | { overlap = { mine, agents, live, disk?, apart } }
function M.write(request)
  local buf = find.find(request.path)
  if not buf then
    changes.unloaded(request.path, request.by)
    return { not_loaded = true }
  end
  local why = save.refusal(buf, request.path)
  if why then
    return { refused = why }
  elseif not vim.uv.fs_stat(vim.fs.dirname(request.path)) then
    return { no_folder = true }
  end
  local mine = read_mine(buf, request)
  if not mine then
    return { refused = "it is not UTF-8 text" }
  end
  local knows_nothing = (request.base or request.base_bytes or "") == ""
  if knows_nothing and #mine.text.lines == 0 then -- an empty file takes the agent's line ends
    mine.text = text.with(mine.text, { ff = text.format_of(request.text) })
  end
  local theirs = text.split(request.text, mine.text.ff, mine.live.binary)
  if vim.deep_equal(mine.stamp, request.settled) then
    mine.apart = nil
  end
  local base = base_of(buf, request, mine)
  local wanted, others, is_coarse = merge.texts(base, mine.text, theirs)
  if others or mine.apart then
    return overlap(mine, base, theirs, wanted, others, is_coarse)
  end
  return edit_to(buf, request, mine, wanted)
end

return M
