-- Finds the known word that a mistyped word probably means.

---@param a string
---@param b string
---@return integer distance  how many letters were added, dropped or changed
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
---@return string? near
return function(known, word)
  local best, least = nil, math.min(3, math.max(2, #word))
  for _, candidate in ipairs(known) do
    local d = vim.startswith(candidate, word) and 1 or distance(word, candidate)
    if d < least then
      best, least = candidate, d
    end
  end
  return best
end
