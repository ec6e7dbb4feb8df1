-- Defines the highlight groups. Each is a link where the linked colour can be read on every background that it is drawn
-- on, else that colour made readable: at least 4.5 : 1. Groups that a colour scheme or the user defines are left alone.
local colour = require("acp_nvim.ui.colour")
local highlight_groups = require("acp_nvim.ui.highlight_groups")

local api = vim.api
local M = { bars = highlight_groups.bars, groups = highlight_groups.groups, shades = highlight_groups.shades }

-- The value of 'winhighlight' in windows of ours.
local WINDOW = {
  "WinBar:AcpWinbarCurrent",
  "WinBarNC:AcpWinbar",
  "StatusLine:AcpStatusLine",
  "StatusLineNC:AcpStatusLineNC",
  "NormalFloat:AcpFloat",
  "FloatTitle:AcpFloatTitle",
  "CursorLine:AcpCursorLine",
  "Folded:AcpFolded",
  "FoldColumn:AcpFoldColumn",
}
local DIFF = { "DiffAdd:%s", "DiffChange:%s", "DiffText:%sText", "DiffTextAdd:%sText", "DiffDelete:AcpDiffFiller" }
M.WINDOW = table.concat(WINDOW, ",")

--- Returns the value of 'winhighlight' for a side of a diff: removed lines on the left, added ones on the right.
---@param side "AcpDiffRemoved"|"AcpDiffAdded"
---@return string
function M.side(side)
  return M.WINDOW .. "," .. table.concat(DIFF, ","):gsub("%%s", side)
end

--- Sets 'winhighlight' of one of our windows, so that what Neovim itself draws there can be read, too.
---@param win integer
---@param value? string  of 'winhighlight'
function M.apply_to(win, value)
  api.nvim_set_option_value("winhighlight", value or M.WINDOW, { win = win, scope = "local" })
end

-- Definitions ---------------------------------------------------------------------------------------------------------

local MOST_LINKS = 20 -- some schemes link in circles

local made = {} ---@type table<string, vim.api.keyset.get_hl_info>  the groups as we have defined them last

--- What a group is defined as in the end: "@markup.list" as "@markup" if it has no definition of its own. Asked to
--- follow links, Neovim would follow 'winhighlight' of the current window, too: WinBar would be what we have made of
--- it.
---@param group string
---@return vim.api.keyset.get_hl_info
local function resolved(group)
  local known = {} ---@type vim.api.keyset.get_hl_info
  for _ = 1, MOST_LINKS do
    known = api.nvim_get_hl(0, { name = group })
    local broader = not next(known) and group:match("^(@.*)%.[^.]*$")
    group = known.link or broader
    if not group then
      break
    end
  end
  return known
end

--- The colours that Neovim draws a group with.
---@param group string
---@return { fg: integer, bg: integer, has_ground: boolean, known: table }
local function seen(group)
  local known, normal = resolved(group), resolved("Normal")
  local dark = vim.o.background == "dark"
  local fg = known.fg or normal.fg or (dark and colour.WHITE or colour.BLACK)
  local bg = known.bg or normal.bg or (dark and colour.BLACK or colour.WHITE)
  if known.reverse then
    fg, bg = bg, fg
  end
  return { fg = fg, bg = bg, has_ground = known.bg ~= nil or known.reverse == true, known = known }
end

--- Returns a group's own definition, without the flag of a default: Neovim drops that flag when Normal changes.
---@param group string
---@return vim.api.keyset.get_hl_info
local function defined(group)
  local known = api.nvim_get_hl(0, { name = group })
  known.default = nil
  return known
end

--- Defines a group, unless somebody else has.
---@param group string
---@param value vim.api.keyset.highlight
---@param link? string  to which we may have linked it: `:highlight clear` brings that back
local function default(group, value, link)
  local now = defined(group)
  if next(now) and not vim.deep_equal(now, made[group]) and not (link and now.link == link) then
    return
  end
  value.default, value.force = true, true
  api.nvim_set_hl(0, group, value)
  made[group] = defined(group)
end

--- Returns a group's attributes for terminals with few colours, and whether it is bold, struck through and the like.
---@param known vim.api.keyset.get_hl_info
---@return vim.api.keyset.highlight
local function style(known)
  local kept = vim.deepcopy(known) ---@type table
  kept.fg, kept.bg, kept.reverse, kept.italic, kept.default, kept.link = nil, nil, nil, nil, nil, nil
  return kept
