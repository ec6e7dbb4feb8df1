-- The right side of a proposal keeps abreast of the live text: what the user changes in the file comes to be on both
-- sides. In lines that the right side has changed, too, it stays as it is: the user sees both, and its text decides.
local api = vim.api
local M = {}

---@alias acp.Change [integer, integer, string[]]  rows from 0, the end exclusive; what stands there then

---@class acp.Right
---@field buf integer
---@field version? integer
---@field came string       the text as the agent proposes it
---@field base string       the live text that `came` is made of
---@field told string       the one that the backend has made it of
---@field proposed string   what it has made of that
---@field follows boolean   it takes up what the live text becomes
---@field steps { seq: integer, base: string }[]  the live text that the buffer is made of, from that state of undo on

---@class acp.Abreast
---@field stop fun()

local PAUSE_MS = 40 -- in which keys pool; Neovim's own diff costs about the same for each

local diff = vim.text and vim.text.diff or vim.diff

---@param text string
---@return string[]
local function lines_of(text)
  return vim.split(text, "\n", { plain = true })
end

--- N lines for N lines pair by position: each is a change of its own.
---@param old string
---@param new string
---@return acp.Change[]
local function changes(old, new)
  local lines, found = lines_of(new), {}
  for _, hunk in
    ipairs(diff(old .. "\n", new .. "\n", { result_type = "indices" }) --[[@as integer[][] ]])
  do
    local first, count, at, news = hunk[1] - 1, hunk[2], hunk[3] - 1, hunk[4]
    first, at = count == 0 and first + 1 or first, news == 0 and at + 1 or at
    if count == news then
      for n = 0, count - 1 do
        found[#found + 1] = { first + n, first + n + 1, { lines[at + n + 1] } }
      end
    else
      found[#found + 1] = { first, first + count, vim.list_slice(lines, at + 1, at + news) }
    end
  end
  return found
end

---@param change acp.Change
---@return boolean
local function grows(change)
  return #change[3] > change[2] - change[1]
end

--- `one` begins first. New lines of both in one gap have no order; a changed line beside a new one has.
---@param one acp.Change
---@param other acp.Change
---@return boolean
local function meet(one, other)
  if one[2] ~= other[1] then
    return one[2] > other[1]
  end
  return (one[1] == one[2] or other[1] == other[2]) and grows(one) and grows(other)
end

--- Changes of both sides in order, those that touch each other together.
---@param ours acp.Change[]
---@param theirs acp.Change[]
---@return { ours: acp.Change[], theirs: acp.Change[] }[]
local function places(ours, theirs)
  local found, i, j = {}, 1, 1
  local place ---@type { ours: acp.Change[], theirs: acp.Change[] }?
  while ours[i] or theirs[j] do
    local mine, other = ours[i], theirs[j]
    local is_ours = not other or mine and (mine[1] < other[1] or mine[1] == other[1] and mine[2] <= other[2])
    local change = is_ours and mine or other --[[@as acp.Change]]
    local others = place and place[is_ours and "theirs" or "ours"] or {}
    if not place or not others[1] or not meet(others[#others], change) then
      place = { ours = {}, theirs = {} }
      found[#found + 1] = place
    end
    table.insert(place[is_ours and "ours" or "theirs"], change)
    i, j = is_ours and i + 1 or i, is_ours and j or j + 1
  end
  return found
end

--- What has to be done to `ours` so that it holds what `theirs` has made of `base`, as far as nothing overlaps.
---@param base string
---@param ours string
---@param theirs string
---@return acp.Change[]
function M.carry(base, ours, theirs)
  local found, shift = {}, 0
  if base == theirs or ours == theirs then
    return found
  end
  for _, place in ipairs(places(changes(base, ours), changes(base, theirs))) do
    for _, change in ipairs(#place.ours == 0 and place.theirs or {}) do
      found[#found + 1] = { change[1] + shift, change[2] + shift, change[3] }
    end
    for _, change in ipairs(place.ours) do
      shift = shift + #change[3] - (change[2] - change[1])
    end
  end
  return found
end

---@param text string
---@param list acp.Change[]
---@return string
local function applied(text, list)
  local lines, result, done = lines_of(text), {}, 0
  for _, change in ipairs(list) do
    vim.list_extend(result, lines, done + 1, change[1])
    vim.list_extend(result, change[3])
    done = change[2]
  end
  vim.list_extend(result, lines, done + 1, #lines)
  return table.concat(result, "\n")
end

---@param buf integer
---@return string
function M.text_of(buf)
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
end

---@param buf integer
---@return integer
local function undo_state(buf)
  return api.nvim_buf_call(buf, function()
    return vim.fn.undotree().seq_cur
  end)
end

--- The text that has just been filled in was made of `base`.
---@param right acp.Right
---@param base string
function M.begin(right, base)
  right.steps = { { seq = undo_state(right.buf), base = base } }
end

--- The live text that the right side is made of: `u` may have taken back what has come since.
---@param right acp.Right
---@return string
local function base_of(right)
  local now, base = undo_state(right.buf), right.steps[1].base
  for _, step in ipairs(right.steps) do
    base = step.seq <= now and step.base or base
  end
  return base
end

--- What is to be known once the buffer is gone.
---@param right acp.Right
---@return { seq: integer, base: string }[]
function M.last_step(right)
  return { { seq = 0, base = base_of(right) } }
end

--- An undo step of its own: `u` takes it back without the user's edits, or those without it.
---@param buf integer
---@param list acp.Change[]
local function put(buf, list)
  local bo = vim.bo[buf]
  bo.undolevels = bo.undolevels
  for index = #list, 1, -1 do
    api.nvim_buf_set_lines(buf, list[index][1], list[index][2], false, list[index][3])
  end
  bo.undolevels = bo.undolevels
end

--- The right side takes up what the live text has become.
---@param right acp.Right
---@param live string
function M.follow(right, live)
  if not api.nvim_buf_is_loaded(right.buf) then
    return
  end
  local base = base_of(right)
  if base ~= live then
    local modified = vim.bo[right.buf].modified
    put(right.buf, M.carry(base, M.text_of(right.buf), live))
    vim.bo[right.buf].modified = modified
    table.insert(right.steps, { seq = undo_state(right.buf), base = live })
  end
  if right.base ~= live then
    right.came = applied(right.came, M.carry(right.base, right.came, live))
    right.base = live
  end
end

--- Whoever is amid a command or an insertion there is not disturbed.
---@param buf integer
---@return boolean
local function is_busy(buf)
  return api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode ~= "n"
end

--- Calls `fn` when the buffer has changed, pooled, and when `right` may be edited again.
---@param live integer   buffer
---@param right integer  buffer
---@param fn fun()
---@return acp.Abreast
function M.watch(live, right, fn)
  local follower, scheduled, stopped = {}, false, false
  local function due()
    scheduled = false
    if stopped or not api.nvim_buf_is_loaded(live) then
      return
    elseif not is_busy(right) then
      return fn()
    end
    scheduled = true
    api.nvim_create_autocmd("ModeChanged", { pattern = "*:n", once = true, callback = vim.schedule_wrap(due) })
  end
  local function changed()
    if stopped then
      return true
    elseif not scheduled then
      scheduled = true
      vim.defer_fn(due, PAUSE_MS)
    end
  end
  function follower.stop()
    stopped = true
  end
  changed() -- since its text was taken
  api.nvim_buf_attach(live, false, {
    on_lines = changed,
    on_reload = function()
      changed()
    end,
  })
  return follower
end

return M
