-- Lists the keys that answer the question of the prompt's bar, as they work where the user is.
--
--   in the prompt or chat      g1 yes  g2 ✓✓ all  g3 no  gd diff         in insert mode <M-1>, <M-d>
--   in another window          :Acp accept  :Acp reject  :Acp diff       in insert mode <Esc>:Acp accept
--   there, with mapped keys    <leader>ay yes  <leader>an no  <leader>ad diff
--   another session's          :Acp open 2
local armed_option = require("acp_nvim.question.armed_option")
local diff_view = require("acp_nvim.question.diff_view")
local global_keys = require("acp_nvim.config.global_keys")
local option_labels = require("acp_nvim.question.option_labels")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

local MOST_KEYS = 9
local LONGEST_NAME = 16 -- of a file, in cells
local AGAIN = { allow_always = "always", reject_always = "never" }

---@class acp.BarKey
---@field key string
---@field name string    what it does, with a sign where the word alone does not say it; empty: the key says it itself
---@field mark string    the same in one sign
---@field short? string  the key without its modifier
---@field is_always? boolean
---@field is_armed? boolean   the key was pressed, and counts when it is pressed again

---@class acp.BarKeys
---@field answers acp.BarKey[]
---@field modifier? string  of all of them
---@field file? acp.BarKey  refuses one of several files
---@field diff? acp.BarKey
---@field before string     a key that must be pressed first

---@type table<string, { option: string, diff: string }>
local FORMATS = {
  insert = { option = "<M-%d>", diff = "<M-d>" },
  normal = { option = "g%d", diff = "gd" },
}

-- The command for the first option of that kind.
local COMMANDS = { { kind = "allow_once", run = "accept" }, { kind = "reject_once", run = "reject" } }

-- How a mode of another window is left; from those that are missing commands can be typed, or are being typed.
local LEAVES = { i = "<Esc>", R = "<Esc>", v = "<Esc>", V = "<Esc>", s = "<Esc>", S = "<Esc>", t = "<C-\\><C-n>" }
LEAVES["\22"], LEAVES["\19"] = "<Esc>", "<Esc>" -- by block

-- Our own questions, whose options have ids that are words.
local OURS = { conflict = true, outside = true }

---@param question acp.Question
---@return string[] names
---@return string[] marks
local function words_of(question)
  local names, marks = {}, {}
  local shorts = option_labels.short(vim.tbl_map(function(option)
    return { name = OURS[question.kind] and option.id or option.name, kind = option.kind }
  end, question.options))
  for number, short in ipairs(shorts) do
    names[number] = vim.trim(short.sign .. " " .. short.name)
    marks[number] = short.sign ~= "" and short.sign or option_labels.SIGNS[question.options[number].kind] or ""
  end
  return names, marks
end

---@param question acp.Question
---@return acp.BarKey?
local function file_key(question)
  local path = diff_view.file_to_refuse(question)
  local name = path and printable.cut(printable.visible(vim.fs.basename(path)), LONGEST_NAME)
  return name and { key = "<M-x>", name = "not " .. name, mark = "not " .. name } or nil
end

---@param question acp.Question
---@return "plan"|"diff"
local function diff_name(question)
  return question.plan and "plan" or "diff"
end

---@param question acp.Question
---@param format { option: string, diff: string }
---@return acp.BarKeys
local function here(question, format)
  local answers, names, marks = {}, words_of(question)
  for number = 1, math.min(#question.options, MOST_KEYS) do
    answers[number] = {
      key = format.option:format(number),
      name = names[number],
      mark = marks[number],
      short = tostring(number),
      is_always = vim.endswith(question.options[number].kind, "_always"),
    }
  end
  local name = diff_name(question)
  local diff = question.has_diff and { key = format.diff, name = name, mark = name } or nil
  local modifier = format.option:gsub("%%d", "n")
  return { answers = answers, modifier = modifier, file = file_key(question), diff = diff, before = "" }
end

--- The key for a subcommand: the one that is mapped, else the command itself.
---@param run string
---@param name string
---@param mark string
---@return acp.BarKey
local function command(run, name, mark)
  local mapped = global_keys.key_of(run)
  if mapped then
    return { key = mapped, name = name, mark = mark }
  end
  return { key = ":Acp " .. run, name = "", mark = "" }
end

---@param question acp.Question
---@param before string
---@return acp.BarKeys
local function elsewhere(question, before)
  local answers, names, marks = {}, words_of(question)
  for _, each in ipairs(COMMANDS) do
    for number, option in ipairs(question.options) do
      if option.kind == each.kind then
        answers[#answers + 1] = command(each.run, names[number], marks[number])
        break
      end
    end
  end
  if #answers == 0 then
    answers[1] = { key = ":Acp answer {n}", name = "", mark = "" }
  end
  local diff = question.has_diff
      and not diff_view.is_shown(question)
      and command("diff", diff_name(question), diff_name(question))
    or nil
  return { answers = answers, diff = diff, before = before }
end

--- Names the key that has been pressed once for an option that counts always: "<M-2> again: always".
---@param keys acp.BarKeys
---@param question acp.Question
---@return acp.BarKeys
local function with_armed(keys, question)
  for number, option in ipairs(question.options) do
    local key = armed_option.key_of(question, option)
    if key then
      local name = "again: " .. (AGAIN[option.kind] or "")
      local armed = { key = key, name = name, mark = name, is_armed = true }
      local place = keys.modifier and number or #keys.answers + 1 -- elsewhere not all options have a key
      keys.answers[math.min(place, #keys.answers + 1)] = armed
    end
  end
  return keys
end

---@param question acp.Question
---@param place "insert"|"normal"|"elsewhere"
---@param mode string  as mode() tells
---@param buf integer  where the user is
---@return acp.BarKeys
local function keys_of(question, place, mode, buf)
  local before = LEAVES[mode] or ""
  if FORMATS[place] then
    return here(question, FORMATS[place])
  elseif question.session ~= session_store.current(buf) then -- commands are for the current one
    local open = { key = (":Acp open %d"):format(question.session), name = "", mark = "" }
    return { answers = { open }, before = before }
  end
  return elsewhere(question, before)
end

---@param question acp.Question
---@param place "insert"|"normal"|"elsewhere"
---@param mode string  as mode() tells
---@param buf integer  where the user is
---@return acp.BarKeys
function M.of(question, place, mode, buf)
  return with_armed(keys_of(question, place, mode, buf), question)
end

return M
