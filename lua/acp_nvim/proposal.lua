-- What an agent wants to do to a file, as a diff: left the file as it is now, right as it shall become. The text of the
-- right side is the decision; the backend makes of it what goes to the agent.
local scratch = require("acp_nvim.scratch")
local sides = require("acp_nvim.sides")
local state = require("acp_nvim.state")

local api = vim.api
local M = {}

---@class acp.ProposalFile
---@field path string
---@field name string      as it is shown
---@field decided? boolean

---@class acp.ProposedSide
---@field question? integer  none: a look at what a tool call has done
---@field session integer
---@field version? integer
---@field focus boolean
---@field auto? boolean      opens only before an idle user
---@field at integer         which of the files
---@field files acp.ProposalFile[]
---@field live? boolean      the left side is the file itself where it is loaded
---@field left string        lines, joined
---@field right string
---@field text? string       what stands on the right side, where the user has made something of it
---@field others? { path: string, right: string, text?: string }[]  the other files, where all have changed
---@field first integer[]    the first change: its line left and right
---@field editable boolean
---@field note? string       what the user should know of it
---@field left_bar string
---@field right_bar string
---@field verb? "merged"     what `:w` sends; "decide" without
---@field final? boolean     the merged text ends with a line end

---@class acp.Proposal
---@field shown acp.ProposedSide
---@field sides? acp.Sides
---@field left? integer                 buffer, if it is ours
---@field rights table<string, integer>  path -> buffer
---@field came table<string, string>    path -> the text as the agent proposes it
---@field told_texts? table<string, string>  what the backend has been told of the user's
---@field list? integer                 id of the quickfix list
---@field told? boolean                the note

local LEAVING_MS = 1500 -- so long Neovim stays for what has been decided last
local LONG = 2000 -- lines
local APART_MS = 16
local VIEW = 0 -- the key of a look that is no question

local open = {} ---@type table<integer, acp.Proposal>  by question
local sent = {} ---@type table<integer, integer>  question -> when a decision was sent whose effect is not seen yet
local decided = {} ---@type table<integer, true>  questions that the right side has answered
local kept = {} ---@type table<integer, table<string, string>> question -> path -> what the user had made of it

---@param buf integer
---@return string
local function text_of(buf)
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
end

---@param shown acp.ProposedSide
---@return integer
local function key_of(shown)
  return shown.question or VIEW
end

-- Buffers -------------------------------------------------------------------------------------------------------------

---@param buf integer
---@param text string
local function fill(buf, text)
  local bo = vim.bo[buf]
  local modifiable = bo.modifiable
  bo.modifiable = true
  bo.undolevels = -1 -- what the agent wrote is not to be undone line by line
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, "\n", { plain = true }))
  bo.undolevels = api.nvim_get_option_value("undolevels", { scope = "global" })
  bo.modifiable, bo.modified = modifiable, false
end

---@param name string
---@param kind "nofile"|"acwrite"
---@return integer buf
local function new_buffer(name, kind)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].buftype, vim.bo[buf].bufhidden = kind, "hide"
  vim.bo[buf].modeline, vim.bo[buf].swapfile = false, false
  api.nvim_buf_set_name(buf, name)
  return buf
end

---@param buf integer
---@param path string
---@param like integer  a buffer with the text
local function set_filetype(buf, path, like)
  local filetype = vim.filetype.match({ filename = path, buf = like }) or ""
  if vim.bo[buf].filetype ~= filetype then
    vim.bo[buf].filetype = filetype
  end
end

--- Highlighting what is on the screen of a long text takes as long as the diff itself: it comes behind it, one side
--- after the other, so that nobody waits for all at once.
---@param path string
---@param like integer  a buffer with the text
---@param bufs integer[]
local function highlight(path, like, bufs)
  local function go_on()
    local buf = table.remove(bufs, 1)
    if buf and api.nvim_buf_is_loaded(buf) and api.nvim_buf_is_loaded(like) then
      set_filetype(buf, path, like)
      highlight(path, like, bufs)
    end
  end
  if #bufs > 0 and api.nvim_buf_line_count(like) > LONG then
    vim.defer_fn(go_on, APART_MS)
  else
    go_on()
  end
