-- Draws the rows of `:Acp sessions`, and below them the remarks on the agents' own lists.
--
--    1 needs you    claude      Fix the tests      ~/code/app   ?1 ±3  just now
--      saved        claude      Rename parse       ~/code/app          3 d ago
local lists = require("acp_nvim.ui.list")
local live_and_saved = require("acp_nvim.sessions.live_and_saved")
local printable = require("acp_nvim.ui.printable")
local relative_time = require("acp_nvim.ui.relative_time")

local M = {}

local STATE_COLUMN = 4
local STATE_WIDTH = 11
local TIME_WIDTH = 14

--- What waits for the user in a session: `?` questions and `±` pending changes.
---@param line acp.SessionLine
---@return string
function M.waiting(line)
  local parts = {}
  if line.questions > 0 then
    parts[1] = "?" .. line.questions
  end
  if line.pending > 0 then
    parts[#parts + 1] = "±" .. line.pending
  end
  return table.concat(parts, " ")
end

---@param line acp.SessionLine
---@param width integer  of the window
---@param marks integer  of the column for what waits
---@return string
local function draw_line(line, width, marks)
  local cwd = vim.fn.fnamemodify(printable.visible(line.cwd), ":~") -- which takes no NUL
  local number = line.session and tostring(line.session) or ""
  local head = ("%3s %s  %s  "):format(
    number,
    lists.column(line.state, STATE_WIDTH),
    lists.column(printable.visible(line.agent), 10)
  )
  local waits = marks > 0 and lists.column(M.waiting(line), marks) .. "  " or ""
  local room = math.max(20, width - vim.fn.strwidth(head .. waits) - TIME_WIDTH)
  local title = math.max(12, math.floor(room * 0.6))
  local row = head
    .. lists.column(line.title, title)
    .. "  "
    .. lists.column(cwd, room - title - 2)
    .. "  "
    .. waits
    .. relative_time(line.updated)
  return (row:gsub("%s+$", ""))
end

--- The sessions, one in a row; `of` is the session.
---@param width integer  of the window
---@return acp.ListRow[]
function M.rows(width)
  local all, marks = live_and_saved.all(), 0
  for _, line in ipairs(all) do
    marks = math.max(marks, vim.fn.strwidth(M.waiting(line)))
  end
  return vim.tbl_map(function(line)
    local from, to = STATE_COLUMN, STATE_COLUMN + #line.state
    return { of = line, key = line.key, text = draw_line(line, width, marks), from = from, to = to, hl = line.hl }
  end, all)
end

--- The remarks on the agents' lists of saved sessions, below the last line.
---@param shown acp.ListRow[]
---@return string[] said
---@return string hl
function M.remarks(shown)
  local said = {}
  for _, listing in ipairs(live_and_saved.saved()) do
    local name = printable.visible(listing.agent)
    if listing.state == "asking" then
      said[#said + 1] = ("asking %s …"):format(name)
    elseif listing.state == "failed" then
      said[#said + 1] = ("%s: cannot list its sessions: %s"):format(name, listing.error or "it failed")
    elseif listing.state == "more" then
      said[#said + 1] = name .. ": m loads more"
    elseif listing.state == "cut" then
      local many = #listing.sessions
      said[#said + 1] = ("%s: only the first %d: / searches these, :Acp load {id} opens any"):format(name, many)
    elseif listing.state == "none" then
      said[#said + 1] = name .. ": lists no earlier sessions"
    end
  end
  if #said == 0 and #shown == 0 then
    said[1] = "no sessions yet: :Acp new starts one"
  end
  return said, "AcpNote"
end

return M
