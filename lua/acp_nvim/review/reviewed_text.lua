-- The text of one file in review: its lines, the turns of agents in it, what of them waits for a decision, what was
-- decided, and what the agents know. Other texts of the file, those saved or undone, are in `snapshots`.
--
--   lines             a X c d       an agent has made X of b, the user has added d
--   pending           row 1: b | X
--   undone            a b c d       decided: row 1, b | X, undone
--
-- Every line has one owner. What the user writes is the user's at once, wherever it stands: undoing a change takes back
-- what is left of the agent's lines in it, and nothing else.
local diff = require("acp_nvim.documents.diff")
local hunk_list = require("acp_nvim.review.hunk_list")
local limits = require("acp_nvim.limits")
local moments = require("acp_nvim.review.moments")
local patches = require("acp_nvim.documents.patch")
local stack = require("acp_nvim.review.stack")
local standing = require("acp_nvim.review.standing")
local told = require("acp_nvim.review.told")
local turn_bases = require("acp_nvim.review.turn_bases")

local M = {}

---@class acp.DecidedChange
---@field row integer
---@field change acp.AgentChange
---@field is_kept boolean
---@field is_covered? boolean    later turns had written over it: its lines are not known any more
---@field is_earlier? boolean    before the file was in review again: it is counted already
---@field commit? string         which has kept it
---@field answer? acp.Answered   the user's, to the question that has shown it

---@class acp.Known  what there is to know of a text beside its lines; never altered but for the last two
---@field turns acp.Turn[]
---@field newline? acp.AgentChange  of only the newline at the end: it holds as long as the last line is that
---@field decided acp.DecidedChange[]
---@field before acp.HunkList   of the text before: hunks that are as they were there keep their ids
---@field edit? acp.Edit      which has made this text of that one, if it was a single one
---@field waiting? acp.HunkList  what waits: made when somebody asks for it
---@field allowed? acp.HunkList  what does not wait, as the user was asked about it: made when somebody asks

---@class acp.Snapshot  a text and what was known of it
---@field lines string[]
---@field known acp.Known

---@class acp.ReviewedText
---@field lines string[]
---@field known acp.Known
---@field memory acp.Memory
---@field told acp.ToldSessions
---@field snapshots { saved?: acp.Snapshot, undeleted?: acp.Snapshot }  as on disk, and as before the file was deleted
---@field last_allowed? acp.HunkList
---@field kept_ids table<integer, true>
---@field listed table<integer, true>  decided, and still listed: until their session's next turn
---@field standing? acp.ReviewedText  what stands at the path beside lines, once an agent has changed that
---@field notes table<acp.AgentChange, acp.AgentChange>  hunks of that, as they are shown
---@field shown? { lines: acp.HunkList, notes: acp.HunkList, all: acp.HunkList }  the changes of both
---@field bases acp.TurnBase[]  of turns that have written here, the newest last

---@class acp.UndoChoice  hunks, or all that a turn has written
---@field ids? table<integer, any>
---@field written_by? acp.WrittenBy

---@class acp.UndoPlan
---@field edits acp.Edit[]     which take the changes out of the text
---@field chosen acp.Placed[]  the changes
---@field turns acp.Turn[]     that are left
---@field newline? acp.AgentChange  that is left
---@field is_all boolean       nothing of an agent's is left in the lines
---@field standing? acp.UndoPlan  of what stands at the path

---@param lines string[]  copied: edits change the text's own in place
---@return acp.ReviewedText
function M.new(lines)
  local known = { turns = {}, decided = {}, before = hunk_list.none(), waiting = hunk_list.none() }
  local text = { known = known, memory = moments.new(), told = {}, kept_ids = {}, listed = {}, bases = {} }
  text.lines, text.snapshots, text.notes = vim.list_slice(lines), {}, setmetatable({}, { __mode = "k" })
  return text
end

-- What waits ----------------------------------------------------------------------------------------------------------

--- The change that has the last line.
---@param text acp.ReviewedText
---@param hunks acp.HunkList
---@return acp.AgentChange?
local function at_end(text, hunks)
  local n = #hunks.rows
  return n > 0 and hunks.rows[n] + #hunks.changes[n].new >= #text.lines and hunks.changes[n] or nil
