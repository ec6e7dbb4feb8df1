-- What an agent wants to do to a file, as a diff: left the file as it is now, right as it shall become. The text of the
-- right side is the decision; the backend makes of it what goes to the agent.
local abreast = require("acp_nvim.abreast")
local scratch = require("acp_nvim.scratch")
local sides = require("acp_nvim.sides")
local state = require("acp_nvim.state")
local typed = require("acp_nvim.typed")

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
---@field follows? boolean   the right side is the file with the proposal: what the user changes there is on both
---@field live? boolean      the left side is the file itself where it is loaded
---@field left string        lines, joined
---@field right string
---@field text? string       what stands on the right side, where the user has made something of it
---@field others? { path: string, left: string, right: string, text?: string }[]  the other files, where all have changed
---@field first integer[]    the first change: its line left and right
---@field editable boolean
---@field note? string       what the user should know of it
---@field left_bar string[]   the longest first
---@field right_bar string[]
---@field verb? "merged"     what `:w` sends; "decide" without
---@field final? boolean     the merged text ends with a line end

---@class acp.Proposal
---@field shown acp.ProposedSide
---@field sides? acp.Sides
---@field lefts table<string, integer>   path -> buffer, where it is ours
---@field rights table<string, integer>  path -> buffer
---@field pages table<string, acp.Right> path -> what has been shown on the right side
---@field follower? acp.Abreast
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
local kept = {} ---@type table<integer, table<string, acp.Kept>> question -> path -> what the user had made of it
local text_of = abreast.text_of

---@class acp.Kept
---@field text string
---@field page? acp.Right  of that version of the question

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
  for path, each in pairs(kept[key] or {}) do
    texts[path] = each.text
  end
  for path, page in pairs(proposal and proposal.pages or {}) do
    if api.nvim_buf_is_loaded(page.buf) then
      local text = text_of(page.buf)
      texts[path] = text ~= page.came and text or nil
    end
  end
  return texts
end

--- The two sides, where the live text is not what the backend has made them of.
---@param key integer
---@return table<string, { left: string, right: string }>
local function moved_sides(key)
  local proposal, found = open[key], {}
  local function note(path, page)
    found[path] = page and page.base ~= page.told and { left = page.base, right = page.came } or nil
  end
  for path, each in pairs(kept[key] or {}) do
    note(path, each.page)
  end
  for path, page in pairs(proposal and proposal.pages or {}) do
    note(path, page)
  end
  return next(found) and found or vim.empty_dict()
end

--- The right sides take up what the files have become.
---@param proposal acp.Proposal
local function catch_up(proposal)
  for path, page in pairs(proposal.pages) do
    local live = page.follows and require("acp_nvim.files").find(path)
    if live then
      abreast.follow(page, text_of(live))
    end
  end
end

--- The texts of the right sides go to the backend.
---@param proposal acp.Proposal
---@param path? string  the one that is decided; nil: all as they are
local function send(proposal, path)
  local shown = proposal.shown
  local key = key_of(shown)
  catch_up(proposal)
  local texts = changed(key)
  local payload = { question = shown.question, version = shown.version, path = path, texts = vim.empty_dict() }
  payload.sides = moved_sides(key)
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

--- A copy for the user, `:w {file}` or `:saveas`; the proposal keeps its name.
---@param buf integer
---@param name string  of the proposal's buffer
---@param target string
local function copy(buf, name, target)
  local first, last = vim.fn.line("'["), vim.fn.line("']")
  local ok, err = pcall(vim.fn.writefile, api.nvim_buf_get_lines(buf, first - 1, last, false), target)
  local said = ok and "written: %s; the proposal is still asked" or "not written: %s"
  scratch.message(ok and "info" or "error", said:format(ok and vim.fn.fnamemodify(target, ":~:.") or err))
  vim.schedule(function()
    if api.nvim_buf_is_valid(buf) and api.nvim_buf_get_name(buf) ~= name then
      local bufs = api.nvim_list_bufs()
      api.nvim_buf_set_name(buf, name)
      for _, other in ipairs(api.nvim_list_bufs()) do
        if not vim.list_contains(bufs, other) and not api.nvim_buf_is_loaded(other) then
          api.nvim_buf_delete(other, { force = true }) -- Neovim's note of the other name
        end
      end
    end
  end)
end

--- The right side of one file is what the user wants.
---@param proposal acp.Proposal
---@param path string
local function submit(proposal, path)
  local buf, shown = proposal.rights[path], proposal.shown
  vim.bo[buf].modified = false
  if shown.verb ~= "merged" then
    return send(proposal, path)
  end
  local text = text_of(buf) .. (shown.final and "\n" or "")
  local payload = { question = shown.question, version = shown.version, text = text }
  require("acp_nvim.backend").notify("merged", payload)
end

