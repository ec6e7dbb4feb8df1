-- The highlight groups: each a link that a colour scheme or the user may replace.
local M = {}

---@type table<string, string|false> false: as the text around it
M.groups = {
  AcpAgent = "Function",
  AcpThought = "Comment",
  AcpTool = false,
  AcpToolKind = "Type",
  AcpPath = "Directory",
  AcpPending = "Comment",
  AcpRunning = "DiagnosticInfo",
  AcpDone = "DiagnosticOk",
  AcpFailed = "DiagnosticError",
  AcpRejected = "DiagnosticWarn",
  AcpCancelled = "Comment",
  AcpQuestion = "DiagnosticWarn",
  AcpOption = "Special",
  AcpAdded = "Added",
  AcpRemoved = "Removed",
  AcpCount = "Comment",
  AcpTime = "Comment",
  AcpPlan = false,
  AcpPlanDone = "Comment",
  AcpPlanCurrent = "DiagnosticInfo",
  AcpNote = "Comment",
  AcpError = "DiagnosticError",
  AcpWarning = "DiagnosticWarn",
  AcpBody = "Comment",
  AcpHeading = "Title",
  AcpBold = "@markup.strong",
  AcpItalic = "@markup.italic",
  AcpLink = "@markup.link",
  AcpBullet = "@markup.list",
  AcpQuote = "Comment",
  AcpRule = "NonText",
  AcpWinbar = "WinBarNC",
  AcpWinbarTitle = "WinBar",
  AcpPlaceholder = "Comment",
  AcpChip = "Special",
  AcpSpinner = "DiagnosticInfo",
  AcpMore = "MoreMsg",
  AcpReviewAdded = "DiffAdd",
  AcpReviewRemoved = "DiffDelete",
  AcpReviewAddedSign = "Added",
  AcpReviewChangedSign = "Changed",
  AcpReviewRemovedSign = "Removed",
}

local RED, GREEN, BLUE = 0x10000, 0x100, 1

---@param colour integer
---@param channel integer
---@return integer
local function part(colour, channel)
  return math.floor(colour / channel) % 256
end

--- The first colour, so much of the way to the second one.
---@param from integer
---@param to integer
---@param share number
---@return integer
local function mixed(from, to, share)
  local colour = 0
  for _, channel in ipairs({ RED, GREEN, BLUE }) do
    local one, other = part(from, channel), part(to, channel)
    colour = colour + math.floor(one + (other - one) * share + 0.5) * channel
  end
  return colour
end

--- As the eye sees it, from 0 to 1.
---@param colour integer
---@return number
local function lightness(colour)
  local function seen(channel)
    return (part(colour, channel) / 255) ^ 2.2
  end
  return 0.2126 * seen(RED) + 0.7152 * seen(GREEN) + 0.0722 * seen(BLUE)
end

---@param one integer
---@param other integer
---@return number  from 1: they are the same
local function contrast(one, other)
  local darker, lighter = lightness(one), lightness(other)
  if darker > lighter then
    darker, lighter = lighter, darker
  end
  return (lighter + 0.05) / (darker + 0.05)
end

--- A ground that stands out from the window's by so much, towards the text's colour.
---@param share number
---@return vim.api.keyset.highlight
local function ground(share)
  local normal = vim.api.nvim_get_hl(0, { name = "Normal", link = false })
  local line = vim.api.nvim_get_hl(0, { name = "CursorLine", link = false })
  if not normal.bg or not normal.fg then
    return { bg = line.bg, ctermbg = line.ctermbg }
  end
  return { bg = mixed(normal.bg, normal.fg, share), ctermbg = line.ctermbg }
end

local LEAST_CONTRAST, GOOD_CONTRAST = 2.5, 4
local FAINT = { AcpRule = true } -- no words

--- A link, but where its colour can hardly be read on the window's ground, as those of diagnostics in most light schemes
--- that come with Neovim, that colour nearer to the text's.
---@param group string
---@param link string
---@return vim.api.keyset.highlight
local function readable(group, link)
  local normal = vim.api.nvim_get_hl(0, { name = "Normal", link = false })
  local colours = vim.api.nvim_get_hl(0, { name = link, link = false })
  local known = normal.bg and normal.fg and colours.fg and not colours.bg and not FAINT[group]
  if not known or contrast(colours.fg, normal.bg) >= LEAST_CONTRAST then
    return { link = link }
  end
  local fg = colours.fg --[[@as integer]]
  local share = 0
  while contrast(fg, normal.bg) < GOOD_CONTRAST and share < 1 do
    share = share + 0.1
    fg = mixed(colours.fg, normal.fg, share)
  end
  return { fg = fg, ctermfg = colours.ctermfg, bold = colours.bold, italic = colours.italic }
end

-- Neovim 0.10 draws a group without a ground of its own on the window's, not on the bar's.
local LACKS_GROUND = vim.fn.has("nvim-0.11") == 0
local ON_BARS =
  { "AcpCount", "AcpSpinner", "AcpQuestion", "AcpWarning", "AcpError", "AcpCancelled", "AcpPlanCurrent", "AcpMore" }

---@param group string
local function define_on_bar(group)
  local colours = vim.api.nvim_get_hl(0, { name = group, link = false })
  local bar = vim.api.nvim_get_hl(0, { name = "AcpWinbar", link = false })
  local value = { fg = colours.fg, bg = bar.bg, ctermfg = colours.ctermfg, ctermbg = bar.ctermbg, bold = colours.bold }
  vim.api.nvim_set_hl(0, group .. "OnBar", value)
end

--- The group's name on a winbar.
---@param group string
---@return string
function M.on_bar(group)
  return LACKS_GROUND and vim.list_contains(ON_BARS, group) and group .. "OnBar" or group
end

--- Defines the groups that nobody has defined yet.
function M.define()
  local function default(group, value)
    vim.api.nvim_set_hl(0, group, vim.tbl_extend("error", value, { default = true }))
  end
  for group, link in pairs(M.groups) do
    default(group, link and readable(group, link) or {})
  end
  default("AcpUser", vim.tbl_extend("error", ground(0.12), { bold = true }))
  default("AcpCode", ground(0.05))
  default("AcpCodeInline", ground(0.12))
  for _, group in ipairs(LACKS_GROUND and ON_BARS or {}) do
    define_on_bar(group)
  end
end

M.define()
-- a colour scheme may clear what it does not know
vim.api.nvim_create_autocmd("ColorScheme", {
  group = vim.api.nvim_create_augroup("acp_nvim_highlight", {}),
  callback = M.define,
})

return M
