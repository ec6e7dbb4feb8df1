-- Lists the highlight groups: the look of each, and the backgrounds that it is drawn on. highlight.lua defines them.
local colour = require("acp_nvim.ui.colour")

local M = {}

---@class acp.Highlight
---@field [1]? string   the link; none: as the text around it
---@field on? string[]  groups on whose ground the text stands; none: it has a ground of its own
---@field style? table  added to the link's
---@field is_text? boolean   takes no ground from the link
---@field is_faint? boolean  informs of nothing: always the link

local TEXT = { "Normal", "NormalNC", "AcpFloat", "AcpCode", "AcpCursorLine", "AcpUser", "AcpPrompt", "AcpAnswer" }
M.ON_BARS = vim.list_extend({ "AcpWinbar", "AcpWinbarCurrent" }, TEXT)
-- Words behind a line of a change in the chat.
local BEHIND = vim.list_extend({ "AcpDiffAdded", "AcpDiffRemoved" }, TEXT)
-- Words behind a line of the user's file, which may be tinted.
local BESIDE = { "Normal", "NormalNC", "CursorLine", "AcpDiffAdded", "AcpDiffRemoved" }

-- Groups with a background of their own, for the parts of our windows that Neovim draws.
---@type table<string, acp.Highlight>
M.bars = {
  AcpWinbar = { "WinBarNC" },
  AcpWinbarCurrent = { "WinBar" },
  AcpStatusLine = { "StatusLine" },
  AcpStatusLineNC = { "StatusLineNC" },
  AcpFloat = { "NormalFloat" },
  AcpFloatTitle = { "FloatTitle" },
  AcpCursorLine = { "CursorLine" },
  AcpFolded = { "Folded" },
  AcpFoldColumn = { "FoldColumn" },
}

-- Text that stands on the ground of others.
---@type table<string, acp.Highlight>
M.groups = {
  AcpAgent = { "Function", on = TEXT },
  AcpThought = { "Comment", on = TEXT },
  AcpTool = {},
  AcpToolKind = { "Type", on = TEXT },
  AcpPath = { "Directory", on = TEXT },
  AcpPending = { "Comment", on = TEXT },
  AcpRunning = { "DiagnosticInfo", on = TEXT },
  AcpDone = { "DiagnosticOk", on = TEXT },
  AcpFailed = { "DiagnosticError", on = TEXT },
  AcpRejected = { "DiagnosticWarn", on = TEXT },
  AcpCancelled = { "Comment", on = M.ON_BARS },
  AcpQuestion = { "DiagnosticWarn", on = M.ON_BARS },
  AcpOption = { "Special", on = TEXT },
  AcpAdded = { "Added", on = M.ON_BARS },
  AcpRemoved = { "Removed", on = M.ON_BARS },
  AcpCount = { "Comment", on = M.ON_BARS },
  AcpTime = { "Comment", on = TEXT },
  AcpPlan = {},
  AcpPlanDone = { "Comment", on = TEXT },
  AcpPlanCurrent = { "DiagnosticInfo", on = M.ON_BARS },
  AcpNote = { "Comment", on = BEHIND },
  AcpError = { "DiagnosticError", on = M.ON_BARS },
  AcpWarning = { "DiagnosticWarn", on = M.ON_BARS },
  AcpBody = { "Comment", on = TEXT },
  AcpHeading = { "Title", on = TEXT },
  AcpHeading1 = { "Title", on = TEXT, style = { underline = true } },
  AcpBold = { "@markup.strong", on = TEXT },
  AcpItalic = { "@markup.italic", on = TEXT },
  AcpStrike = { "@markup.strikethrough", on = TEXT },
  AcpLink = { "@markup.link", on = TEXT },
  AcpBullet = { "@markup.list", on = TEXT },
  AcpQuote = { "Comment", on = TEXT },
  AcpRule = { "NonText", on = TEXT },
  AcpDiffFiller = { "NonText", is_faint = true }, -- no words
  AcpPlaceholder = { "Comment", on = TEXT },
  AcpChip = { "Special", on = TEXT },
  AcpSpinner = { "DiagnosticInfo", on = M.ON_BARS },
  AcpMore = { "MoreMsg", on = M.ON_BARS },
  AcpWinbarTitle = { "WinBar", on = M.ON_BARS, style = { bold = true }, is_text = true },
  AcpReviewAdded = { "AcpDiffAdded" },
  AcpReviewRemoved = { "AcpDiffRemoved" },
  AcpReviewAddedSign = { "Added", on = { "Normal", "SignColumn" } },
  AcpReviewChangedSign = { "Changed", on = { "Normal", "SignColumn" } },
  AcpReviewRemovedSign = { "Removed", on = { "Normal", "SignColumn" } },
  AcpReviewHint = { "Comment", on = BESIDE },
  AcpReviewKey = { "Special", on = BESIDE },
  AcpComment = { "DiagnosticInfo", on = BESIDE },
  AcpCommentSent = { "Comment", on = BESIDE },
  AcpCommentDone = { "Comment", on = BESIDE },
  AcpCommentSign = { "DiagnosticInfo", on = { "Normal", "SignColumn" } },
  AcpCommentSentSign = { "Comment", on = { "Normal", "SignColumn" } },
  AcpCommentDoneSign = { "DiagnosticOk", on = { "Normal", "SignColumn" } },
  AcpReviewYours = { "DiagnosticWarn", on = BESIDE },
}

---@class acp.Shade
---@field share number       how much of the way to the text's colour, or to the hue
---@field hue? integer
---@field text? string       the group whose colour text on it has; none: that of plain text
---@field style? table
---@field is_plain? boolean  so strong that code on it has the colour of plain text
---@field is_under? boolean  lies under code in the scheme's colours, and leaves them: the ground makes way for the text

-- Grounds that are mixed from the window's.
---@type table<string, acp.Shade>
M.shades = {
  AcpUser = { share = 0.1, style = { bold = true } },
  AcpUserBar = { share = 0.1, text = "Identifier" },
  AcpPrompt = { share = 0.1 },
  AcpAnswer = { share = 0.1, style = { bold = true } },
  AcpAgentBar = { share = 0.1, text = "Function" },
  AcpCode = { share = 0.05 },
  AcpCodeInline = { share = 0.12 },
  AcpDiffAdded = { share = 0.18, hue = colour.GREEN, is_under = true },
  AcpDiffAddedText = { share = 0.42, hue = colour.GREEN, is_plain = true },
  AcpDiffRemoved = { share = 0.2, hue = colour.RED, is_under = true },
  AcpDiffRemovedText = { share = 0.42, hue = colour.RED, is_plain = true },
}

return M
