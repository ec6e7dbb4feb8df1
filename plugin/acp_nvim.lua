-- The only file that runs when Neovim starts: it names the command and the mappings, and loads nothing.
if vim.g.loaded_acp_nvim then
  return
end
vim.g.loaded_acp_nvim = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.api.nvim_echo({ { "acp_nvim needs Neovim 0.10 or newer", "WarningMsg" } }, true, {})
  return
end

vim.api.nvim_create_user_command("Acp", function(args)
  require("acp_nvim.command").run(args)
end, {
  nargs = "*",
  range = true,
  desc = "Talk to a coding agent",
  complete = function(_, line, cursor)
    return require("acp_nvim.command").complete(line:sub(1, cursor))
  end,
})

for _, name in ipairs({ "open", "toggle", "accept", "reject", "cancel" }) do
  vim.keymap.set("n", "<Plug>(acp-" .. name .. ")", "<Cmd>Acp " .. name .. "<CR>")
end
for _, name in ipairs({ "next", "previous" }) do
  vim.keymap.set("n", "<Plug>(acp-" .. name .. "-hunk)", "<Cmd>Acp hunk " .. name .. "<CR>")
end
for _, name in ipairs({ "keep", "undo" }) do
  vim.keymap.set({ "n", "x" }, "<Plug>(acp-" .. name .. "-hunk)", ":Acp " .. name .. "<CR>")
end
-- From visual mode the command line begins with the range of the selection.
vim.keymap.set({ "n", "x" }, "<Plug>(acp-prompt)", ":Acp prompt<Space>")

vim.api.nvim_create_autocmd("VimLeavePre", {
  group = vim.api.nvim_create_augroup("acp_nvim", {}),
  callback = function()
    local backend = package.loaded["acp_nvim.backend"]
    if backend then
      backend.shutdown()
    end
  end,
})