---@param proposal acp.Proposal
---@param path string
---@param name string
---@param event table
local function write(proposal, path, name, event)
  local buf = event.buf
  if event.match ~= name then
    copy(buf, name, event.match)
  elseif not typed.is_meant(buf) then
    scratch.message("warn", "the proposal was not sent: :w in its own window does that")
  elseif vim.fn.line("'[") ~= 1 or vim.fn.line("']") ~= api.nvim_buf_line_count(buf) then
    scratch.message("warn", "all of it decides: nothing was sent, :w without a range does that")
  else
    submit(proposal, path)
  end
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

--- Is the diff of the question as it is now before the user, and have all its files been?
---@param question acp.Question
---@return boolean
function M.is_shown(question)
  local proposal = open[question.id]
  if not proposal or not sides.is_open(proposal.sides) or proposal.sides.tab ~= api.nvim_get_current_tabpage() then
    return false
  end
  return proposal.shown.version == question.version
    and vim.iter(proposal.shown.files):all(function(file)
      return proposal.pages[file.path] ~= nil
    end)
end

--- Sends the right sides as they are, all files of the question; false where there is none here.
---@return boolean
function M.accept()
  local proposal = here()
  if not proposal then
    return false
  end
  if proposal.shown.verb == "merged" then
    submit(proposal, proposal.shown.files[1].path)
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
  texts = next(texts) and texts or vim.empty_dict()
  return { texts = texts, sides = moved_sides(question), open = proposal ~= nil }
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
  for _, known in ipairs({ proposal and proposal.pages or {}, kept[question] or {} }) do
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
  local texts, entries = changed(key), {}
  for path, text in pairs(texts) do
    local page = proposal.pages[path]
    if page and api.nvim_buf_is_loaded(page.buf) then
      page.steps = abreast.last_step(page)
    end
    entries[path] = { text = text, page = page or (kept[key] or {})[path].page }
  end
  kept[key] = key ~= VIEW and next(entries) and entries or nil
  open[key] = nil
  if proposal.follower then
    proposal.follower.stop()
  end
  for _, bufs in ipairs({ proposal.rights, proposal.lefts }) do
    for _, buf in pairs(bufs) do
      wipe(buf)
    end
  end
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

--- The right side stays before the user as a buffer that is nobody's: no key meant for it hits another one.
---@param proposal acp.Proposal
local function leave_open(proposal)
  local key, path = key_of(proposal.shown), proposal.shown.files[proposal.shown.at].path
  local buf = proposal.rights[path]
  local was_changed = changed(key)[path] ~= nil
  proposal.rights[path], proposal.pages[path] = nil, nil
  local lefts = proposal.lefts
  proposal.lefts = {}
  api.nvim_clear_autocmds({ buffer = buf, event = { "BufWriteCmd", "BufWinEnter" } })
  vim.bo[buf].buftype, vim.bo[buf].modifiable = "nofile", true
  vim.b[buf].acp_question = nil
  sides.set_bars(proposal.sides, { " " }, { " no longer asked: nothing of this will be sent" })
  proposal.sides.on_closed = function()
    for _, left in pairs(lefts) do
      wipe(left)
    end
    if not was_changed and not vim.bo[buf].modified then
      wipe(buf)
    end
  end
  forget(key)
end

--- The question is no longer open. Who is on one of the sides, or has changed the right one, keeps it; else its windows
--- close.
---@param question integer
function M.ended(question)
  local proposal = open[question]
  local win = api.nvim_get_current_win()
  local answered = decided[question] or state.is_answered(question)
  if not proposal or answered or not sides.is_open(proposal.sides) then
    return finish(question)
  end
  local focused = win == proposal.sides.right or win == proposal.sides.left
  if not focused and not changed(question)[proposal.shown.files[proposal.shown.at].path] then
    return finish(question)
  end
  vim.schedule(function() -- behind the frame, which also tells of decisions
    if decided[question] or open[question] ~= proposal or not sides.is_open(proposal.sides) then
      return finish(question)
    end
    leave_open(proposal)
    scratch.message("warn", "no longer asked: nothing of the right side will be sent")
    finish(question)
  end)
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

---@param shown acp.ProposedSide
---@param path string
---@param kind ""|"live/"
---@return string name  whose end is the file's
local function name_of(shown, path, kind)
  local scheme = (shown.question and ("acp://proposal/%d/"):format(shown.question) or "acp://diff/") .. kind
  local name = scheme .. vim.fn.fnamemodify(path, ":.")
  return vim.fn.bufexists(name) == 1 and scheme .. path or name -- `:cd` since that was made
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
  local buf = new_buffer(name_of(shown, file.path, ""), shown.question and "acwrite" or "nofile")
  local name = api.nvim_buf_get_name(buf)
  proposal.rights[file.path] = buf
  if not shown.question then
    return buf
  end
  vim.b[buf].acp_question, vim.b[buf].acp_session = shown.question, shown.session
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function(event)
      write(proposal, file.path, name, event)
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
  local path = shown.files[shown.at].path
  local loaded = (shown.live or shown.follows) and require("acp_nvim.files").find(path)
  if loaded then
    return loaded
  end
  local buf = proposal.lefts[path]
  if not (buf and api.nvim_buf_is_loaded(buf)) then
    buf = new_buffer(name_of(shown, path, "live/"), "nofile")
    proposal.lefts[path] = buf
  end
  fill(buf, shown.left)
  vim.bo[buf].modifiable = false
  return buf
