-- The prompt's mappings: <Plug> names, and keys for them in the prompt's buffer only.
if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = true

vim.bo.completefunc = "v:lua.require'acp_nvim.complete'.func"
vim.bo.omnifunc = vim.bo.completefunc

---@param fn string
---@return fun()
local function prompt(fn, ...)
  local args = { ... }
  return function()
    require("acp_nvim.prompt")[fn](vim.b.acp_session, unpack(args))
  end
end

local function cancel()
  require("acp_nvim").cancel({ session = vim.b.acp_session })
end

-- Beside the cursor there is room for as many keys as the prompt has lines: they take the middle of the screen.
local function help()
  require("acp_nvim.navigate").help()
  local win = vim.api.nvim_get_current_win()
  local width, rows = vim.api.nvim_win_get_width(win), vim.api.nvim_win_text_height(win, {}).all
  local height = math.max(1, math.min(rows, vim.o.lines - 4))
  vim.api.nvim_win_set_config(win, {
    relative = "editor",
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    footer = rows > height and " j: more " or nil,
  })
end

local both = { "n", "i" }
local maps = {
  { "acp-send", { n = { "<CR>", "<C-s>" }, i = { "<C-s>" } }, "send", prompt("send") },
  {
    "acp-history-previous",
    { n = { "<C-p>" }, i = { "<C-p>" } },
    "earlier prompt (first line)",
    prompt("history", -1),
  },
  { "acp-history-next", { n = { "<C-n>" }, i = { "<C-n>" } }, "later prompt (last line)", prompt("history", 1) },
  { "acp-cancel-turn", { n = { "<C-c>" } }, "cancel the turn", cancel },
  { "acp-keys", { n = { "g?" } }, "these keys", help },
}

for _, map in ipairs(maps) do
  local plug, keys, desc, fn = unpack(map)
  local name = ("<Plug>(%s)"):format(plug)
  vim.keymap.set(both, name, fn, { buffer = true, desc = desc })
  for mode, lhs in pairs(vim.g.no_plugin_maps and {} or keys) do
    for _, key in ipairs(lhs) do
      vim.keymap.set(mode, key, name, { buffer = true, desc = desc, remap = true })
    end
  end
end