end

---@param buf integer?
local function wipe(buf)
  if buf and api.nvim_buf_is_valid(buf) then
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
end

-- Deciding ------------------------------------------------------------------------------------------------------------

--- The right sides that the user has changed.
---@param key integer
---@return table<string, string>  path -> text
local function changed(key)
  local proposal, texts = open[key], {}
  for path, text in pairs(kept[key] or {}) do
    texts[path] = text
  end
  for path, buf in pairs(proposal and proposal.rights or {}) do
    local came = proposal.came[path]
    if came and api.nvim_buf_is_loaded(buf) then
      local text = text_of(buf)
      texts[path] = text ~= came and text or nil
    end
  end
  return texts
end

--- The texts of the right sides go to the backend.
---@param proposal acp.Proposal
---@param path? string  the one that is decided; nil: all as they are
local function send(proposal, path)
  local shown = proposal.shown
  local key = key_of(shown)
  local texts = changed(key)
  local payload = { question = shown.question, version = shown.version, path = path, texts = vim.empty_dict() }
  for each, text in pairs(texts) do
    if not path or each == path then
      payload.texts[each] = text
    end
  end
  sent[key] = vim.uv.now()
  require("acp_nvim.backend").notify("decide", payload)
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

---@param proposal acp.Proposal
---@param path string
---@param buf integer
---@param event table
local function write(proposal, path, buf, event)
  if event.match ~= api.nvim_buf_get_name(buf) then -- :w {file}: a copy for the user
    return vim.fn.writefile(api.nvim_buf_get_lines(buf, 0, -1, false), event.match)
  end
  vim.bo[buf].modified = false
  if proposal.shown.verb == "merged" then
    local lines = text_of(buf)
    local shown, text = proposal.shown, lines .. (proposal.shown.final and "\n" or "")
    local payload = { question = shown.question, version = shown.version, text = text }
    return require("acp_nvim.backend").notify("merged", payload)
  end
  send(proposal, path)
end

--- The proposal on one of whose sides the user is.
---@return acp.Proposal?
local function here()
  local win = api.nvim_get_current_win()
  for key, proposal in pairs(open) do
    if
      key ~= VIEW
      and sides.is_open(proposal.sides)
      and (proposal.sides.left == win or proposal.sides.right == win)
    then
      return proposal
    end
  end
end

--- The question on one of whose sides the user is.
---@return integer?
function M.question_here()
  local proposal = here()
  return proposal and proposal.shown.question or vim.b.acp_question
end

--- Sends the right sides as they are, all files of the question; false where there is none here.
---@return boolean
function M.accept()
  local proposal = here()
  if not proposal then
    return false
  end
  if proposal.shown.verb == "merged" then
    api.nvim_buf_call(proposal.rights[proposal.shown.files[1].path], function()
      vim.cmd.write()
    end)
  else
    send(proposal)
  end
  return true
end

--- What the user has made of the right sides, for the backend, which merges it with what is new.
---@param question integer
---@return table? said  texts: path -> text; nil: there is nothing to keep step
function M.texts(question)
  local proposal, texts = open[question], changed(question)
  if not proposal and not next(texts) then
    return nil
  elseif proposal then
    proposal.told_texts = texts
  end
  return { texts = next(texts) and texts or vim.empty_dict(), open = proposal ~= nil }
end

local asides = 0

---@param question integer
---@param path string
---@param text string
---@return integer buf
local function put_aside(question, path, text)
  asides = asides + 1
  local buf = new_buffer(("acp://proposal/%d/yours/%d/%s"):format(question, asides, vim.fs.basename(path)), "nofile")
  fill(buf, text)
  set_filetype(buf, path, buf)
  return buf
end

