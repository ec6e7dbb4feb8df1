-- Shows the report of `:Acp doctor`: the backend starts an agent in an empty folder, initializes it and ends it.
local available_agents = require("acp_nvim.config.available_agents")
local backend = require("acp_nvim.backend.process")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local tabpage = require("acp_nvim.ui.tabpage")
local tools_report = require("acp_nvim.agents.tools_report")

local api = vim.api
local M = {}

---@class acp.Examination  as the backend tells it; all of its texts are fit to be shown
---@field agent string
---@field error? string
---@field ms? integer          from the start of the process to its answer
---@field title? string
---@field version? string
---@field protocol? integer
---@field capabilities? string[]
---@field logins? { id: string, text: string }[]
---@field slow_end? boolean
---@field deviations string[]
---@field stderr string[]

local PATIENCE_S = 30
local NAME = "acp://doctor"
local NAMESPACE = api.nvim_create_namespace("acp_nvim.doctor")

local last = 0
local waiting = {} ---@type table<integer, fun(report: acp.Examination)>

--- Asks the backend to examine an agent.
---@param name string
---@param done fun(report: acp.Examination)
---@return true? ok
---@return string? message
function M.examine(name, done)
  local found, message = available_agents.find(name)
  local ok = found ~= nil ---@type boolean?
  if ok then
    ok, message = backend.start()
  end
  if ok then
    last = last + 1
    waiting[last] = done
    ok, message = backend.notify("doctor", { agent = name, ticket = last, seconds = PATIENCE_S })
  end
  return ok and true or nil, message
end

--- Called by the backend with the report on an agent.
---@param ticket integer
---@param report acp.Examination
function M.deliver(ticket, report)
  local done = waiting[ticket]
  waiting[ticket] = nil
  if done then
    done(report)
  end
end

--- Examines several agents at once, and waits for their reports.
---@param names string[]
---@return table<string, acp.Examination> reports  of those that have come in time
function M.wait(names)
  local reports, open = {}, 0
  for _, name in ipairs(names) do
    local asked = M.examine(name, function(report)
      reports[name], open = report, open - 1
    end)
    open = open + (asked and 1 or 0)
  end
  vim.wait((PATIENCE_S + 3) * 1000, function()
    return open == 0 or not backend.is_running()
  end, 10)
  return reports
end

--- Summarises a report in one line.
---@param report acp.Examination
---@return string
function M.summary(report)
  if report.error then
    return report.error
  end
  local who = vim.trim((report.title or "an unnamed agent") .. " " .. (report.version or ""))
  return ("%s answered in %d ms"):format(who, report.ms)
end

--- The findings of a report: labels for the left, texts for the right.
---@param report acp.Examination
---@return { [1]: string, [2]: string[], [3]: string }[]  and the highlight of the texts
function M.findings(report)
  local logins = vim.tbl_map(function(login)
    return ("%s: %s"):format(printable.visible(login.id), login.text)
  end, report.logins or {})
  local deviations = vim.list_extend({}, report.deviations)
  if report.slow_end then
    deviations[#deviations + 1] = "did not exit within half a second after its input was closed"
  end
  local found = {
    { "result", { M.summary(report) }, report.error and "AcpError" or "AcpDone" },
  }
  if not report.error then
    vim.list_extend(found, {
      { "protocol", { ("version %d"):format(report.protocol) }, "" },
      { "offers", #report.capabilities > 0 and report.capabilities or { "nothing" }, "" },
      { "login", #logins > 0 and logins or { "no way to log in here" }, "" },
    })
  end
  found[#found + 1] = { "deviations", #deviations > 0 and deviations or { "none" }, "" }
  found[#found + 1] = { "stderr", #report.stderr > 0 and report.stderr or { "nothing" }, "AcpNote" }
  return found
end

---@param agent acp.Agent?
---@return string
local function command_of(agent)
  local spec = agent and agent.spec
  return spec and printable.visible(table.concat({ spec.command, unpack(spec.args) }, " ")) or "built in"
end

---@param name string
---@param report? acp.Examination  nil: it is not there yet
local function draw(name, report)
  local lines, marks = { ("%-11s %s"):format("agent", name) }, { "AcpHeading" }
  lines[2], marks[2] = ("%-11s %s"):format("command", command_of(available_agents.get(name))), ""
  local findings = report and M.findings(report) or { { "result", { "starting …" }, "AcpNote" } }
  local tools = tools_report.lines(name)
  if #tools > 0 then
    table.insert(findings, 2, { "tools", tools, "" })
  end
  for _, finding in ipairs(findings) do
    for i, text in ipairs(finding[2]) do
      lines[#lines + 1] = ("%-11s %s"):format(i == 1 and finding[1] or "", text)
      marks[#lines] = finding[3]
    end
  end
  local win = panes.show(NAME, "acp_doctor", lines)
  local here = vim.wo[win][0]
  here.linebreak, here.breakindent, here.breakindentopt = true, true, "shift:12" -- below what it goes on with
  local buf = api.nvim_win_get_buf(win)
  for row, hl in ipairs(marks) do
    if hl ~= "" then
      api.nvim_buf_set_extmark(
        buf,
        NAMESPACE,
        row - 1,
        12,
        { end_row = row, end_col = 0, hl_group = hl, strict = false }
      )
    end
  end
  tabpage.set_height(win, math.max(5, math.min(#lines, math.floor(vim.o.lines / 2))))
end

--- Shows what an examination finds, in a window.
---@param name string
---@return true? ok
---@return string? message
function M.show(name)
  if vim.fn.getcmdwintype() ~= "" then
    return nil, "close the command-line window first"
  end
  local ok, message = M.examine(name, function(report)
    local is_open = vim.fn.bufwinid(NAME) > 0
    if is_open then
      draw(name, report)
    end
    local said = report.error or ("%s: %s"):format(name, M.summary(report))
    messages.show(report.error and "warn" or "info", said)
  end)
  if ok then
    draw(name)
  end
  return ok, message
end

return M
