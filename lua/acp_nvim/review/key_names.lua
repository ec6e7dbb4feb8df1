-- Names the keys of the review as they are mapped: the user's own maps first, then ours; where another map has the key,
-- the command, and who has it.
local config = require("acp_nvim.config.settings")
local taken_key = require("acp_nvim.ui.taken_key")

local api = vim.api
local M = {}

---@alias acp.HunkVerb "next"|"previous"|"keep"|"undo"

---@class acp.HunkKey
---@field lhs string     as it is written in a mapping
---@field plug string
---@field command string
---@type table<acp.HunkVerb, acp.HunkKey>
M.keys = {
  next = { lhs = "]h", plug = "<Plug>(acp-next-hunk)", command = ":Acp hunk next" },
  previous = { lhs = "[h", plug = "<Plug>(acp-previous-hunk)", command = ":Acp hunk previous" },
  keep = { lhs = "<localleader>k", plug = "<Plug>(acp-keep-hunk)", command = ":Acp keep" },
  undo = { lhs = "<localleader>u", plug = "<Plug>(acp-undo-hunk)", command = ":Acp undo" },
}

---@param lhs string
---@return string  as it is typed
local function typed(lhs)
  return api.nvim_replace_termcodes(lhs, true, true, true)
end

--- The map in this buffer that keeps ours from the key.
---@param buf integer
---@param verb acp.HunkVerb
---@param mode? "n"|"x"
---@return table? map  as maparg() has it
function M.taken(buf, verb, mode)
  local key = M.keys[verb]
  local map = api.nvim_buf_call(buf, function()
    return taken_key.map_of(typed(key.lhs), mode or "n")
  end)
  return map and map.rhs ~= key.plug and map or nil
end

--- The user's own maps of ours.
---@param buf integer
---@return table<string, string>  right side -> keys
local function own_maps(buf)
  local ours, found = {}, {}
  for _, key in pairs(M.keys) do
    ours[key.plug] = vim.fn.keytrans(typed(key.lhs))
  end
  for _, maps in ipairs({ api.nvim_get_keymap("n"), api.nvim_buf_get_keymap(buf, "n") }) do
    for _, map in ipairs(maps) do
      local lhs = ours[map.rhs] and vim.fn.keytrans(map.lhsraw)
      if lhs and lhs ~= ours[map.rhs] then
        found[map.rhs] = lhs
      end
    end
  end
  return found
end

--- The keys as a line in the chat tells them: ",k keep", ",u undo"; none where there are none.
---@return string[]
function M.in_general()
  local own, maps, parts = own_maps(0), config.get().review.maps, {}
  for _, verb in ipairs({ "keep", "undo" }) do
    local key = own[M.keys[verb].plug] or maps and vim.fn.keytrans(typed(M.keys[verb].lhs))
    parts[#parts + 1] = key and ("%s %s"):format(key, verb) or nil
  end
  return parts
end

---@param buf integer
---@return table<acp.HunkVerb, { key?: string, command: string, who?: string }>  `who`: has the key that would be ours
function M.in_buffer(buf)
  local maps = config.get().review.maps
  local own, told = own_maps(buf), {}
  for verb, key in pairs(M.keys) do
    local map = maps and not own[key.plug] and M.taken(buf, verb)
    local name = vim.fn.keytrans(typed(key.lhs))
    told[verb] = {
      key = own[key.plug] or maps and not map and name or nil,
      command = key.command,
      who = map and ("%s is %s"):format(name, taken_key.describe(map) or "mapped") or nil,
    }
  end
  return told
end

--- "]h next", or ']h is "Next hunk", :Acp hunk next'.
---@param told { key?: string, command: string, who?: string }
---@param word string
---@return string
function M.phrase(told, word)
  if told.key then
    return ("%s %s"):format(told.key, word)
  end
  return told.who and ("%s, %s"):format(told.who, told.command) or told.command
end

return M