--- Another version of the right side has taken its place: the user's own stays in a buffer.
---@param question integer
---@param path string
---@param text string
function M.keep_aside(question, path, text)
  local buf = put_aside(question, path, text)
  local proposal = open[question]
  for _, known in ipairs({ proposal and proposal.came or {}, kept[question] or {} }) do
    known[path] = nil
  end
  scratch.message("warn", ("the proposal changed in lines that you edited; yours: :sbuffer %d"):format(buf))
end

-- Windows -------------------------------------------------------------------------------------------------------------

---@param key integer
local function forget(key)
  local proposal = open[key]
  if not proposal then
    return
  end
  local texts = changed(key)
  kept[key] = key ~= VIEW and next(texts) and texts or nil
  open[key] = nil
  for _, buf in pairs(proposal.rights) do
    wipe(buf)
  end
  wipe(proposal.left)
  local id = proposal.list
  if id and vim.fn.getqflist({ id = 0 }).id == id and vim.fn.getqflist({ nr = 0 }).nr > 1 then
    vim.cmd("silent! colder")
  end
end

--- Closes the windows of a question, if there are any; with `over` nothing of it is kept.
---@param key integer
---@param over? boolean
function M.close(key, over)
  local proposal = open[key]
  if proposal and proposal.sides then
    sides.close(proposal.sides)
  end
  forget(key)
  if over then
    kept[key] = nil
  end
end

--- Nothing of it is asked any more. If the user has not answered, what he had made of it stays in buffers.
---@param question integer
local function finish(question)
  local texts = state.is_answered(question) and {} or changed(question)
  M.close(question, true)
  vim.schedule(function() -- behind the frame, which also tells of decisions
    local buf
    for path, text in pairs(decided[question] and {} or texts) do
      buf = put_aside(question, path, text)
    end
    if buf then
      scratch.message("warn", ("this is no longer asked; what you made of it: :sbuffer %d"):format(buf))
    end
  end)
end

--- The question is no longer open. Who is just typing on the right side does not find themselves in another buffer.
---@param question integer
function M.ended(question)
  local proposal = open[question]
  local win = api.nvim_get_current_win()
  local inside = proposal
    and sides.is_open(proposal.sides)
    and (proposal.sides.left == win or proposal.sides.right == win)
  if not proposal or not inside or api.nvim_get_mode().mode == "n" then
    return finish(question)
  end
  vim.wo[proposal.sides.right][0].winbar = " no longer asked: nothing of this will be sent"
  api.nvim_create_autocmd("ModeChanged", {
    pattern = "*:n",
    once = true,
    callback = vim.schedule_wrap(function()
      finish(question)
    end),
  })
end

---@param proposal acp.Proposal
---@param index integer
local function go_to(proposal, index)
  local shown = proposal.shown
  require("acp_nvim.backend").notify("diff", { question = shown.question, at = index, focus = true })
end

--- A right side has come into a window by another way than ours: the quickfix list, most of the time.
---@param proposal acp.Proposal
---@param index integer
---@param win integer
local function entered(proposal, index, win)
  if not sides.is_open(proposal.sides) or proposal.shown.at == index then
    return
  end
  if win ~= proposal.sides.right then -- that window is the user's
    api.nvim_win_call(win, function()
      vim.cmd("silent! buffer #")
    end)
  end
  go_to(proposal, index)
end

---@param proposal acp.Proposal
---@param index integer
---@return integer buf
local function right_buffer(proposal, index)
  local shown, file = proposal.shown, proposal.shown.files[index]
  local known = proposal.rights[file.path]
  if known and api.nvim_buf_is_loaded(known) then
    return known
  end
  local scheme = shown.question and ("acp://proposal/%d/"):format(shown.question) or "acp://diff/"
  local name = scheme .. vim.fn.fnamemodify(file.path, ":.")
  name = vim.fn.bufexists(name) == 1 and scheme .. file.path or name -- `:cd` since that was made
  local buf = new_buffer(name, shown.question and "acwrite" or "nofile")
  proposal.rights[file.path] = buf
  if not shown.question then
    return buf
  end
  vim.b[buf].acp_question, vim.b[buf].acp_session = shown.question, shown.session
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function(event)
      write(proposal, file.path, buf, event)
    end,
  })
  api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    callback = function()
      local win = api.nvim_get_current_win()
      vim.schedule(function()
        if open[key_of(shown)] == proposal and api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
          entered(proposal, index, win)
        end
      end)
    end,
  })
  return buf
