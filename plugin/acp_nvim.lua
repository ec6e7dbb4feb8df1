-- The only file that runs when Neovim starts: it names the command and the mappings, and loads nothing.
if vim.g.loaded_acp_nvim then
  return
end
vim.g.loaded_acp_nvim = true
if vim.fn.has("nvim-0.10") == 0 then
  return vim.api.nvim_echo({ { "acp_nvim needs Neovim 0.10 or newer", "WarningMsg" } }, true, {})
end

vim.api.nvim_create_user_command("Acp", function(args)
  require("acp_nvim.commands").run(args)
end, {
  nargs = "*",
  range = true,
  desc = "Talk to a coding agent",
  complete = function(_, line, cursor)
    return require("acp_nvim.commands").complete(line:sub(1, cursor))
  end,
})
local plugs = {
  accept = { "accept", "Allow what the agent asks" },
  open = { "open", "Open the agent's chat" },
  toggle = { "toggle", "Open or close the agent's chat" },
  reject = { "reject", "Refuse what the agent asks" },
  blame = { "blame", "Who wrote this line" },
  cancel = { "cancel", "Cancel the agent's turn" },
  ["send-comments"] = { "send", "Send the comments" },
  uncomment = { "uncomment", "Remove the comment in this line" },
  ["next-hunk"] = { "hunk next", "Next change by the agent" },
  ["previous-hunk"] = { "hunk previous", "Previous change by the agent" },
}
for name, plug in pairs(plugs) do
  vim.keymap.set("n", "<Plug>(acp-" .. name .. ")", "<Cmd>Acp " .. plug[1] .. "<CR>", { desc = plug[2] })
end
for verb, desc in pairs({ keep = "Keep the agent's change", undo = "Undo the agent's change" }) do
  local keys = "v:lua.require'acp_nvim.review.keys'.operator('" .. verb .. "')"
  vim.keymap.set({ "n", "x" }, "<Plug>(acp-" .. verb .. "-hunk)", keys, { expr = true, desc = desc })
end
local comment = "v:lua.require'acp_nvim.comments.keys'.operator()"
vim.keymap.set({ "n", "x" }, "<Plug>(acp-comment)", comment, { expr = true, desc = "Comment lines" })
-- From visual mode the command line begins with the range of the selection.
vim.keymap.set({ "n", "x" }, "<Plug>(acp-prompt)", ":Acp prompt<Space>", { desc = "Ask the agent" })
if type(vim.g.acp_nvim) == "table" and vim.g.acp_nvim.keys then
  require("acp_nvim.config.global_keys").map_soon(vim.g.acp_nvim.keys)
end

local function read_records(event)
  if vim.uv.fs_stat(vim.fn.stdpath("state") .. "/acp_nvim/projects") then
    require("acp_nvim.first_file").read(event.buf)
  end
end
-- A saved session brings back the names of our buffers, and nothing that belongs to them.
local function clear_restored()
  if vim.fn.execute("ls!"):find("acp://", 1, true) then
    require("acp_nvim.windows.mksession").clear_soon()
  end
end
vim.api.nvim_create_autocmd("BufReadPost", { callback = read_records })
vim.api.nvim_create_autocmd("SessionLoadPost", { callback = clear_restored })
