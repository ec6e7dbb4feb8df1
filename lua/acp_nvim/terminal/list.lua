-- Shows `:Acp terminals`, the list of all terminals, with keys that open and stop them.
local lists = require("acp_nvim.ui.list")
local printable = require("acp_nvim.ui.printable")
local registry = require("acp_nvim.terminal.registry")

local STATE_WIDTH = 8

---@return acp.ListRow[]
local function rows()
  return vim.tbl_map(function(terminal)
    local ended = registry.ending(terminal)
    local number = ("%3d  "):format(terminal.number)
    local state = lists.column(ended or "running", STATE_WIDTH)
    return {
      of = terminal.number,
      key = tostring(terminal.number),
      text = number .. state .. "  " .. printable.visible(terminal.command),
      from = #number,
      to = #number + #state,
      hl = ended and "AcpCount" or "AcpRunning",
    }
  end, registry.list())
end

---@param open fun(number: integer)
---@param stop fun(number: integer)
---@return acp.List
return function(open, stop)
  return lists.new({
    name = "acp://terminals",
    filetype = "acp_terminals",
    title = "Terminals",
    bar = "<CR> open  <C-c> stop",
    keys = { { "<CR>", "open the terminal", run = open }, { "<C-c>", "stop the command", run = stop } },
    rows = rows,
    remarks = function()
      return {}, "AcpNote"
    end,
  })
end
