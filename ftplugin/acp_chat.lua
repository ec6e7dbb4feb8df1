-- The chat's mappings: <Plug> names, and keys for them in the chat's buffer only.
if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = true

---@param fn string
---@return fun(...)
local function navigate(fn, ...)
  local args = { ... }
  return function()
    return require("acp_nvim.commands.chat_keys")[fn](unpack(args))
  end
end

local function cancel()
  return require("acp_nvim.commands").subcommands.cancel.run({ bang = false, rest = "", words = {} })
end

local function usage()
  vim.cmd("Acp usage")
end

local function close()
  require("acp_nvim.windows.session_windows").close()
end

---@param verb "keep"|"undo"
---@return fun()
local function changes(verb)
  return function()
    require("acp_nvim.chat.turn_changes").decide(verb)
  end
end

local move = { "n", "x", "o" }
---@type [string, string[], string, fun(...), string[]?][]
local maps = {
  { "acp-turn-next", { "]]" }, "next turn", navigate("jump", "user", 1), move },
  { "acp-turn-previous", { "[[" }, "previous turn", navigate("jump", "user", -1), move },
  { "acp-tool-next", { "]t" }, "next tool call", navigate("jump", "tool", 1), move },
  { "acp-tool-previous", { "[t" }, "previous tool call", navigate("jump", "tool", -1), move },
  { "acp-fold-toggle", { "za", "<Tab>" }, "unfold or fold", navigate("fold") },
  { "acp-fold-open", { "zo" }, "unfold", navigate("fold", true) },
  { "acp-fold-close", { "zc" }, "fold", navigate("fold", false) },
  { "acp-diff", { "d", "gd" }, "show the diff", navigate("show_diff") },
  { "acp-fold-open-all", { "zR" }, "unfold all", navigate("fold_all", true) },
  { "acp-fold-close-all", { "zM" }, "fold all", navigate("fold_all", false) },
  { "acp-open-path", { "gf", "<CR>" }, "take the answer or open the file", navigate("open_path") },
  { "acp-details", { "K" }, "details of the tool call", navigate("details") },
  { "acp-usage", { "gu" }, "tokens, context and cost", usage },
  { "acp-edit-prompt", { "e" }, "edit this prompt again", navigate("recall") },
  { "acp-to-prompt", { "i", "a", "o" }, "go to the prompt", navigate("to_prompt") },
  { "acp-close", { "q" }, "close the windows", close },
  { "acp-cancel-turn", { "<C-c>" }, "cancel the turn", cancel },
  { "acp-keep-turn", { "<localleader>k" }, "keep this turn's changes", changes("keep") },
  { "acp-undo-turn", { "<localleader>u" }, "undo this turn's changes", changes("undo") },
  { "acp-keys", { "g?" }, "this help", navigate("help") },
}

for _, map in ipairs(maps) do
  local plug, keys, desc, fn, modes = map[1], map[2], map[3], map[4], map[5]
  local name = ("<Plug>(%s)"):format(plug)
  vim.keymap.set(modes or "n", name, fn, { buffer = true, desc = desc })
  for _, key in ipairs(vim.g.no_plugin_maps and {} or keys) do
    vim.keymap.set(modes or "n", key, name, { buffer = true, desc = desc, remap = true })
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

vim.keymap.set("n", "<Plug>(acp-refuse-file)", by_key("refuse_file"), { buffer = true, desc = "refuse this file" })
if not vim.g.no_plugin_maps then
  local opts = { buffer = true, desc = "refuse this file", remap = true }
  vim.keymap.set("n", "<M-x>", "<Plug>(acp-refuse-file)", opts)
end

for digit = 1, 9 do
  local plug = ("<Plug>(acp-answer-%d)"):format(digit)
  vim.keymap.set("n", plug, by_key("answer", digit, "g" .. digit), { buffer = true, desc = "answer the question" })
  if not vim.g.no_plugin_maps then
    vim.keymap.set("n", "g" .. digit, plug, { buffer = true, desc = "answer the question", remap = true })
    local alt = ("<M-%d>"):format(digit)
    vim.keymap.set("n", alt, by_key("answer", digit, alt), { buffer = true, desc = "answer the question" })
    local opts = { buffer = true, expr = true, desc = "answer the question" }
    vim.keymap.set("n", tostring(digit), by_key("digit", digit), opts)
  end
end
if not vim.g.no_plugin_maps then
  vim.keymap.set("n", "<M-d>", by_key("diff"), { buffer = true, desc = "show the question's diff" })
  local opts = { buffer = true, expr = true, desc = "answer with the option under the mouse" }
  vim.keymap.set("n", "<2-LeftMouse>", by_key("click"), opts)
end
require("acp_nvim.ui.key_help").remember()
