-- Writes the line below a turn that has changed files: how much waits for a decision, and what was decided.
--
--   ± 2 files +5 −4 · ,k keep ,u undo · :Acp review      nothing is decided
--   ± price.py +2 −1 · kept 1, undone 1 · …              one change is left
--   ± kept 2, undone 1 of 3                              all are decided
--   ± price.py +2 −1 allowed · <M-u> undo                the user was asked about them
--   ± price.py +2 −1  ,k keep  ,u undo                   in a narrow chat
local key_names = require("acp_nvim.review.key_names")
local limits = require("acp_nvim.limits")
local printable = require("acp_nvim.ui.printable")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")

local M = {}

---@class acp.FileShare  what one turn has done to a file in review
---@field given string
---@field is_pending boolean
---@field plus integer
---@field minus integer
---@field kept integer
---@field undone integer
---@field notes string[]  what waits and has no lines
---@field allowed? { plus: integer, minus: integer }  what the user was asked about

---@alias acp.TurnShare table<string, acp.FileShare>  by resolved path
---@alias acp.TurnShares table<integer, table<integer, acp.TurnShare>>  session -> turn

---@class acp.TurnLine
---@field text string
---@field files acp.message.TurnFile[]
---@field more integer  files beside those

local SIGN = 2 -- cells
local UNDO = "<M-u> undo" -- in the prompt
local widths = {} ---@type table<integer, integer>  by session: columns of its narrowest chat
local past = {} ---@type acp.TurnShares  of files that have left the review: what was decided there still counts

---@param shares acp.TurnShares
---@param of { session: integer, turn: integer }
---@return acp.TurnShare
local function share_of(shares, of)
  shares[of.session] = shares[of.session] or {}
  local turns = shares[of.session]
  turns[of.turn] = turns[of.turn] or {}
  return turns[of.turn]
end

---@param shares acp.TurnShares
---@param of { session: integer, turn: integer }
---@param file acp.ReviewedFile
---@return acp.FileShare
local function file_share(shares, of, file)
  local share, path = share_of(shares, of), file.path
  share[path] = share[path]
    or { given = file.given, is_pending = false, plus = 0, minus = 0, kept = 0, undone = 0, notes = {} }
  return share[path]
end

local function add_decided(shares, file)
  for _, each in ipairs(reviewed_text.decided(file.text)) do
    if not each.is_earlier then
      local share, what = file_share(shares, each.change, file), each.is_kept and "kept" or "undone"
      share[what] = share[what] + 1
    end
  end
end

