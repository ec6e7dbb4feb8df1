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

--- A ground that stands out from the window's by so much, towards the text's colour.
---@param share number
---@return vim.api.keyset.highlight
local function ground(share)
  local normal = vim.api.nvim_get_hl(0, { name = "Normal", link = false })
  local line = vim.api.nvim_get_hl(0, { name = "CursorLine", link = false })
  if not normal.bg or not normal.fg then
    return { bg = line.bg, ctermbg = line.ctermbg }
  end
  local colour = 0
  for _, weight in ipairs({ 0x10000, 0x100, 1 }) do
    local from, to = math.floor(normal.bg / weight) % 256, math.floor(normal.fg / weight) % 256
    colour = colour + math.floor(from + (to - from) * share + 0.5) * weight
  end
  return { bg = colour, ctermbg = line.ctermbg }
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
    default(group, { link = link or nil })
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