end

--- Another text on a right side; what is there alone is put aside.
---@param proposal acp.Proposal
---@param path string
---@param buf integer
---@param file { left: string, right: string, text?: string, follows?: boolean }  text: what stands there, the user's
local function refill(proposal, path, buf, file)
  local page, now = proposal.pages[path], text_of(buf)
  local shown, text = proposal.shown, file.text
  local same = page and page.version == shown.version and page.proposed == file.right
  if same and (not text or text == now) then
    return
  end
  local told = (proposal.told_texts or {})[path] or page and page.came
  local known = kept[key_of(shown)] and kept[key_of(shown)][path]
  local earlier = not text and known and known.page or nil -- it may be ahead of the backend
  earlier = earlier and earlier.version == shown.version and earlier or nil
  text = text or known and known.text
  if page and now ~= told and now ~= text then -- typed since the backend has asked
    put_aside(key_of(shown), path, now)
    scratch.message("warn", "the proposal changed while you typed: your text is in a buffer, see :ls!")
  end
  page = {
    buf = buf,
    version = shown.version,
    told = file.left,
    proposed = file.right,
    follows = file.follows or false,
    came = earlier and earlier.came or file.right,
    base = earlier and earlier.base or file.left,
    steps = {},
  }
  proposal.pages[path] = page
  vim.bo[buf].modifiable = true
  fill(buf, page.came)
  if text and text ~= page.came then
    api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, "\n", { plain = true }))
  end
  abreast.begin(page, earlier and earlier.steps[1].base or page.base)
end

---@param proposal acp.Proposal
local function fill_right(proposal)
  local shown = proposal.shown
  local path, key = shown.files[shown.at].path, key_of(shown)
  local buf = right_buffer(proposal, shown.at)
  refill(proposal, path, buf, shown)
  if kept[key] then
    kept[key][path] = nil
  end
  vim.bo[buf].modifiable = shown.editable
end

--- The files that are not shown now keep step, too.
---@param proposal acp.Proposal
---@param files { path: string, left: string, right: string, text?: string, follows?: boolean }[]
local function fill_others(proposal, files)
  local key = key_of(proposal.shown)
  for _, file in ipairs(files) do
    local buf = proposal.pages[file.path] and proposal.rights[file.path]
    if buf and api.nvim_buf_is_loaded(buf) then
      refill(proposal, file.path, buf, file)
    elseif file.text then
      kept[key] = kept[key] or {}
      kept[key][file.path] = { text = file.text }
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

--- What the user changes in the file comes to be on both sides.
---@param proposal acp.Proposal
---@param left integer  buffer
local function follow(proposal, left)
  local page = proposal.pages[proposal.shown.files[proposal.shown.at].path]
  if proposal.follower then
    proposal.follower.stop()
    proposal.follower = nil
  end
  if page and page.follows and not vim.list_contains(vim.tbl_values(proposal.lefts), left) then
    proposal.follower = abreast.watch(left, page.buf, function()
      if open[key_of(proposal.shown)] == proposal then
        abreast.follow(page, text_of(left))
      end
    end)
  end
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

---@param session integer
---@return boolean
local function may_open_itself(session)
  for _, proposal in pairs(open) do
    if sides.is_open(proposal.sides) and proposal.sides.tab == api.nvim_get_current_tabpage() then
      return false
    end
  end
  return idle() and sides.has_room() and state.current() == session
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
          scratch.message("warn", "this is still asked, all is kept: :Acp shows the question")
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
  highlight(path, right, { right, left == proposal.lefts[path] and left or nil })
  sides.set_bars(proposal.sides, shown.left_bar, shown.right_bar)
  follow(proposal, left)
  if #shown.files > 1 then
    set_list(proposal)
  end
end

--- Opens the diff, or shows in the open one what is new.
---@param shown acp.ProposedSide
function M.show(shown)
  local key = key_of(shown)
  local known = open[key] ---@type acp.Proposal?
  if shown.question and not state.question(shown.question) then
    return M.close(key, true)
  elseif shown.auto and not known and not may_open_itself(shown.session) then
    return require("acp_nvim.question").announce(shown.question)
  end
  if key == VIEW then
    M.close(VIEW)
    known = nil
  end
  make_room(key)
  local proposal = known or { shown = shown, rights = {}, pages = {}, lefts = {} }
  local moved = not known or known.shown.at ~= shown.at
  if known and not shown.focus and moved then
    -- an update of a file that the user has left meanwhile
    local file = { path = shown.files[shown.at].path, left = shown.left, right = shown.right, text = shown.text }
    file.follows = shown.follows
    proposal.shown = vim.tbl_extend("force", proposal.shown, { version = shown.version })
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
  if not config.review.auto_open or not fits or not may_open_itself(question.session) then
    return false
  end
  require("acp_nvim.backend").notify("diff", { question = question.id, auto = true })
  return true
end

return M
