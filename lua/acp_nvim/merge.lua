-- A conflict merged by hand: both versions as a diff in a tab of their own; the right side, once written, is the answer.
local scratch = require("acp_nvim.scratch")

local api = vim.api
local M = {}

local open = {} ---@type table<integer, integer>  question -> tabpage

---@param name string
---@param text string
---@param filetype string
---@return integer buf
local function side(name, text, filetype)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_name(buf, name)
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split((text:gsub("\n$", "")), "\n", { plain = true }))
  vim.bo[buf].filetype = filetype
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modeline = false
  return buf
end

---@param question integer
---@param text string  the version whose last line end the result gets
---@param buf integer
local function send(question, text, buf)
  local lines = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
  local whole = lines .. (text:find("\n$") and "\n" or "")
  vim.bo[buf].modified = false
  require("acp_nvim.backend").notify("merged", { question = question, text = whole })
  vim.schedule(function()
    M.close(question)
  end)
end

--- Is the buffer the right side of a merge? Then its text is what `accept` sends.
---@param buf integer
---@return boolean
function M.accept(buf)
  if vim.b[buf].acp_question == nil or vim.bo[buf].buftype ~= "acwrite" then
    return false
  end
  api.nvim_buf_call(buf, function()
    vim.cmd.write()
  end)
  return true
end

--- Closes the tab of a question, if it is there.
---@param question integer
function M.close(question)
  local tab = open[question]
  open[question] = nil
  if tab and api.nvim_tabpage_is_valid(tab) and #api.nvim_list_tabpages() > 1 then
    vim.cmd.tabclose(api.nvim_tabpage_get_number(tab))
  end
end

---@param question integer
---@param path string
---@param mine string
---@param agents string
function M.open(question, path, mine, agents)
  if open[question] and api.nvim_tabpage_is_valid(open[question]) then
    return api.nvim_set_current_tabpage(open[question])
  end
  local filetype = vim.filetype.match({ filename = path }) or ""
  local left = side(("acp://conflict/%d/mine"):format(question), mine, filetype)
  local right = side(("acp://conflict/%d/merged"):format(question), agents, filetype)
  vim.bo[left].modifiable = false
  vim.bo[right].buftype = "acwrite"
  vim.bo[right].modified = false
  vim.b[right].acp_question = question
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = right,
    callback = function()
      send(question, agents, right)
    end,
  })
  api.nvim_create_autocmd("BufWipeout", { -- :q: the left side alone is of no use
    buffer = right,
    callback = function()
      vim.schedule(function()
        M.close(question)
      end)
    end,
  })
  vim.cmd(("tab sbuffer %d | diffthis | rightbelow vertical sbuffer %d | diffthis"):format(left, right))
  open[question] = api.nvim_get_current_tabpage()
  scratch.message("info", "left: yours; right: what will be saved: edit it, :w sends it, :q decides nothing")
end

return M