end

---@param proposal acp.Proposal
---@param shown acp.ProposedSide
---@return integer buf
local function left_buffer(proposal, shown)
  local loaded = shown.live and require("acp_nvim.files").find(shown.files[shown.at].path)
  if loaded then
    return loaded
  end
  if not (proposal.left and api.nvim_buf_is_loaded(proposal.left)) then
    proposal.left = new_buffer(("acp://before/%d/%d"):format(key_of(shown), vim.uv.hrtime()), "nofile")
  end
  fill(proposal.left, shown.left)
  vim.bo[proposal.left].modifiable = false
  return proposal.left
end

--- Another text on a right side; what is there alone is put aside.
---@param proposal acp.Proposal
---@param path string
---@param buf integer
---@param right string
---@param text? string  what stands there instead: the user's
local function refill(proposal, path, buf, right, text)
  local before, now = proposal.came[path], text_of(buf)
  local told = (proposal.told_texts or {})[path] or before
  proposal.came[path] = right
  if before == right and (not text or text == now) then
    return
  end
  if before and now ~= told and now ~= text then -- typed since the backend has asked
    put_aside(key_of(proposal.shown), path, now)
    scratch.message("warn", "the proposal changed while you typed: your text is in a buffer, see :ls!")
  end
  vim.bo[buf].modifiable = true
  fill(buf, right)
  if text and text ~= right then
    api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, "\n", { plain = true }))
  end
end

---@param proposal acp.Proposal
local function fill_right(proposal)
  local shown = proposal.shown
  local path, key = shown.files[shown.at].path, key_of(shown)
  local buf = right_buffer(proposal, shown.at)
  refill(proposal, path, buf, shown.right, shown.text or (kept[key] or {})[path])
  if kept[key] then
    kept[key][path] = nil
  end
  vim.bo[buf].modifiable = shown.editable
end

--- The files that are not shown now keep step, too.
---@param proposal acp.Proposal
---@param files { path: string, right: string, text?: string }[]
local function fill_others(proposal, files)
  local key = key_of(proposal.shown)
  for _, file in ipairs(files) do
    local buf = proposal.came[file.path] and proposal.rights[file.path]
    if buf and api.nvim_buf_is_loaded(buf) then
      refill(proposal, file.path, buf, file.right, file.text)
    elseif file.text then
      kept[key] = kept[key] or {}
      kept[key][file.path] = file.text
    end
  end
end

--- The first change in the middle of both windows, their cursors on it.
---@param proposal acp.Proposal
local function show_first(proposal)
  for index, win in ipairs({ proposal.sides.left, proposal.sides.right }) do
    local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
    api.nvim_win_set_cursor(win, { math.max(1, math.min(proposal.shown.first[index], last)), 0 })
  end
  api.nvim_win_call(proposal.sides.right, function()
    vim.cmd("normal! zz")
  end)
end

---@param proposal acp.Proposal
local function set_bars(proposal)
  local shown = proposal.shown
  vim.wo[proposal.sides.left][0].winbar = shown.left_bar
  vim.wo[proposal.sides.right][0].winbar = shown.right_bar
end

--- Several files are a quickfix list: `:cnext` goes on.
---@param proposal acp.Proposal
local function set_list(proposal)
  local shown, items = proposal.shown, {}
  for index, file in ipairs(shown.files) do
    local word = file.decided and "decided" or "to be decided"
    items[index] = { bufnr = right_buffer(proposal, index), lnum = 1, text = ("%s: %s"):format(word, file.name) }
  end
  local what = { items = items, title = "acp: files of the proposal", idx = shown.at, id = proposal.list }
  vim.fn.setqflist({}, proposal.list and "r" or " ", what)
  proposal.list = vim.fn.getqflist({ id = 0 }).id
