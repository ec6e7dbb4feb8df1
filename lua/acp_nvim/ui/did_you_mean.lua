-- Finds the known word that a mistyped word probably means:
--
--   prompt, queue, quit     promt → prompt (a letter is missing)    qu → queue (the first that begins so)    xyz → nil
--
-- A known word is near if it differs in at most two letters, or in one if only one or two were typed. The beginning of
-- a known word differs in one. Of equals the first wins.

--- Returns how many letters were added, dropped or changed, by Levenshtein's table, of which one row is kept: the
--- number in column j of row i is the distance of the first i letters of `a` from the first j of `b`.
---@param a string
---@param b string
---@return integer
local function distance(a, b)
  local row = {}
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      diagonal, row[j] = row[j], math.min(row[j] + 1, row[j - 1] + 1, diagonal + cost)
    end
  end
  return row[#b]
end

---@param known string[]
---@param word string
---@return string? near  nil: none is near enough
return function(known, word)
  local best, least = nil, math.min(3, math.max(2, #word)) -- a short word would be near to too many
  for _, candidate in ipairs(known) do
    local d = vim.startswith(candidate, word) and 1 or distance(word, candidate)
    if d < least then
      best, least = candidate, d
    end
  end
  return best
end
