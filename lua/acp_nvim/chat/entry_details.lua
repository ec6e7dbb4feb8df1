-- Shows the details of an entry in a float. Its texts are highlighted by the parser of their file's type.
local code_colours = require("acp_nvim.ui.code_colours")
local limits = require("acp_nvim.limits")
local panes = require("acp_nvim.ui.panes")
local picture_viewer = require("acp_nvim.ui.picture_viewer")

local api = vim.api
local M = {}

local NAMESPACE = api.nvim_create_namespace("acp_nvim.details")
local INDENT = 2 -- of the lines of a section

---@param buf integer
---@param region acp.message.FloatRegion
---@param spans table<integer, acp.Span[]>
local function paint(buf, region, spans)
  for row, line_spans in pairs(spans) do
    for _, span in ipairs(line_spans) do
      local mark = { end_col = INDENT + span[2], hl_group = span[3], strict = false }
      api.nvim_buf_set_extmark(buf, NAMESPACE, region.first + row, INDENT + span[1], mark)
    end
  end
end

local SIGNS = { ["+"] = "AcpDiffAdded", ["-"] = "AcpDiffRemoved" }

--- Few have a parser for diffs: their lines are known by their signs.
---@param buf integer
---@param lines string[]
---@param region acp.message.FloatRegion
local function paint_diff(buf, lines, region)
  for row = region.first, region.last do
    local line = lines[row + 1]
    local hl = SIGNS[line:sub(INDENT + 1, INDENT + 1)]
    if hl then
      api.nvim_buf_set_extmark(buf, NAMESPACE, row, INDENT, { end_col = #line, hl_group = hl })
    end
  end
end

---@param buf integer
---@param lines string[]
---@param region acp.message.FloatRegion
local function highlight(buf, lines, region)
  local texts, bytes = {}, 0
  for row = region.first + 1, region.last + 1 do
    texts[#texts + 1] = lines[row]:sub(INDENT + 1)
    bytes = bytes + #texts[#texts] + 1
  end
  local filetype = vim.filetype.match({ filename = vim.fs.basename(region.name), contents = texts })
  if not filetype or bytes > limits.CODE_BYTES then
    return
  end
  local code = { lang = filetype, text = table.concat(texts, "\n") } ---@type acp.Code
  code_colours.request(code, function()
    return api.nvim_buf_is_valid(buf)
  end, function()
    if api.nvim_buf_is_valid(buf) then
      paint(buf, region, code.spans or {})
    end
  end)
end

--- Shows pictures below their lines, or says what would.
---@param win integer
---@param buf integer
---@param pictures acp.message.FloatPicture[]
local function show_pictures(win, buf, pictures)
  local width, height = math.floor(vim.o.columns * 0.6), math.floor(vim.o.lines * 0.6)
  if picture_viewer.is_available() then
    api.nvim_win_set_config(win, {
      relative = "editor",
      row = math.floor((vim.o.lines - height) / 2) - 1,
      col = math.floor((vim.o.columns - width) / 2) - 1,
      width = math.max(1, width),
      height = math.max(1, height),
    })
  end
  for _, picture in ipairs(pictures) do
    local wanted = { buf = buf, win = win, row = picture.row, path = picture.path }
    wanted.width, wanted.height = math.max(1, width - 4), math.max(1, height - 4)
    if not picture_viewer.show(wanted) then
      local text = { { "  " .. picture_viewer.WITHOUT, "AcpNote" } }
      api.nvim_buf_set_extmark(buf, NAMESPACE, picture.row, 0, { virt_lines = { text } })
      api.nvim_win_set_height(win, api.nvim_win_get_height(win) + 1)
      api.nvim_win_set_width(win, math.max(api.nvim_win_get_width(win), vim.fn.strwidth(text[1][1]) + 1))
    end
  end
  vim.keymap.set("n", "gx", function()
    vim.ui.open(pictures[1].path)
  end, { buffer = buf, nowait = true, desc = "Open the picture in another program" })
end

--- Called by the backend with what it knows of an entry.
---@param lines string[]
---@param filetype string
---@param regions acp.message.FloatRegion[]
---@param pictures acp.message.FloatPicture[]
function M.show(lines, filetype, regions, pictures)
  local win = panes.float(lines, filetype)
  vim.wo[win].conceallevel = filetype == "markdown" and 2 or 0
  local buf = api.nvim_win_get_buf(win)
  if #pictures > 0 then
    show_pictures(win, buf, pictures)
  end
  for row, line in ipairs(lines) do
    if line:find("^%S.*:$") then
      api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, 0, { end_col = #line, hl_group = "AcpFloatTitle" })
    end
  end
  for _, region in ipairs(regions) do
    if region.name:find("%.diff$") then
      paint_diff(buf, lines, region)
    else
      highlight(buf, lines, region)
    end
  end
end

return M
