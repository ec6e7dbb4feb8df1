-- The mappings of the queue's buffer: a <Plug> name, and keys for it in that buffer only.
if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = true

local function steer()
  require("acp_nvim.prompt.queue").steer()
end

vim.keymap.set("n", "<Plug>(acp-steer)", steer, { buffer = true, desc = "send into the turn" })
for _, key in ipairs(vim.g.no_plugin_maps and {} or { "<C-CR>", "<M-CR>" }) do
  vim.keymap.set("n", key, "<Plug>(acp-steer)", { buffer = true, desc = "send into the turn", remap = true })
end
