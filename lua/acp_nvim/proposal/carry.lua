-- Carries the changes of one text over to another: the three-way merge of the proposals. What the agent has made of its
-- base comes to the live text this way, and what the user types in the live text comes to the right side.
--
--    base     a b c d        what both texts build on
--    ours     a B c d        stays as it is
--    theirs   x a b c D      its changes come along: x a B c D
--
-- Where both have changed the same lines, ours stays, and the place counts as an overlap.
local api = vim.api
local M = {}

---@alias acp.Change [integer, integer, string[]]  rows from 0, the end exclusive; what stands there then

local diff = vim.text and vim.text.diff or vim.diff

---@param text string  lines, joined
---@return string[]
local function lines_of(text)
  return vim.split(text, "\n", { plain = true })
end

--- The changes from one text to the other. N lines for N lines pair by position: each is a change of its own.
---@param old string
---@param new string
---@return acp.Change[]
function M.changes(old, new)
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
local function overlaps(one, other)
  if one[2] ~= other[1] then
    return one[2] > other[1]
  end
  return (one[1] == one[2] or other[1] == other[2]) and grows(one) and grows(other)
end

---@class acp.ChangedPlace
---@field ours acp.Change[]
---@field theirs acp.Change[]

--- Is `mine` the next change of both texts, in the order of the base?
---@param mine? acp.Change
---@param other? acp.Change
---@return boolean
local function comes_first(mine, other)
  if not mine or not other then
    return mine ~= nil
  end
  return mine[1] < other[1] or (mine[1] == other[1] and mine[2] <= other[2])
end

--- Changes of both sides in order, those that touch each other together.
---@param ours acp.Change[]
---@param theirs acp.Change[]
---@return acp.ChangedPlace[]
local function places(ours, theirs)
  local found, i, j = {}, 1, 1
  local place ---@type acp.ChangedPlace?
  while ours[i] or theirs[j] do
    local is_ours = comes_first(ours[i], theirs[j])
    local change = is_ours and ours[i] or theirs[j] --[[@as acp.Change]]
    local others = place and place[is_ours and "theirs" or "ours"] or {}
    if not place or not others[1] or not overlaps(others[#others], change) then
      place = { ours = {}, theirs = {} }
      found[#found + 1] = place
    end
    table.insert(place[is_ours and "ours" or "theirs"], change)
    i, j = is_ours and i + 1 or i, is_ours and j or j + 1
  end
  return found
end

---@param lines string[]
---@param list acp.Change[]
---@param first integer  of the rows that are wanted
---@param last integer
---@return string[]
local function apply(lines, list, first, last)
  local result, done = {}, first
  for _, change in ipairs(list) do
    vim.list_extend(result, lines, done + 1, change[1])
    vim.list_extend(result, change[3])
    done = change[2]
  end
  return vim.list_extend(result, lines, done + 1, last)
end

--- Both sides have changed this place: have they made the same of it?
---@param base string[]
---@param place acp.ChangedPlace
---@return boolean
local function agree(base, place)
  local ours, theirs = place.ours, place.theirs
  local first = math.min(ours[1][1], theirs[1][1])
  local last = math.max(ours[#ours][2], theirs[#theirs][2])
  return vim.deep_equal(apply(base, ours, first, last), apply(base, theirs, first, last))
end

--- What has to be done to `ours` so that it holds what `theirs` has made of `base`, as far as nothing overlaps.
---@param base string
---@param ours string
---@param theirs string
---@return acp.Change[] changes
---@return integer overlaps  places where both have made different things of the base
function M.carry(base, ours, theirs)
  local found, shift, count = {}, 0, 0
  if base == theirs or ours == theirs then
    return found, 0
  elseif base == ours then
    return M.changes(ours, theirs), 0
  end
  local lines = lines_of(base)
  for _, place in ipairs(places(M.changes(base, ours), M.changes(base, theirs))) do
    if #place.ours == 0 then
      for _, change in ipairs(place.theirs) do
        found[#found + 1] = { change[1] + shift, change[2] + shift, change[3] }
      end
    elseif #place.theirs > 0 and not agree(lines, place) then
      count = count + 1
    end
    for _, change in ipairs(place.ours) do
      shift = shift + #change[3] - (change[2] - change[1])
    end
  end
  return found, count
end

--- `ours` with what `theirs` has made of `base`.
---@param base string
---@param ours string
---@param theirs string
---@return string text
---@return integer overlaps
function M.merge(base, ours, theirs)
  local list, count = M.carry(base, ours, theirs)
  local lines = lines_of(ours)
  return table.concat(apply(lines, list, 0, #lines), "\n"), count
end

---@param buf integer
---@return string  its lines, joined
function M.text_of(buf)
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
end

return M
