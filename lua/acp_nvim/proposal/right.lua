-- The right sides: a buffer for each file, and what stands in it.
local abreast = require("acp_nvim.abreast")
local aside = require("acp_nvim.proposal.aside")
local desk = require("acp_nvim.proposal.desk")
local on_write = require("acp_nvim.proposal.on_write")
local messages = require("acp_nvim.ui.messages")
local sheet = require("acp_nvim.proposal.sheet")
local sides = require("acp_nvim.sides")
local write_intent = require("acp_nvim.proposal.write_intent")

local api = vim.api
local M = {}

-- The buffers ---------------------------------------------------------------------------------------------------------

--- A right side has come into a window by another way than ours: the quickfix list, most of the time.
---@param proposal acp.Proposal
---@param index integer
---@param win integer
local function entered(proposal, index, win)
  local shown = proposal.shown
  if not sides.is_open(proposal.sides) or shown.at == index then
    return
  end
  if win ~= proposal.sides.right then -- that window is the user's
    api.nvim_win_call(win, function()
      vim.cmd("silent! buffer #")
    end)
  end
  require("acp_nvim.backend.process").notify("diff", { question = shown.question, at = index, focus = true })
end

---@param proposal acp.Proposal
---@param index integer
---@param buf integer
local function listen(proposal, index, buf)
  local path, name = proposal.shown.files[index].path, api.nvim_buf_get_name(buf)
  write_intent.watch(buf)
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function(event)
      on_write.write(proposal, path, name, event)
    end,
  })
  api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    callback = function()
      local win = api.nvim_get_current_win()
      vim.schedule(function()
        if desk.is_open(proposal) and api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
          entered(proposal, index, win)
        end
      end)
    end,
  })
end

---@param proposal acp.Proposal
---@param index integer
---@return integer buf
function M.buffer(proposal, index)
  local shown, file = proposal.shown, proposal.shown.files[index]
  local known = proposal.rights[file.path]
  if known and api.nvim_buf_is_loaded(known) then
    return known
  end
  local buf = sheet.new(sheet.name_of(shown, file.path, ""), shown.question and "acwrite" or "nofile")
  proposal.rights[file.path] = buf
  if shown.question then
    vim.b[buf].acp_question, vim.b[buf].acp_session = shown.question, shown.session
    listen(proposal, index, buf)
  end
  return buf
end

-- The texts -----------------------------------------------------------------------------------------------------------

---@param buf integer
---@param version? integer
---@param file acp.ProposedText
---@param earlier? acp.Right  of the same version: it may be ahead of the backend
---@return acp.Right
local function new_page(buf, version, file, earlier)
  return {
    buf = buf,
    version = version,
    told = file.left,
    proposed = file.right,
    follows = file.follows or false,
    came = earlier and earlier.came or file.right,
    base = earlier and earlier.base or file.left,
    steps = {},
  }
end

--- Something else is about to stand there: what has been typed since the backend has asked is put aside.
---@param proposal acp.Proposal
---@param path string
---@param now string
---@param text? string  what is to stand there
local function save(proposal, path, now, text)
  local page = proposal.pages[path]
  local told = (proposal.told_texts or {})[path] or page and page.came
  if page and now ~= told and now ~= text then
    aside.put(desk.key_of(proposal), path, now)
    messages.show("warn", "the proposal changed while you typed: your text is in a buffer, see :ls!")
  end
end

---@param page acp.Right
---@param text? string  the user's
local function put(page, text)
  vim.bo[page.buf].modifiable = true
  sheet.fill(page.buf, page.came)
  if text and text ~= page.came then
    api.nvim_buf_set_lines(page.buf, 0, -1, false, vim.split(text, "\n", { plain = true }))
  end
end

--- What is known of an earlier look at that version.
---@param known? acp.Kept
---@param version? integer
---@return acp.Right?
local function earlier_in(known, version)
  local page = known and known.page
  return page and page.version == version and page or nil
end

--- Another text on a right side; what is there alone is put aside.
---@param proposal acp.Proposal
---@param buf integer
---@param file acp.ProposedText
local function refill(proposal, buf, file)
  local path, version = file.path, proposal.shown.version
  local page, now = proposal.pages[path], abreast.text_of(buf)
  local same = page and page.version == version and page.proposed == file.right
  if same and (not file.text or file.text == now) then
    return
  end
  local known = desk.kept_of(desk.key_of(proposal), path)
  local earlier = not file.text and earlier_in(known, version) or nil
  local text = file.text or known and known.text
  save(proposal, path, now, text)
  page = new_page(buf, version, file, earlier)
  proposal.pages[path] = page
  put(page, text)
  abreast.begin(page, earlier and earlier.steps[1].base or page.base)
end

--- The texts of one of the files.
---@param shown acp.ProposedSide
---@param path string
---@return acp.ProposedText
local function texts_of(shown, path)
  return { path = path, left = shown.left, right = shown.right, text = shown.text, follows = shown.follows }
end

--- Notes the files that the agent has added or changed. The user has to see them before the proposal is accepted.
---@param proposal acp.Proposal
---@param shown acp.ProposedSide  the version that is about to be shown
function M.note_changed(proposal, shown)
  if proposal.shown.version == shown.version then
    return
  end
  local known = {} ---@type table<string, true>
  for _, file in ipairs(proposal.shown.files) do
    known[file.path] = true
  end
  for _, file in ipairs(shown.files) do
    proposal.changed[file.path] = proposal.changed[file.path] or not known[file.path] or nil
  end
  for _, file in ipairs({ texts_of(shown, shown.files[shown.at].path), unpack(shown.others or {}) }) do
    local page = proposal.pages[file.path]
    if page and page.proposed ~= file.right then
      proposal.changed[file.path] = true
    end
  end
end

--- Fills the right side that is before the user.
---@param proposal acp.Proposal
function M.fill(proposal)
  local shown, path = proposal.shown, desk.path_of(proposal)
  local kept = desk.kept[desk.key_of(proposal)]
  local buf = M.buffer(proposal, shown.at)
  refill(proposal, buf, texts_of(shown, path))
  if kept then
    kept[path] = nil
  end
  proposal.changed[path] = nil
  vim.bo[buf].modifiable = shown.editable
end

--- The files that are not shown now keep step, too.
---@param proposal acp.Proposal
---@param files acp.ProposedText[]
function M.fill_others(proposal, files)
  local key = desk.key_of(proposal)
  for _, file in ipairs(files) do
    local buf = proposal.pages[file.path] and proposal.rights[file.path]
    if buf and api.nvim_buf_is_loaded(buf) then
      refill(proposal, buf, file)
    elseif file.text then
      desk.kept[key] = desk.kept[key] or {}
      desk.kept[key][file.path] = { text = file.text, version = proposal.shown.version }
    end
  end
end

--- What came is about a file that the user has left meanwhile: the one before him stays.
---@param proposal acp.Proposal
---@param shown acp.ProposedSide
function M.fill_behind(proposal, shown)
  local file = texts_of(shown, shown.files[shown.at].path)
  proposal.shown = vim.tbl_extend("force", proposal.shown, { version = shown.version })
  M.fill_others(proposal, vim.list_extend({ file }, shown.others or {}))
end

return M
