-- Makes short names of a question's options, for a bar.
--
--   "Yes", "Yes, all edits", "No, tell it why"  ->  "yes", "✓✓ all", "no"
--   "Allow once", "Allow always", "Reject"      ->  "allow", "always", "reject"
--   "Do it", "Do not"                           ->  "✓ it", "✗ not"
--   "Yes", "Yes, and do not ask again", "No"    ->  "yes", "always", "no"
--   choices of a form: "TOML", "JSON"           ->  "TOML", "JSON"
--   choices of a form: "19 %", "7 % (books)"    ->  "19 %", "7 %"
--
-- No two options look the same, and none misleads: an option whose word does not say what it does and that it counts
-- always keeps the sign of its kind.
local limits = require("acp_nvim.limits")
local printable = require("acp_nvim.ui.printable")

local M = {}

M.SIGNS = { allow_once = "✓", allow_always = "✓✓", reject_once = "✗", reject_always = "✗✗" }

local DASHES = { ["-"] = true, ["\u{2013}"] = true, ["\u{2014}"] = true }
local MOST_WORDS, LONGEST = 3, 14 -- the longest in cells
-- Words that say of themselves what an option of that kind does.
local CLEAR = {
  allow_once = { "yes", "allow", "accept", "approve", "proceed", "ok", "once", "run" },
  allow_always = { "always" },
  reject_once = { "no", "reject", "deny", "decline", "refuse", "cancel", "skip" },
  reject_always = { "never" },
}

---@param option { name: string, kind: string }
---@return string[]
local function words_of(option)
  local words = {}
  for word in printable.beginning(option.name, limits.OPTION_CHARS):gmatch("%S+") do
    word = word:gsub("^[%(%[\"']+", ""):gsub("[%.,;:!%?%)%]\"']+$", "")
    local number = words[#words] and words[#words]:find("%d$")
    if number and word ~= "" and not word:find("%w") and not DASHES[word] then -- its unit
      words[#words] = words[#words] .. " " .. word
    elseif word ~= "" then
      words[#words + 1] = option.kind == "choice" and word or vim.fn.tolower(word)
    end
  end
  return words
end

---@param words string[]
---@param first integer
---@param last integer
---@return string
local function join(words, first, last)
  return table.concat(words, " ", first, math.min(last, #words))
end

--- How many words at the beginning are those of another option, too.
---@param lists string[][]
---@param index integer
---@return integer
local function shared_with_others(lists, index)
  local most = 0
  for other, words in ipairs(lists) do
    local count = 0
    while other ~= index and words[count + 1] ~= nil and words[count + 1] == lists[index][count + 1] do
      count = count + 1
    end
    most = math.max(most, count)
  end
  return most
end

-- Words that repeat what the sign of the kind says.
local SAID = { once = true, always = true }

-- Words that say nothing alone: the only option of its kind is called by that kind instead.
local EMPTY =
  { ["and"] = true, ["or"] = true, to = true, ["do"] = true, ["don't"] = true, the = true, allow = true, reject = true }
local BY_KIND = { allow_always = "always", reject_always = "never" }

--- The first word. Where another option begins with it: the first word that differs, if there is one that says more
--- than the sign.
---@param lists string[][]
---@return string[]
local function by_one_word(lists)
  local names = {}
  for index, words in ipairs(lists) do
    local shared = shared_with_others(lists, index)
    local differs = words[shared + 1]
    names[index] = differs and not SAID[differs] and differs or words[1] or ""
  end
  return names
end

---@param names string[]
---@param options { kind: string }[]
---@return boolean  each looks otherwise, with its sign
local function are_distinct(names, options)
  local known = {}
  for index, name in ipairs(names) do
    local look = options[index].kind .. " " .. name
    if name == "" or known[look] then
      return false
    end
    known[look] = true
  end
  return true
end

---@param lists string[][]
---@param options { kind: string }[]
---@return string[]
local function distinct(lists, options)
  local names = by_one_word(lists)
  for count = 2, MOST_WORDS do
    if are_distinct(names, options) then
      return names
    end
    names = vim.tbl_map(function(words)
      return join(words, 1, count)
    end, lists)
  end
  return names
end

---@param name string
---@param options { kind: string }[]
---@param index integer
---@return string
local function or_by_kind(name, options, index)
  local kind = options[index].kind
  local alike = vim.iter(options):filter(function(option)
    return option.kind == kind
  end)
  return EMPTY[name] and BY_KIND[kind] and #alike:totable() == 1 and BY_KIND[kind] or name
end

---@param options { name: string, kind: string }[]
---@return { sign: string, name: string }[]  an empty sign: the name says it
function M.short(options)
  local names = distinct(vim.tbl_map(words_of, options), options)
  local list = {}
  for index, option in ipairs(options) do
    local name = or_by_kind(names[index], options, index)
    local is_clear = vim.list_contains(CLEAR[option.kind] or {}, name)
    local sign = not is_clear and M.SIGNS[option.kind] or ""
    list[index] = { sign = sign, name = printable.cut(name, LONGEST) }
  end
  return list
end

return M