---@return acp.TurnShares
local function all_shares()
  local shares = vim.deepcopy(past, true)
  for _, file in pairs(reviewed_files.files) do
    for _, size in ipairs(reviewed_text.sizes(file.text)) do
      local share = file_share(shares, size, file)
      if size.allowed then
        local before = share.allowed or { plus = 0, minus = 0 }
        share.allowed = { plus = before.plus + size.plus, minus = before.minus + size.minus }
      else
        share.is_pending, share.notes[#share.notes + 1] = true, size.note
        share.plus, share.minus = share.plus + size.plus, share.minus + size.minus
      end
    end
    for _, author in ipairs(file.unknown) do
      file_share(shares, author, file).is_pending = true
    end
    add_decided(shares, file)
  end
  return shares
end

---@class acp.TurnTotals
---@field pending acp.FileShare[]
---@field allowed acp.FileShare[]
---@field notes string[]
---@field plus integer
---@field minus integer
---@field kept integer
---@field undone integer

---@param share acp.TurnShare
---@return acp.TurnTotals
local function totals(share)
  local sum = { pending = {}, notes = {}, allowed = {}, plus = 0, minus = 0, kept = 0, undone = 0 }
  for _, file in pairs(share) do
    sum.allowed[#sum.allowed + 1] = file.allowed and file or nil
    sum.pending[#sum.pending + 1] = file.is_pending and file or nil
    vim.list_extend(sum.notes, file.notes)
    for _, what in ipairs({ "plus", "minus", "kept", "undone" }) do
      sum[what] = sum[what] + file[what]
    end
  end
  return sum
end

local function joined(between, ...)
  return table.concat(
    vim.tbl_filter(function(part)
      return part ~= ""
    end, { ... }),
    between
  )
end

local function name_of(files)
  return #files == 1 and printable.visible(vim.fs.basename(files[1].given)) or ("%d files"):format(#files)
end

--- "+1 −1 allowed"
local function allowed_in(files)
  local plus, minus = 0, 0
  for _, file in ipairs(files) do
    plus, minus = plus + file.allowed.plus, minus + file.allowed.minus
  end
  return #files > 0 and printable.counts(plus, minus) .. " allowed" or nil
end

--- "+5 −4", "mode 644 → 600", "+5 −4, mode 644 → 600"; of several files "3 changes without lines".
local function size_of(plus, minus, notes, is_one_file)
  local counts = plus + minus > 0 and printable.counts(plus, minus) or ""
  if not is_one_file then
    local count = ("%d change%s without lines"):format(#notes, #notes == 1 and "" or "s")
    return counts ~= "" and counts or count
  end
  return joined(", ", counts, unpack(notes))
end

--- Returns the longest text that fits the width, else the shortest.
---@param width integer
---@param ... string  the longest first
---@return string
local function fitting(width, ...)
  local texts = { ... }
  return vim.iter(texts):find(function(text)
    return vim.fn.strwidth(text) <= width
  end) or texts[#texts]
end

---@param turn acp.TurnShare
---@param width integer  of the text behind its sign
---@return string
local function line_of(turn, width)
  local decided, share = {}, totals(turn)
  for _, what in ipairs({ "kept", "undone" }) do
    decided[#decided + 1] = share[what] > 0 and ("%s %d"):format(what, share[what]) or nil
  end
  local pending, allowed = share.pending, allowed_in(share.allowed)
  if #pending == 0 and allowed then
    local what, said = ("%s %s"):format(name_of(share.allowed), allowed), table.concat(decided, ", ")
    return fitting(width, joined(" · ", what, said, UNDO), joined(" · ", what, UNDO), what)
  end
  decided = allowed and { allowed, unpack(decided) } or decided
  local said = table.concat(decided, ", ")
  if #pending == 0 then
    local of = share.kept > 0 and share.undone > 0 and (" of %d"):format(share.kept + share.undone) or ""
    return said ~= "" and said .. of or fitting(width, "no change of this turn is left", "no change is left")
  end
  local where = name_of(pending)
  if share.plus == 0 and share.minus == 0 and #share.notes == 0 then
    local unknown = where .. ": earlier text unknown, no undo"
    return fitting(width, joined(" · ", unknown, said, ":Acp review"), joined(" · ", unknown, said), unknown)
  end
  local size = ("%s %s"):format(where, size_of(share.plus, share.minus, share.notes, #pending == 1))
  local keys = key_names.in_general()
  return fitting(
    width,
    joined(" · ", size, said, table.concat(keys, " "), ":Acp review"),
    joined("  ", size, said, unpack(keys)),
    joined("  ", size, unpack(keys)),
    joined("  ", size, said)
  )
end

--- What a turn has done, file by file, and what was decided on.
---@param session integer
---@param turn integer
---@return acp.TurnShare
function M.share(session, turn)
  return share_of(all_shares(), { session = session, turn = turn })
end

--- How many lines of a turn wait for a decision.
---@param session integer
---@param turn integer
---@return integer plus
---@return integer minus
function M.size(session, turn)
  local share = totals(M.share(session, turn))
  return share.plus, share.minus
end

--- How many files a turn has changed that wait for a decision.
---@param session integer
---@param turn integer
---@return integer
function M.files(session, turn)
  return #totals(M.share(session, turn)).pending
end

--- The files below the line, as far as the chat lists them.
---@param turn acp.TurnShare
---@return acp.message.TurnFile[]
local function files_of(turn)
  local files = {}
  for _, file in vim.spairs(turn) do
    if #files == limits.TURN_FILES then
      break
    end
    local allowed = file.allowed or { plus = 0, minus = 0 }
    files[#files + 1] = {
      path = file.given,
      plus = file.plus + allowed.plus,
      minus = file.minus + allowed.minus,
      kept = file.kept,
      undone = file.undone,
      note = table.concat(file.notes, ", "),
    }
  end
  return files
end

--- The lines of all turns that have changed files, whether they are over or not.
---@return table<integer, table<integer, acp.TurnLine>>  session -> turn -> line
function M.all()
  local lines = {}
  for session, turns in pairs(all_shares()) do
    lines[session] = {}
    for turn, share in pairs(turns) do
      share_of(past, { session = session, turn = turn }) -- it has a line from now on, also when its files have left
      lines[session][turn] = {
        text = line_of(share, (widths[session] or math.huge) - SIGN),
        files = files_of(share),
        more = math.max(0, vim.tbl_count(share) - limits.TURN_FILES),
      }
    end
  end
  return lines
end

--- The session's chat has that many columns for text.
---@param session integer
---@param columns integer
---@return boolean is_new
function M.set_width(session, columns)
  local is_new = widths[session] ~= columns
  widths[session] = columns
  return is_new
end

--- Counts what was decided in a file that leaves the review.
---@param file acp.ReviewedFile
function M.count_decided(file)
  add_decided(past, file)
end

---@param session integer
function M.forget(session)
  past[session], widths[session] = nil, nil
end

return M
