-- Remembers which questions were open, and in which version, when the user began to type the current command.
--
--   :Acp acc      question 1 is open
--                 the agent withdraws it and asks question 2, or changes the command that question 1 is about
--   ept<CR>       was typed for what question 1 was: nothing is sent
--
-- Neovim redraws few windows while a command is typed, so a change may not have been on the screen at all.
local state = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {}

local begun ---@type table<integer, integer>?  question -> version; nil: no command is being typed or run

--- Did the question come or change after the user began to type the command?
---@param question acp.Question
---@return boolean
function M.is_late(question)
  return begun ~= nil and begun[question.id] ~= question.version
end

local group = api.nvim_create_augroup("acp_nvim.command_line", {})

---@return boolean  a command line within the command-line window, which belongs to one that is typed already
local function is_nested()
  return vim.fn.getcmdwintype() ~= ""
end

--- Begins to note which questions are open when the user starts a command line. Called with the first chat.
function M.attend()
  api.nvim_create_autocmd("CmdlineEnter", {
    group = group,
    pattern = ":",
    callback = function()
      if is_nested() then
        return
      end
      begun = {}
      for _, question in ipairs(state.questions()) do
        begun[question.id] = question.version
      end
    end,
  })

  api.nvim_create_autocmd("CmdlineLeave", {
    group = group,
    pattern = ":",
    callback = function()
      local left = begun
      if is_nested() then
        return
      end
      -- the command runs first
      vim.schedule(function()
        if begun == left then
          begun = nil
        end
      end)
    end,
  })
end

return M