end

--- The change of the newline at the end, unless another change has the last line. It goes and comes with that line, so
--- each state of the undo tree has its own; what stands at the path beside lines (`standing`) is in no undo tree.
---@param text acp.ReviewedText
---@param hunks acp.HunkList
---@return acp.AgentChange?
local function newline_beside(text, hunks)
  local newline = text.known.newline
  return newline and not at_end(text, hunks) and newline.new[1] == text.lines[#text.lines] and newline or nil
end

--- The changes of the lines that wait for a decision.
---@param text acp.ReviewedText
---@return acp.HunkList
local function line_hunks(text)
  local known = text.known
  if not known.waiting then
    local hunks = hunk_list.of(known.before, known.turns, text.lines, text.kept_ids, known.edit)
    local newline = newline_beside(text, hunks)
    if newline then
      hunks = { rows = vim.list_slice(hunks.rows), changes = vim.list_slice(hunks.changes) }
      hunks.rows[#hunks.rows + 1], hunks.changes[#hunks.changes + 1] = #text.lines - 1, newline
    end
    known.waiting = hunks
  end
  return known.waiting
end

--- A change of what stands at the path, as it is shown.
---@param text acp.ReviewedText
---@param change acp.AgentChange
---@return acp.AgentChange
local function as_note(text, change)
  local note = text.notes[change]
  if not note then
    note = vim.tbl_extend("force", change, { old = {}, new = {}, note = standing.note(change.old, change.new) })
    text.notes[change] = note
  end
  return note
end

---@param text acp.ReviewedText
---@param list acp.Placed[]
---@return acp.Placed[]
local function as_notes(text, list)
  return vim.tbl_map(function(placed)
    return { row = 0, item = as_note(text, placed.item) }
  end, list)
end

--- The changes that wait for a decision.
---@param text acp.ReviewedText
---@return acp.HunkList
function M.waiting(text)
  local lines = line_hunks(text)
  local notes = text.standing and line_hunks(text.standing)
  if not notes or #notes.rows == 0 then
    return lines
  end
  local shown = text.shown
  if not shown or shown.lines ~= lines or shown.notes ~= notes then
    local all = hunk_list.none()
    for i, change in ipairs(notes.changes) do
      all.rows[i], all.changes[i] = 0, as_note(text, change)
    end
    vim.list_extend(all.rows, lines.rows)
    vim.list_extend(all.changes, lines.changes)
    shown = { lines = lines, notes = notes, all = all }
    text.shown = shown
  end
  return shown.all
end

--- The changes that the user was asked about: they do not wait, and can be undone.
---@param text acp.ReviewedText
---@return acp.HunkList
function M.allowed(text)
  local known = text.known
  if not known.allowed then
    local last, list = text.last_allowed, hunk_list.none()
    local placed = hunk_list.of_turns(last and last.changes or {}, known.turns, text.lines, function(turn)
      return turn.allowed
    end)
    for n, each in ipairs(placed) do
      list.rows[n], list.changes[n] = each.row, each.item
    end
    known.allowed, text.last_allowed = list, list
  end
  return known.allowed
end

--- What is known once the turns are others, and nothing else has changed.
---@param known acp.Known
---@param turns acp.Turn[]
---@param decided? acp.DecidedChange[]
---@return acp.Known
local function with_turns(known, turns, decided)
  local before = known.waiting or known.before
  return { turns = turns, newline = known.newline, decided = decided or known.decided, before = before }
end

--- Those of the ids that are pending in the lines.
---@param text acp.ReviewedText
---@param ids table<integer, any>
---@return acp.Placed[]  ascending
local function chosen_of(text, ids)
  return hunk_list.chosen(line_hunks(text), ids)
end

--- Those of the ids that can be undone.
---@param text acp.ReviewedText
---@param ids table<integer, any>
---@return acp.Placed[]
function M.undoable(text, ids)
  local waiting = hunk_list.chosen(M.waiting(text), ids)
  return #waiting > 0 and waiting or hunk_list.chosen(M.allowed(text), ids)
end

--- The turns that have left something.
---@param text acp.ReviewedText
---@return acp.Turn[]
function M.turns(text)
  local turns = text.known.turns
  return text.standing and vim.list_extend(vim.list_slice(turns), text.standing.known.turns) or turns
end

--- The turns of which something waits.
---@param text acp.ReviewedText
---@return acp.Turn[]
function M.waiting_turns(text)
  return vim.tbl_filter(function(turn)
    return not turn.allowed
  end, M.turns(text))
end

--- The decided changes.
---@param text acp.ReviewedText
---@return acp.DecidedChange[]
function M.decided(text)
  local decided = text.known.decided
  if not text.standing or #text.standing.known.decided == 0 then
    return decided
  end
  local notes = vim.tbl_map(function(each)
    return { row = 0, change = as_note(text, each.change), is_kept = each.is_kept }
  end, text.standing.known.decided)
  return vim.list_extend(notes, decided)
end

--- How many lines each turn has added and removed, of what waits and of what was allowed.
---@param text acp.ReviewedText
---@return { session: integer, turn: integer, plus: integer, minus: integer, allowed?: boolean, note?: string }[]
function M.sizes(text)
  local list = {}
  for i, turn in ipairs(text.known.turns) do
    local plus, minus = 0, 0
    for k, n in ipairs(turn.patch.n) do
      plus, minus = plus + n, minus + #turn.patch.old[k]
    end
    list[i] = { session = turn.session, turn = turn.turn, plus = plus, minus = minus, allowed = turn.allowed }
  end
  local hunks = M.waiting(text)
  for _, change in ipairs(hunks.changes) do
    if not change.note then
      break
    end
    list[#list + 1] = { session = change.session, turn = change.turn, plus = 0, minus = 0, note = change.note }
  end
  local last = hunks.changes[#hunks.changes]
  if last and last.had_newline ~= nil then
    list[#list + 1] = { session = last.session, turn = last.turn, plus = 1, minus = 1 }
  end
  return list
end

--- The lines that a turn has written, as changes of the text above it.
---@param text acp.ReviewedText
---@param what acp.WrittenBy
---@return acp.Placed[]
local function lines_of_turn(text, what)
  local hunks = line_hunks(text)
  local known = vim.list_extend(vim.list_slice(M.allowed(text).changes), hunks.changes)
  local list = hunk_list.of_turns(known, text.known.turns, text.lines, function(turn)
    return stack.is_of(turn, what)
  end)
  local last = hunks.changes[#hunks.changes]
  if last and last.had_newline ~= nil and stack.is_of(last, what) then
    list[#list + 1] = { row = hunks.rows[#hunks.rows], item = last }
  end
  return list
end

--- What a turn has changed.
---@param text acp.ReviewedText
---@param what acp.WrittenBy
---@return acp.Placed[]
function M.of_turn(text, what)
  local list = lines_of_turn(text, what)
  return text.standing and vim.list_extend(as_notes(text, lines_of_turn(text.standing, what)), list) or list
end

-- Edits ---------------------------------------------------------------------------------------------------------------

--- The newest of the decided changes, as many as are kept.
---@param list acp.DecidedChange[]
---@return acp.DecidedChange[]
local function bounded(list)
  return #list > limits.DECIDED_CHANGES and vim.list_slice(list, #list - limits.DECIDED_CHANGES + 1) or list
end

--- The decided changes in the text with the edits: their rows follow it.
---@param decided acp.DecidedChange[]
---@param edits acp.Edit[]
---@return acp.DecidedChange[]
local function moved(decided, edits)
  return #decided == 0 and decided
    or vim.tbl_map(function(each)
      local row, shift = each.row, 0
      for _, edit in ipairs(edits) do
        if edit[2] <= each.row then
          shift = shift + #edit[3] - (edit[2] - edit[1])
        elseif edit[1] < each.row then
          row = edit[1] + #edit[3] - shift
        end
      end
      return row + shift == each.row and each or vim.tbl_extend("force", each, { row = row + shift })
    end, decided)
end

--- What is known of a text with these edits.
---@param known acp.Known
---@param edits acp.Edit[]
---@param turns acp.Turn[]  with the edits
---@return acp.Known
local function with_edits(known, edits, turns)
  local after = with_turns(known, turns, moved(known.decided, edits))
  after.edit = known.waiting and #edits == 1 and edits[1] or nil
  return after
end

--- A snapshot with edits, which all its texts take if no other turns are given.
---@param snapshot acp.Snapshot
---@param edits acp.Edit[]
---@param turns? acp.Turn[]
---@return acp.Snapshot
function M.edited(snapshot, edits, turns)
  local known = with_edits(snapshot.known, edits, turns or stack.take(snapshot.known.turns, edits))
  return { lines = diff.apply(snapshot.lines, edits), known = known }
end

--- Carries out the edits.
---@param text acp.ReviewedText
---@param edits acp.Edit[]
---@param turns acp.Turn[]  with them
---@param is_users? boolean
local function replace(text, edits, turns, is_users)
  line_hunks(text)
  text.known = with_edits(text.known, edits, turns)
  moments.edited(text.memory, text.lines, edits, is_users or false)
  local edit = edits[1]
  if #edits == 1 and #edit[3] == edit[2] - edit[1] then
    for i, line in ipairs(edit[3]) do
      text.lines[edit[1] + i] = line
    end
  else
    text.lines = diff.apply(text.lines, edits)
  end
end

-- Who edits -----------------------------------------------------------------------------------------------------------

--- An agent has changed the text.
---@param text acp.ReviewedText
---@param edits acp.Edit[]
---@param author acp.Author
---@param is_allowed? fun(edit: acp.Edit): boolean  the user was asked about it
function M.agent(text, edits, author, is_allowed)
  if #edits > 0 then
    told.others(text.told, text.lines, edits, author.session)
    replace(text, edits, stack.write(text.known.turns, text.lines, edits, author, is_allowed))
    turn_bases.remember(text, author)
  end
end

--- The user has changed the text: the agents are told of what becomes of their lines.
---@param text acp.ReviewedText
---@param edits acp.Edit[]
function M.user(text, edits)
  if #edits > 0 then
    told.user(text.told, text.lines, edits)
    replace(text, edits, stack.take(text.known.turns, edits), true)
  end
end

--- A program has changed the text, or a proposal has brought what the user had typed into it: all agents know of that.
---@param text acp.ReviewedText
---@param edits acp.Edit[]
function M.others(text, edits)
  if #edits > 0 then
    told.others(text.told, text.lines, edits)
    turn_bases.edit(text, edits)
    replace(text, edits, stack.take(text.known.turns, edits))
  end
end

--- An agent has changed whether the last line ends with a newline, and the line is as it was. No agent is told of what
--- becomes of it. Where the turn's own lines end the text the newline goes with these.
---@param text acp.ReviewedText
---@param had_newline boolean
---@param has_newline boolean
---@param author acp.Author
function M.last_newline(text, had_newline, has_newline, author)
  local hunks, line = line_hunks(text), text.lines[#text.lines]
  local last = at_end(text, hunks)
  local is_of_own_line = last ~= nil and stack.is_of(last, author) and #last.earlier == 0
  local change = nil ---@type acp.AgentChange?
  if last and last.had_newline ~= nil then
    change = has_newline ~= last.had_newline and last or nil
  elseif line and had_newline ~= has_newline and not is_of_own_line then
    change = hunk_list.change(author, { line }, { line })
    change.id, change.had_newline = hunk_list.new_id(), had_newline
  end
  text.known = with_turns(text.known, text.known.turns)
  text.known.newline = change
  moments.differs(text.memory)
end

--- An agent has changed what stands at the path. What is not as it was known to be is not the agent's doing.
---@param text acp.ReviewedText
---@param before string[]
---@param after string[]
---@param author acp.Author
---@param is_known? boolean  another change tells of it: nothing waits
function M.stands(text, before, after, author, is_known)
  local here = text.standing or M.new(before)
  text.standing, here.kept_ids, here.listed = here, text.kept_ids, text.listed
  local function edits_to(lines)
    local edits = {}
    for i, line in ipairs(lines) do
      edits[#edits + 1] = here.lines[i] ~= line and { i - 1, i, { line } } or nil
    end
    return edits
  end
  M.others(here, edits_to(before))
  if is_known then
    M.others(here, edits_to(after))
  else
    M.agent(here, edits_to(after), author)
  end
end

--- Whether the turn has made the file, empty so far: then it has made it with the lines that come now.
---@param text acp.ReviewedText
---@param author acp.Author
---@return boolean
function M.take_creation(text, author)
  for _, change in ipairs(text.standing and line_hunks(text.standing).changes or {}) do
    local is_of_turn = change.session == author.session and change.turn == author.turn
    if change.old[1] == standing.NOTHING and is_of_turn and #change.earlier == 0 then
      text.standing = nil
      return true
    end
  end
  return false
end

-- States of the undo tree ---------------------------------------------------------------------------------------------

--- The buffer is in that state of its undo tree now.
---@param text acp.ReviewedText
---@param seq integer
function M.remember(text, seq)
  line_hunks(text)
  moments.remember(text.memory, seq, text.known)
end

--- Forgets all states: another buffer numbers its own.
---@param text acp.ReviewedText
function M.forget_moments(text)
  text.memory = moments.new()
end

--- The decided changes of a state, with those that have been kept since.
---@param text acp.ReviewedText
---@param before acp.DecidedChange[]
---@return acp.DecidedChange[]
local function decided_by_now(text, before)
  local decided, is_listed = {}, {}
  for _, each in ipairs(before) do
    if each.is_kept or not text.kept_ids[each.change.id] then
      decided[#decided + 1] = each
      is_listed[each.change.id] = each.is_kept or nil
    end
  end
  for _, each in ipairs(text.known.decided) do
    if each.is_kept and not is_listed[each.change.id] then
      decided[#decided + 1] = each
    end
  end
  return bounded(decided)
end

--- The user has gone back or forth to that state: what was known there is known again.
---@param text acp.ReviewedText
---@param seq integer
---@return boolean
function M.recall(text, seq)
  local known, turns = moments.recall(text.memory, seq)
  if known then
    local newline, decided = known.newline, decided_by_now(text, known.decided)
    newline = newline and not text.kept_ids[newline.id] and newline or nil
    text.known = with_turns(known, turns, decided)
    text.known.newline = newline
  end
  return known ~= nil
end

-- Decisions -----------------------------------------------------------------------------------------------------------

--- The turns with each chosen change in a place of its own.
---@param text acp.ReviewedText
---@param chosen acp.Placed[]
---@return acp.Turn[]
local function owned(text, chosen)
  local turns, p = text.known.turns, 1
  local places = stack.only_waiting(turns) and {} or stack.places(turns)
  for _, placed in ipairs(chosen) do
    local stop = placed.row + #placed.item.new
    while places[p] and places[p].at + places[p].n < placed.row do
      p = p + 1
    end
    local place = places[p]
    if place and (place.at < placed.row or place.at + place.n > stop) then
      turns = stack.owned(turns, text.lines, place)
    end
  end
  return turns
end

--- The edits that say of each change anew what is there, or what was.
---@param chosen acp.Placed[]
---@param side "old"|"new"
---@return acp.Edit[]
local function edits_of(chosen, side)
  local edits = {}
  for _, placed in ipairs(chosen) do
    edits[#edits + 1] = { placed.row, placed.row + #placed.item.new, placed.item[side] }
  end
  return edits
end

---@param known acp.Known
---@param ids table<integer, any>
---@return acp.AgentChange?  what is left of the change of the newline
local function newline_without(known, ids)
  local newline = known.newline
  return newline and not ids[newline.id] and newline or nil
end

---@param chosen acp.Placed[]
---@return table<integer, true>
local function ids_of(chosen)
  local ids = {}
  for _, placed in ipairs(chosen) do
    ids[placed.item.id] = true
  end
  return ids
end

--- Records changes as kept: in this text, in the snapshots, and in each state of the undo tree.
---@param text acp.ReviewedText
---@param placed acp.Placed[]
---@param kept acp.KeptText[]  the lines of these changes, where they are
---@param turns acp.Turn[]
---@return acp.AgentChange[]
local function record_kept(text, placed, kept, turns)
  local changes, decided, ids = {}, vim.list_slice(text.known.decided), ids_of(placed)
  local written = {} ---@type table<string[], string[]>  by the lines before
  for _, each in ipairs(kept) do
    for _, hunk in ipairs(each.hunks) do
      written[hunk.old] = hunk.new
    end
  end
  for n, each in ipairs(placed) do
    local change = each.item
    changes[n], text.kept_ids[change.id], text.listed[change.id] = change, true, true
    local new = written[change.old] -- what a turn has written, where later ones have written over it
    local is_covered = new and not hunk_list.is_same(new, change.new) or nil
    decided[#decided + 1] = { row = each.row, change = change, is_kept = true, is_covered = is_covered }
  end
  for _, each in ipairs(kept) do
    local edits = vim.tbl_map(function(hunk)
      return { hunk.row, hunk.row + #hunk.new, hunk.new }
    end, each.hunks)
    turn_bases.edit(text, edits, true, each.lines)
    for _, snapshot in pairs(text.snapshots) do
      local known, patch = snapshot.known, patches.between(each.lines, snapshot.lines)
      snapshot.known = with_turns(known, moments.without(known.turns, each.hunks, patch), decided)
      snapshot.known.newline = newline_without(known, ids)
    end
    moments.kept(text.memory, text.lines, each)
  end
  if #changes > 0 then
    moments.differs(text.memory)
    local newline = newline_without(text.known, ids)
    line_hunks(text)
    text.known = with_turns(text.known, turns, bounded(decided))
    text.known.newline = newline
  end
  return changes
end

--- Keeps these changes: nobody has to decide on them any more, in any state of the undo tree.
---@param text acp.ReviewedText
---@param ids table<integer, any>
---@return acp.AgentChange[]
function M.keep(text, ids)
  local chosen, hunks, kept = chosen_of(text, ids), {}, {}
  for _, placed in ipairs(chosen) do
    local change = placed.item
    if change.had_newline == nil then
      hunks[#hunks + 1] = { row = placed.row, old = change.old, new = change.new }
    end
  end
  if #chosen > 0 then
    local turns = stack.take(owned(text, chosen), edits_of(chosen, "new"), true)
    kept = record_kept(text, chosen, { { lines = text.lines, hunks = hunks } }, turns)
  end
  return text.standing and vim.list_extend(M.keep(text.standing, ids), kept) or kept
end

--- A commit has kept these changes.
---@param text acp.ReviewedText
---@param ids table<integer, any>
---@param commit string
function M.note_commit(text, ids, commit)
  for _, each in ipairs(text.known.decided) do
    each.commit = each.commit or (each.is_kept and ids[each.change.id] and commit) or nil
  end
end

--- Keeps all that a turn has written and that waits, also where later turns have written over it.
---@param text acp.ReviewedText
---@param what acp.WrittenBy
---@return acp.AgentChange[]
function M.keep_turn(text, what)
  local waiting = vim.tbl_filter(function(placed)
    return not placed.is_allowed
  end, lines_of_turn(text, what))
  local turns, kept = stack.keep_turn(text.known.turns, text.lines, what)
  local changes = record_kept(text, waiting, kept, turns)
  return text.standing and vim.list_extend(M.keep_turn(text.standing, what), changes) or changes
end

--- Changes that do not wait, or all of a turn.
---@param text acp.ReviewedText
---@param what acp.UndoChoice
---@return acp.Placed[]
---@return fun(turn: acp.Turn, old: string[]): boolean  whether a hunk of a turn is meant
local function chosen_of_turns(text, what)
  if what.written_by then
    return lines_of_turn(text, what.written_by), function(turn)
      return stack.is_of(turn, what.written_by)
    end
  end
  local chosen, olds = hunk_list.chosen(M.allowed(text), what.ids), {}
  for _, placed in ipairs(chosen) do
    olds[placed.item.old] = true
  end
  return chosen, function(turn, old)
    return turn.allowed and olds[old] or false
  end
end

--- What an undo leaves of the change of the newline. It goes with the turn that has made it, and with the hunk that has
--- the last line: then the text ends as it did before all agents.
---@param text acp.ReviewedText
---@param what acp.UndoChoice
---@param chosen acp.Placed[]
---@return acp.AgentChange?
local function newline_left(text, what, chosen)
  local newline, last = newline_without(text.known, ids_of(chosen)), at_end(text, line_hunks(text))
  local is_gone = newline ~= nil and what.written_by ~= nil and stack.is_of(newline, what.written_by)
  return not is_gone and not (last and what.ids and what.ids[last.id]) and newline or nil
end

--- What undoing hunks, or a turn, makes of the text.
---@param text acp.ReviewedText
---@param what acp.UndoChoice
---@return acp.UndoPlan
function M.plan_undo(text, what)
  local plan = { edits = {} }
  local waiting = what.ids and chosen_of(text, what.ids) or {}
  if #waiting > 0 then
    plan.chosen = waiting
    plan.edits = edits_of(plan.chosen, "old")
    plan.turns = stack.undo(owned(text, plan.chosen), text.lines, plan.edits)
  else
    local steps, which
    plan.chosen, which = chosen_of_turns(text, what)
    plan.turns, steps = stack.undo_written(text.known.turns, text.lines, which)
    local last, lines = plan.chosen[#plan.chosen], text.lines
    if #steps == 0 and last and last.item.had_newline ~= nil then
      steps[1] = edits_of({ last }, "old")
    end
    for _, edits in ipairs(steps) do
      lines = diff.apply(lines, edits)
    end
    plan.edits = #steps == 1 and steps[1] or diff.edits(text.lines, lines)
  end
  plan.newline = newline_left(text, what, plan.chosen)
  plan.is_all = #plan.turns == 0 and plan.newline == nil
  local beside = text.standing and M.plan_undo(text.standing, what)
  plan.standing = beside and #beside.chosen > 0 and beside or nil
  return plan
end

--- Undoes these changes: the agent's lines go, those before come back.
---@param text acp.ReviewedText
---@param plan acp.UndoPlan
function M.undo(text, plan)
  if #plan.chosen == 0 then
    return
  end
  local decided, shift = vim.list_slice(moved(text.known.decided, plan.edits)), 0
  for _, placed in ipairs(plan.chosen) do
    decided[#decided + 1] = { row = placed.row + shift, change = placed.item, is_kept = false }
    text.listed[placed.item.id] = true
    shift = shift + #placed.item.old - #placed.item.new
  end
  if #plan.edits > 0 then
    told.user(text.told, text.lines, plan.edits)
  end
  replace(text, plan.edits, plan.turns)
  text.known.decided, text.known.newline = bounded(decided), plan.newline
  moments.differs(text.memory) -- what is undone may have no line in the text
end

--- A turn that has written since then.
---@param text acp.ReviewedText
---@param turns acp.Turn[]  that had written by then
---@return acp.Turn?
function M.written_since(text, turns)
  return vim.iter(M.turns(text)):find(function(turn)
    return not vim.iter(turns):any(function(each)
      return stack.is_same(each, turn)
    end)
  end)
end

--- The decided changes, with those that a session which has ended was allowed to make.
---@param text acp.ReviewedText
---@param session integer
---@return acp.DecidedChange[]
local function with_allowed(text, session)
  local decided = vim.list_slice(text.known.decided)
  for _, turn in ipairs(text.known.turns) do
    local list = hunk_list.of_turns({}, text.known.turns, text.lines, function(each)
      return each == turn and turn.allowed and turn.session == session
    end)
    for _, placed in ipairs(list) do
      decided[#decided + 1] = { row = placed.row, change = placed.item, is_kept = true, answer = turn.answer }
    end
  end
  return bounded(decided)
end

--- Nothing of that session is pending any more, in any state: it has ended.
---@param text acp.ReviewedText
---@param session integer
function M.forget_session(text, session)
  local ids = {}
  for _, change in ipairs(M.waiting(text).changes) do
    ids[change.id] = change.session == session or nil
  end
  M.keep(text, ids)
  text.told[session], text.bases = nil, {}
  line_hunks(text)
  text.known = with_turns(text.known, stack.without_allowed(text.known.turns, session), with_allowed(text, session))
  moments.forget_session(text.memory, session)
end

return M