end

--- A link, or the same in colours that can be read. Only what the agent has written in italics is drawn so.
---@param group string
---@param look acp.Highlight
---@return vim.api.keyset.highlight
local function readable(group, look)
  local link = look[1]
  if not link or look.is_faint then
    return { link = link }
  end
  local shown, grounds = seen(link), {}
  for index, name in ipairs(look.on or {}) do
    grounds[index] = seen(name).bg
  end
  local has_ground = shown.has_ground and not look.is_text
  if has_ground or not look.on then
    grounds = { shown.bg }
  end
  local fg = colour.readable_text(shown.fg, grounds)
  local has_colour = shown.known.fg ~= nil or shown.has_ground
  local upright = not shown.known.italic or group == "AcpItalic"
  local same = (fg == shown.fg or not has_colour) and upright
  if same and not look.style and not look.is_text then
    return { link = link }
  end
  local value = vim.tbl_extend("force", style(shown.known), look.style or {})
  value.fg = has_colour and fg or nil
  value.bg, value.ctermbg = has_ground and shown.bg or nil, has_ground and value.ctermbg or nil
  return value
end

--- Returns a background mixed from the window's, on which its text can be read.
---@param shade acp.Shade
---@return vim.api.keyset.highlight
local function mixed(shade)
  local normal = seen("Normal")
  local bg = colour.mixed(normal.bg, shade.hue or normal.fg, shade.share)
  local cterm = resolved("CursorLine").ctermbg
  local value = vim.tbl_extend("force", { ctermbg = cterm }, shade.style or {})
  value.bg = shade.is_under and colour.readable_ground(bg, normal.fg) or bg
  local text = shade.text and seen(shade.text).fg or normal.fg
  local fg = colour.readable_text(text, { value.bg })
  value.fg = (shade.is_plain or fg ~= normal.fg) and fg or nil
  return value
end

--- Returns the prompt's bar while a question is open: the colour of warnings as background, with black or white text,
--- whichever is easier to read. In a winbar, which is bold, newer Neovims would draw all keys as if they counted.
---@param more? table
---@return vim.api.keyset.highlight
local function question_bar(more)
  local bg = seen("DiagnosticWarn").fg
  local on_black, on_white = colour.contrast(colour.BLACK, bg), colour.contrast(colour.WHITE, bg)
  local fg = on_black >= on_white and colour.BLACK or colour.WHITE
  return vim.tbl_extend("error", { fg = fg, bg = bg, ctermfg = 0, ctermbg = 11, nocombine = true }, more or {})
end

-- Neovim 0.10 draws a group without a ground of its own on the window's, not on the bar's.
local LACKS_GROUND = vim.fn.has("nvim-0.11") == 0

---@param group string
local function define_on_bar(group)
  local value = style(resolved(group))
  local bar = resolved("AcpWinbar")
  value.fg, value.bg, value.ctermbg = seen(group).fg, bar.bg, bar.ctermbg
  api.nvim_set_hl(0, group .. "OnBar", value)
end

--- The group's name on a winbar.
---@param group string
---@return string
function M.on_bar(group)
  local stands = M.groups[group] and M.groups[group].on == highlight_groups.ON_BARS
  return LACKS_GROUND and stands and group .. "OnBar" or group
end

--- Defines the groups that nobody has defined yet: backgrounds first, then the texts on them.
function M.define()
  for group, shade in pairs(M.shades) do
    default(group, mixed(shade))
  end
  default("AcpQuestionBar", question_bar())
  default("AcpQuestionKey", question_bar({ bold = true, underline = true }))
  for _, looks in ipairs({ M.bars, M.groups }) do
    for group, look in pairs(looks) do
      default(group, readable(group, look), look[1])
    end
  end
  for group, look in pairs(LACKS_GROUND and M.groups or {}) do
    if look.on == highlight_groups.ON_BARS then
      define_on_bar(group)
    end
  end
end

M.define()
-- A colour scheme may clear what it does not know; Neovim's own colours change with 'background' alone.
local group = api.nvim_create_augroup("acp_nvim.highlight", {})
api.nvim_create_autocmd("ColorScheme", { group = group, callback = M.define })
api.nvim_create_autocmd("OptionSet", { group = group, pattern = "background", callback = M.define })

return M
