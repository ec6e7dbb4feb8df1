-- The prompt's mappings: <Plug> names, and keys for them in the prompt's buffer only.
if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = true

vim.bo.completefunc = "v:lua.require'acp_nvim.prompt.completion'.func"
vim.bo.omnifunc = vim.bo.completefunc
require("acp_nvim.prompt.menu").attend(vim.api.nvim_get_current_buf())

---@param fn string
---@return fun()
local function prompt(fn, ...)
  local args = { ... }
  return function()
    require("acp_nvim.prompt.buffer")[fn](vim.b.acp_session, unpack(args))
  end
end

local function cancel()
  return require("acp_nvim.commands").subcommands.cancel.run({ bang = false, rest = "", words = {} })
end

--- In insert mode the key cancels only a turn; else it is Vim's.
local function cancel_or_leave()
  local status = require("acp_nvim").status({ session = vim.b.acp_session })
  local in_turn = status and (status.state == "running" or status.state == "asking")
  if not in_turn or not cancel() then
    vim.api.nvim_feedkeys(vim.keycode("<C-c>"), "n", false)
  end
end

---@param fn string
---@return fun(): string
local function by_key(fn, ...)
  local args = { ... }
  return function()
    return require("acp_nvim.question.keys")[fn](unpack(args))
  end
end

---@param fn string
---@return fun()
local function session_key(fn)
  return function()
    require("acp_nvim.commands.prompt_keys")[fn]()
  end
end

local function next_mode()
  if vim.snippet.active({ direction = -1 }) then
    return vim.snippet.jump(-1)
  elseif vim.fn.pumvisible() == 1 then
    return vim.api.nvim_feedkeys(vim.keycode("<C-p>"), "n", false)
  end
  local ok, message = require("acp_nvim.sessions.option_pickers").next_mode(vim.b.acp_session)
  if not ok then
    require("acp_nvim.ui.messages").show("info", message or "")
  end
end

--- Whether the user has given the key a meaning; that of Neovim itself, to jump in a snippet, is kept.
---@param mode string
---@param key string
---@return boolean
local function is_taken(mode, key)
  local map = vim.fn.maparg(key, mode, false, true)
  return key:find("Tab>$") and next(map) ~= nil and not (map.desc or ""):find("^vim%.snippet")
end

local function take_first()
  require("acp_nvim.prompt.menu").take_first("<Tab>")
end

local function take_suggestion()
  require("acp_nvim.prompt.suggestion").take()
end

--- In an empty prompt the key opens the time line; else it is Vim's.
local function rewind()
  local is_empty = vim.api.nvim_buf_line_count(0) == 1 and vim.api.nvim_get_current_line() == ""
  if is_empty and vim.api.nvim_get_mode().mode == "n" then
    return vim.cmd("Acp timeline")
  end
  vim.api.nvim_feedkeys(vim.keycode("<Esc><Esc>"), "n", false)
end

local function help()
  require("acp_nvim.ui.key_help").show()
end

local rewind_keys = require("acp_nvim.config.settings").get().chat.rewind_key and { "<Esc><Esc>" } or {}
local both = { "n", "i" }
---@type [string, table<string, string[]>, string, fun(...)][]
local maps = {
  { "acp-send", { n = { "<CR>", "<C-s>" }, i = { "<C-s>" } }, "send", prompt("send") },
  {
    "acp-steer",
    { n = { "<C-CR>", "<M-CR>" }, i = { "<C-CR>", "<M-CR>" } },
    "send into the turn",
    prompt("send", "steer"),
  },
  {
    "acp-history-previous",
    { n = { "<C-p>" }, i = { "<C-p>" } },
    "previous prompt (line 1)",
    prompt("history", -1),
  },
  { "acp-history-next", { n = { "<C-n>" }, i = { "<C-n>" } }, "next prompt (last line)", prompt("history", 1) },
  { "acp-cancel-turn", { n = { "<C-c>" } }, "cancel the turn", cancel },
  { "acp-cancel-or-leave", { i = { "<C-c>" } }, "cancel the turn", cancel_or_leave },
  { "acp-diff", { n = { "gd", "<M-d>" }, i = { "<M-d>" } }, "show the diff", by_key("diff") },
  { "acp-refuse-file", { n = { "<M-x>" }, i = { "<M-x>" } }, "refuse this file", by_key("refuse_file") },
  { "acp-undo-turn", { n = { "<M-u>" }, i = { "<M-u>" } }, "undo the last turn", session_key("undo_turn") },
  { "acp-model", { n = { "<M-m>" }, i = { "<M-m>" } }, "choose the model", session_key("choose_model") },
  { "acp-take-first", { i = { "<Tab>" } }, "take the match or suggestion", take_first },
  { "acp-take-suggestion", {}, "take the suggestion", take_suggestion },
  { "acp-next-mode", { n = { "<S-Tab>" }, i = { "<S-Tab>" } }, "next mode", next_mode },
  { "acp-rewind", { n = rewind_keys }, "turns (empty prompt)", rewind },
  { "acp-keys", { n = { "g?" } }, "this help", help },
}

for _, map in ipairs(maps) do
  local plug, keys, desc, fn = map[1], map[2], map[3], map[4]
  local name = ("<Plug>(%s)"):format(plug)
  vim.keymap.set(both, name, fn, { buffer = true, desc = desc })
  for mode, lhs in pairs(vim.g.no_plugin_maps and {} or keys) do
    for _, key in ipairs(lhs) do
      if not is_taken(mode, key) then
        vim.keymap.set(mode, key, name, { buffer = true, desc = desc, remap = true })
      end
    end
  end
end

for digit = 1, 9 do
  for mode, key in pairs({ n = "g" .. digit, i = ("<M-%d>"):format(digit) }) do
    local plug = ("<Plug>(acp-answer-%d)"):format(digit)
    vim.keymap.set(mode, plug, by_key("answer", digit, key), { buffer = true, desc = "answer the question" })
    if not vim.g.no_plugin_maps then
      vim.keymap.set(mode, key, plug, { buffer = true, desc = "answer the question", remap = true })
    end
  end
  if not vim.g.no_plugin_maps then
    local alt = ("<M-%d>"):format(digit)
    vim.keymap.set("n", alt, by_key("answer", digit, alt), { buffer = true, desc = "answer the question" })
    local opts = { buffer = true, expr = true, desc = "answer (empty prompt)" }
    vim.keymap.set("n", tostring(digit), by_key("digit", digit), opts)
  end
end
require("acp_nvim.ui.key_help").remember()
