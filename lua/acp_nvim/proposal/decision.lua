-- The user has decided: the texts of the right sides go to the backend.
local abreast = require("acp_nvim.abreast")
local command_line = require("acp_nvim.question.typed_command")
local desk = require("acp_nvim.proposal.desk")

local M = {}

local LEAVING_MS = 1500 -- so long Neovim stays for what has been decided last

local sent = {} ---@type table<integer, integer>  question -> when a decision was sent whose effect is not seen yet
local decided = {} ---@type table<integer, true>  questions that the right side has answered

---@param question integer
---@return boolean
function M.is_decided(question)
  return decided[question] ~= nil
end

--- The user's decision is the answer.
---@param question integer
---@param done boolean  and has come to be
function M.done(question, done)
  decided[question] = true
  if done then
    sent[question] = nil
  end
end

--- Neovim leaves: what has just been decided, by `:wqa` for one, shall reach the agent, and refused hunks no disk.
function M.settle()
  for question, at in pairs(vim.deepcopy(sent)) do
    vim.wait(math.max(0, at + LEAVING_MS - vim.uv.now()), function()
      return not sent[question]
    end, 5)
  end
end

--- The right sides take up what the files have become.
---@param proposal acp.Proposal
local function catch_up(proposal)
  for path, page in pairs(proposal.pages) do
    local live = page.follows and require("acp_nvim.files").find(path)
    if live then
      abreast.follow(page, abreast.text_of(live))
    end
  end
end

--- The right sides of a question go to the backend, also where their windows are closed.
---@param question integer
---@param how { path?: string, option?: string }  path: of one file alone; option: which one the user took to allow it
function M.send(question, how)
  local proposal = desk.open[question]
  if proposal then
    catch_up(proposal)
  end
  local payload = vim.tbl_extend("error", how, { question = question, version = desk.version_of(question) })
  payload.texts, payload.sides = vim.empty_dict(), desk.moved_sides(question)
  for each, text in pairs(desk.changed(question)) do
    if not how.path or each == how.path then
      payload.texts[each] = text
    end
  end
  sent[question] = vim.uv.now()
  require("acp_nvim.backend.process").notify("decide", payload)
end

--- The call does more than its diff shows: the question has to have been seen, too. It comes into view.
---@param proposal acp.Proposal
---@return boolean
local function is_unseen(proposal)
  local question = require("acp_nvim.backend.session_store").question(proposal.shown.question)
  local screen = require("acp_nvim.question.open_questions")
  if not question or not question.more or screen.can_answer(question) then
    return false
  end
  screen.show(question)
  require("acp_nvim.ui.messages").show("warn", screen.why_unseen(question))
  return true
end

--- The agent has changed the question while the command was typed. Neovim draws little meanwhile, so the user may not
--- have seen what the windows hold now.
---@param proposal acp.Proposal
---@return boolean
local function is_late(proposal)
  local question = require("acp_nvim.backend.session_store").question(proposal.shown.question)
  local is_late = question ~= nil and command_line.is_late(question)
  if is_late then
    require("acp_nvim.ui.messages").show("warn", "not sent: the proposal changed while you typed, repeat to send it")
  end
  return is_late
end

--- A key was pressed as the proposal appeared: it was meant for something else.
---@param proposal acp.Proposal
---@return boolean
local function is_too_soon(proposal)
  local question = require("acp_nvim.backend.session_store").question(proposal.shown.question)
  local why = question and require("acp_nvim.question.keys").why_not_by_key(question, { kind = "allow_once" })
  if why then
    require("acp_nvim.ui.messages").show("warn", why)
  end
  return why ~= nil
end

--- The agent has changed a file that the user was not looking at. It comes into view.
---@param proposal acp.Proposal
---@return boolean
local function has_unseen_file(proposal)
  for index, file in ipairs(proposal.shown.files) do
    if proposal.changed[file.path] then
      require("acp_nvim.backend.process").notify(
        "diff",
        { question = proposal.shown.question, at = index, focus = true }
      )
      local told = ("not sent: %s has changed, repeat to send it"):format(file.name)
      require("acp_nvim.ui.messages").show("warn", told)
      return true
    end
  end
  return false
end

--- The right side of one file is what the user wants.
---@param proposal acp.Proposal
---@param path string
function M.submit(proposal, path)
  if is_late(proposal) or is_unseen(proposal) then
    return
  end
  local buf, shown = proposal.rights[path], proposal.shown
  vim.bo[buf].modified = false
  if shown.verb ~= "merged" then
    return M.send(desk.key_of(proposal), { path = path })
  end
  local text = abreast.text_of(buf) .. (shown.final and "\n" or "")
  local payload = { question = shown.question, version = shown.version, text = text }
  require("acp_nvim.backend.process").notify("merged", payload)
end

--- Sends the right sides as they are, all files of the question; false where there is none here.
---@return boolean
function M.accept()
  local proposal = desk.under_cursor()
  if not proposal then
    return false
  elseif is_late(proposal) or is_unseen(proposal) or is_too_soon(proposal) or has_unseen_file(proposal) then
    return true
  elseif proposal.shown.verb == "merged" then
    M.submit(proposal, proposal.shown.files[1].path)
  else
    M.send(desk.key_of(proposal), {})
  end
  return true
end

return M