end

---@return boolean  the user is doing nothing that windows could disturb
local function idle()
  local mode = api.nvim_get_mode()
  local busy = vim.fn.getcmdwintype() ~= "" or vim.fn.reg_recording() ~= "" or vim.fn.reg_executing() ~= ""
  local floats = api.nvim_win_get_config(0).relative ~= ""
  return mode.mode == "n" and not mode.blocking and not busy and not floats and vim.fn.state("moS") == ""
end

---@param shown acp.ProposedSide
---@return boolean
local function may_open_itself(shown)
  for _, proposal in pairs(open) do
    if sides.is_open(proposal.sides) and proposal.sides.tab == api.nvim_get_current_tabpage() then
      return false
    end
  end
  return idle() and sides.has_room() and state.current() == shown.session
end

--- The windows of one tabpage show one proposal.
---@param key integer
local function make_room(key)
  for other, proposal in pairs(open) do
    if other ~= key and sides.is_open(proposal.sides) and proposal.sides.tab == api.nvim_get_current_tabpage() then
      M.close(other)
    end
  end
end

---@param proposal acp.Proposal
local function show(proposal)
  local shown = proposal.shown
  local was_open = sides.is_open(proposal.sides)
  if shown.others then
    kept[key_of(shown)] = nil -- made for the one before
    fill_others(proposal, shown.others)
  end
  fill_right(proposal)
  proposal.told_texts = nil
  local left, right = left_buffer(proposal, shown), right_buffer(proposal, shown.at)
  if was_open then
    sides.show(proposal.sides, left, right)
    if shown.focus then
      api.nvim_set_current_win(proposal.sides.right)
    end
  else
    proposal.sides = sides.open(left, right, shown.focus, {
      on_closed = function(alone)
        if open[key_of(shown)] == proposal then
          forget(key_of(shown))
        end
        if alone and shown.question and state.question(shown.question) then
          scratch.message("warn", "this is still asked, and what you changed is kept: :Acp shows the question")
        end
      end,
      is_ours = function(win, buf)
        return proposal.sides.right == win and vim.list_contains(vim.tbl_values(proposal.rights), buf)
      end,
    })
  end
  if shown.note and (shown.focus or not shown.editable) and not proposal.told then
    proposal.told = true
    scratch.message(shown.editable and "info" or "warn", shown.note)
  end
  local path = shown.files[shown.at].path
  highlight(path, right, { right, left == proposal.left and left or nil })
  set_bars(proposal)
  if #shown.files > 1 then
    set_list(proposal)
  end
end

--- Opens the diff, or shows in the open one what is new.
---@param shown acp.ProposedSide
function M.show(shown)
  local key = key_of(shown)
  local known = open[key]
  if shown.question and not state.question(shown.question) then
    return M.close(key, true)
  elseif shown.auto and not known and not may_open_itself(shown) then
    return require("acp_nvim.question").announce(shown.question)
  end
  if key == VIEW then
    M.close(VIEW)
    known = nil
  end
  make_room(key)
  local proposal = known or { shown = shown, rights = {}, came = {} }
  local moved = not known or known.shown.at ~= shown.at
  if known and not shown.focus and moved then
    -- an update of a file that the user has left meanwhile
    local file = { path = shown.files[shown.at].path, right = shown.right, text = shown.text }
    return fill_others(proposal, vim.list_extend({ file }, shown.others or {}))
  end
  proposal.shown, open[key] = shown, proposal
  show(proposal)
  if moved then
    show_first(proposal)
  end
end

--- A question has come: its diff opens by itself before a user who is idle.
---@param question acp.Question
---@return boolean taken  false: it is to be announced
function M.offer(question)
  local config = require("acp_nvim.config").get()
  local fits = question.kind == "permission" and question.has_diff
  if not config.review.auto_open or not fits or not may_open_itself({ session = question.session }) then
    return false
  end
  require("acp_nvim.backend").notify("diff", { question = question.id, auto = true })
  return true
end

return M
