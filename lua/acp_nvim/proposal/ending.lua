-- A proposal goes, by the user's hand or since nobody asks any more; what the user has made of it stays.
local abreast = require("acp_nvim.abreast")
local aside = require("acp_nvim.proposal.aside")
local decision = require("acp_nvim.proposal.decision")
local desk = require("acp_nvim.proposal.desk")
local messages = require("acp_nvim.ui.messages")
local sheet = require("acp_nvim.proposal.sheet")
local sides = require("acp_nvim.sides")
local state = require("acp_nvim.backend.session_store")
local unsaved = require("acp_nvim.proposal.unsaved")

local api = vim.api
local M = {}

--- What the user has made of the right sides, for the next look at them.
---@param key integer
---@param proposal acp.Proposal
---@return table<string, acp.Kept>
local function what_stays(key, proposal)
  local entries = {}
  for path, text in pairs(desk.changed(key)) do
    local page = proposal.pages[path]
    if page and api.nvim_buf_is_loaded(page.buf) then
      page.steps = abreast.last_step(page)
    end
    local known = desk.kept_of(key, path)
    entries[path] = { text = text, page = page or known and known.page, version = proposal.shown.version }
  end
  return entries
end

--- The user's quickfix list is the one before ours again.
---@param id? integer  of ours
local function leave_list(id)
  if id and vim.fn.getqflist({ id = 0 }).id == id and vim.fn.getqflist({ nr = 0 }).nr > 1 then
    vim.cmd("silent! colder")
  end
end

--- The windows are gone: so are the buffers.
---@param key integer
function M.forget(key)
  local proposal = desk.open[key]
  if not proposal then
    return
  end
  local entries = what_stays(key, proposal)
  desk.kept[key] = key ~= desk.VIEW and next(entries) and entries or nil
  desk.open[key] = nil
  if proposal.follower then
    proposal.follower.stop()
  end
  unsaved.forget(proposal)
  for _, bufs in ipairs({ proposal.rights, proposal.lefts }) do
    vim.iter(vim.tbl_values(bufs)):each(sheet.wipe)
  end
  leave_list(proposal.list)
end

--- Closes the windows of a question, if there are any; with `over` nothing of it is kept.
---@param key integer
---@param over? boolean
function M.close(key, over)
  local proposal = desk.open[key]
  if proposal and proposal.sides then
    sides.close(proposal.sides)
  end
  M.forget(key)
  if over then
    desk.kept[key] = nil
  end
end

---@param question integer
---@param texts table<string, string>
local function put_aside(question, texts)
  local buf
  for path, text in pairs(texts) do
    buf = aside.put(question, path, text)
  end
  if buf then
    messages.show("warn", ("this is no longer asked; what you made of it: :sbuffer %d"):format(buf))
  end
end

local cancelled = {} ---@type table<integer, true>  questions whose turn the user has given up

--- The user gives up all that a session asks: its windows close, wherever that was typed.
---@param questions acp.Question[]
function M.cancelled(questions)
  for _, question in ipairs(questions) do
    cancelled[question.id] = true
  end
end

--- Nothing of it is asked any more. If the user has not answered, what he had made of it stays in buffers.
---@param question integer
local function finish(question)
  cancelled[question] = nil
  local texts = state.is_answered(question) and {} or desk.changed(question)
  M.close(question, true)
  vim.schedule(function() -- behind the frame, which also tells of decisions
    if not decision.is_decided(question) then
      put_aside(question, texts)
    end
  end)
end

--- A right side becomes a buffer that is nobody's.
---@param buf integer
local function set_free(buf)
  api.nvim_clear_autocmds({ buffer = buf, event = { "BufWriteCmd", "BufWinEnter" } })
  vim.bo[buf].buftype, vim.bo[buf].modifiable = "nofile", true
  vim.b[buf].acp_question = nil
end

--- The right side stays before the user: no key meant for it hits another one.
---@param proposal acp.Proposal
local function leave_open(proposal)
  local key, path = desk.key_of(proposal), desk.path_of(proposal)
  local buf, lefts = proposal.rights[path], proposal.lefts
  local was_changed = desk.changed(key)[path] ~= nil
  proposal.rights[path], proposal.pages[path] = nil, nil
  proposal.lefts = {}
  set_free(buf)
  sides.set_bars(proposal.sides, { name = "now" }, { name = "no longer asked: nothing of this will be sent" })
  proposal.sides.on_closed = function()
    vim.iter(vim.tbl_values(lefts)):each(sheet.wipe)
    if not was_changed and not vim.bo[buf].modified then
      sheet.wipe(buf)
    end
  end
  M.forget(key)
end

--- Is the user on one of the sides, or has he changed the right one?
---@param proposal acp.Proposal
---@return boolean
local function is_in_use(proposal)
  local is_here = desk.under_cursor() == proposal
  local is_merge = proposal.shown.verb == "merged" -- the user's own work
  if cancelled[desk.key_of(proposal)] and not is_merge and not (is_here and api.nvim_get_mode().mode:find("^[^n]")) then
    return false -- who gives up the turn types nothing that could hit another window
  end
  return is_here or desk.changed(desk.key_of(proposal))[desk.path_of(proposal)] ~= nil
end

--- The question is no longer open. Who is on one of the sides, or has changed the right one, keeps it; else its windows
--- close.
---@param question integer
function M.ended(question)
  local proposal = desk.open[question]
  local answered = decision.is_decided(question) or state.is_answered(question)
  if not proposal or answered or not sides.is_open(proposal.sides) or not is_in_use(proposal) then
    return finish(question)
  end
  vim.schedule(function() -- behind the frame, which also tells of decisions
    if not decision.is_decided(question) and desk.is_open(proposal) and sides.is_open(proposal.sides) then
      leave_open(proposal)
      messages.show("warn", "no longer asked: nothing of the right side will be sent")
    end
    finish(question)
  end)
end

return M
