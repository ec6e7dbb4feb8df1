-- Maps the keys of the review in buffers with pending changes, from the first to the last, where nothing else is
-- mapped. Those that decide stay a little longer in the user's buffer: pressed once too often, `\u` would be Neovim's
-- `u`.
local config = require("acp_nvim.config.settings")
local key_names = require("acp_nvim.review.key_names")
local messages = require("acp_nvim.ui.messages")
local review = require("acp_nvim.review")

local api = vim.api
local M = {}

---@type { mode: "n"|"x", verb: acp.HunkVerb, desc: string }[]
local MAPS = {
  { mode = "n", verb = "next", desc = "next change by the agent" },
  { mode = "n", verb = "previous", desc = "previous change by the agent" },
  { mode = "n", verb = "keep", desc = "keep the change" },
  { mode = "n", verb = "undo", desc = "undo the change" },
  { mode = "x", verb = "keep", desc = "keep the changes in the selection" },
  { mode = "x", verb = "undo", desc = "undo the changes in the selection" },
}

local LINGER_MS = 5000 -- of the keys that decide, after the last change
local DECIDE = { keep = true, undo = true }

local is_attending = false
local mapped = {} ---@type table<integer, true> buffers that have their keys

local function map(buf)
  for _, each in ipairs(MAPS) do
    local key = key_names.keys[each.verb]
    if not key_names.taken(buf, each.verb, each.mode) then
      vim.keymap.set(each.mode, key.lhs, key.plug, { buffer = buf, remap = true, desc = each.desc })
    end
  end
  mapped[buf] = true
end

--- Whatever has been heard of the buffer: one that was read anew may have kept its keys.
---@param buf integer
---@param but? table<acp.HunkVerb, true>
local function unmap(buf, but)
  mapped[buf] = nil
  for _, each in ipairs(api.nvim_buf_is_valid(buf) and MAPS or {}) do
    local key = key_names.keys[each.verb]
    local now = api.nvim_buf_call(buf, function()
      return vim.fn.maparg(key.lhs, each.mode, false, true)
    end)
    local is_ours = now.buffer == 1 and now.rhs == key.plug and now.desc == each.desc
    if is_ours and not (but and but[each.verb]) then
      vim.keymap.del(each.mode, key.lhs, { buffer = buf })
    end
  end
end

--- Removes the keys of a buffer whose last change has been decided.
---@param buf integer
local function unmap_soon(buf)
  if not mapped[buf] or buf ~= api.nvim_get_current_buf() then
    return unmap(buf)
  end
  unmap(buf, DECIDE)
  vim.defer_fn(function()
    if not mapped[buf] then
      unmap(buf)
    end
  end, LINGER_MS)
end

--- From the first pending change on.
function M.attend()
  if is_attending then
    return
  end
  is_attending = true
  review.listen(function(buf, has_pending)
    if not has_pending then
      unmap_soon(buf)
    elseif not mapped[buf] and config.get().review.maps then
      map(buf)
    end
  end, function(buf)
    mapped[buf] = nil
  end)
end

--- How many pending changes there are beside those of a buffer, which has `count`.
local function elsewhere(count)
  local total = 0
  for _, pending in pairs(review.pending_by_session()) do
    total = total + pending
  end
  return total - count
end

--- To the next (previous) pending change of this buffer, `v:count1` times.
---@param step 1|-1
function M.jump(step)
  local buf, row = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1
  local rows = review.rows(buf)
  local target
  for _ = 1, vim.v.count1 do
    for i = step > 0 and 1 or #rows, step > 0 and #rows or 1, step do
      if (rows[i] - row) * step > 0 then
        target, row = rows[i], rows[i]
        break
      end
    end
  end
  if not target then
    local text, others = step > 0 and "no change below" or "no change above", elsewhere(#rows)
    return messages.show("info", others > 0 and ("%s (%d in other files: :Acp review)"):format(text, others) or text)
  end
  vim.cmd("normal! m'")
  api.nvim_win_set_cursor(0, { target + 1, 0 })
  vim.cmd("normal! zv")
end

-- Keep and undo are operators, so that `.` repeats them ---------------------------------------------------------------

---@type { verb: "keep"|"undo", visual: boolean, view?: table }
local operation -- the last one, which `.` repeats: then without a view

--- Called by `g@`. In normal mode it comes with a motion that goes nowhere: the change under the cursor is meant, or
--- with a count so many lines.
function M.operate()
  local first, last = vim.fn.line("'["), vim.fn.line("']")
  if not operation.visual then
    first = vim.fn.line(".")
    last = math.min(first + vim.v.count - 1, vim.fn.line("$"))
  elseif operation.view then
    vim.fn.winrestview(operation.view)
    operation.view = nil
  end
  vim.cmd.Acp({ operation.verb, range = last >= first and { first, last } or nil })
end

--- The keys of an expression mapping.
---@param verb "keep"|"undo"
---@return string keys
function M.operator(verb)
  local is_visual = api.nvim_get_mode().mode:find("^[vV\22]") ~= nil
  operation = { verb = verb, visual = is_visual, view = is_visual and vim.fn.winsaveview() or nil }
  vim.o.operatorfunc = "v:lua.require'acp_nvim.review.keys'.operate"
  return is_visual and "g@" or "g@l"
end

return M
