-- What a write is meant for: the command line that is being carried out, and the window that the user is in, which no
-- autocommand says while Neovim visits another buffer to write it.
local api = vim.api
local M = {}

-- Commands that write what they are about, and those that may stand for them.
local WRITES = {}
for _, name in ipairs({ "write", "update", "wq", "xit", "exit", "wqall", "xall", "quitall" }) do
  WRITES[name] = true
end
for _, name in ipairs({ "execute", "normal", "call", "lua", "source", "if", "try", "vim9cmd" }) do
  WRITES[name] = true
end

local running ---@type string?
local window = api.nvim_get_current_win()

---@param line string
---@return boolean
local function writes(line)
  while line ~= "" do
    local ok, parsed = pcall(api.nvim_parse_cmd, line, {})
    if not ok then -- nobody knows: it is taken for what it does
      return true
    elseif WRITES[parsed.cmd] or parsed.cmd:find("^%u") then
      return true
    end
    line = parsed.nextcmd or ""
  end
  return false
end

--- Is the buffer written because the user, who is in it, has said so? Not by a command over all windows or buffers, and
--- not on the way to another one.
---@param buf integer
---@return boolean
function M.is_meant(buf)
  local here = api.nvim_win_is_valid(window) and api.nvim_win_get_buf(window) == buf
  return here and (running == nil or writes(running))
end

local group = api.nvim_create_augroup("acp_nvim.typed", {})

api.nvim_create_autocmd({ "WinEnter", "CmdlineEnter", "InsertEnter" }, {
  group = group,
  callback = function()
    window = api.nvim_get_current_win()
  end,
})

api.nvim_create_autocmd("CmdlineLeave", {
  group = group,
  pattern = ":",
  callback = function()
    local line = not vim.v.event.abort and vim.fn.getcmdline() or nil
    running = line
    vim.schedule(function()
      if running == line then
        running = nil
      end
    end)
  end,
})

return M
