-- The mappings of the queue's buffer: <Plug> names, and keys for them in that buffer only.
if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = true

---@param fn "steer"|"close"
---@return fun()
local function queue(fn)
  return function()
    require("acp_nvim.prompt.queue")[fn]()
  end
end

---@type [string, string[], string, fun()][]
local maps = {
  { "acp-steer", { "<C-CR>", "<M-CR>" }, "send into the turn", queue("steer") },
  { "acp-close", { "q" }, "close the queue", queue("close") },
}

for _, map in ipairs(maps) do
  local plug, keys, desc, fn = map[1], map[2], map[3], map[4]
  local name = ("<Plug>(%s)"):format(plug)
  vim.keymap.set("n", name, fn, { buffer = true, desc = desc })
  for _, key in ipairs(vim.g.no_plugin_maps and {} or keys) do
    vim.keymap.set("n", key, name, { buffer = true, desc = desc, remap = true, nowait = key == "q" })
  end
end
