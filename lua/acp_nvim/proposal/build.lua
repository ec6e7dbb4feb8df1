-- Builds the two sides of a file: left the live text, right that text with what the agent wants.
--
--    disk     a b c          the agent wants b to become B
--    buffer   mine a b c     the live text: the user has not saved a line
--    left     mine a b c
--    right    mine a B c
--
-- The backend sends the change of the agent as two whole texts, `base` and `new`. Where the buffer has other text than
-- the disk, the fragments that the agent named are looked for in the buffer first, since the user may have changed the
-- same line beside them. Lines that both have changed are the agent's on the right, and the user is told.
local find = require("acp_nvim.documents.find")
local limits = require("acp_nvim.limits")
local side_text = require("acp_nvim.proposal.side_text")
local texts = require("acp_nvim.documents.text")

local M = {}

M.OVERLAP = "You and the agent changed the same lines: the right side is what will be written"

---@class acp.AgentsFile  as the backend sends it
---@field path string
---@field name string      as it is shown
---@field shown string     the path, as the bars show it
---@field disk? string     none: there is no file
---@field base? string     what the agent's change is made of, where that is not the disk
---@field new? string      none: the file is to be deleted
---@field changes acp.message.Fragment[]  as the agent has sent them
---@field problem? string  why it has no place in the file: base and new are as they came
---@field outside? boolean
---@field plain? boolean   too much differs: Neovim would stand still over it as a diff
---@field left? string     of a text to look at, or to merge: both sides as they are
---@field right? string
---@field begun? { right: string, text: string }  what the user had made of another right side

---@class acp.BuiltSides
---@field left? string     body of the live text; none: there is no file
---@field left_final boolean   it ends with a line end
---@field right? string    none: the file is to be deleted
---@field right_final boolean
---@field fits boolean     both are the file; else both are parts of it, as the agent has sent them
---@field problem? string
---@field buf? integer     in which the file is loaded
---@field is_modified? boolean

--- The last line end is as the agent wants it where the agent changes it, else as the file has it.
---@param base string
---@param new string
---@param live_final boolean
---@return boolean
local function final_of(base, new, live_final)
  local _, base_final = side_text.split(base)
  local _, new_final = side_text.split(new)
  if base_final == new_final then
    return live_final
  end
  return new_final
end

--- The text with a fragment replaced, from left to right; nil: not just one place has it, or none, or too many.
---
---    aaa b aa   aa everywhere by x   xa b x
---@param text string
---@param what string
---@param by string
---@param everywhere boolean
---@return string?
local function substitute(text, what, by, everywhere)
  local parts, from, size = {}, 1, #text ---@type string[], integer, integer
  local first, last = text:find(what, 1, true)
  if not first or not everywhere and text:find(what, first + 1, true) then
    return nil
  end
  while first do
    size = size + #by - #what
    if #parts >= 2 * limits.REPLACED_PLACES or size > math.max(#text, limits.REPLACED_BYTES) then
      return nil
    end
    vim.list_extend(parts, { text:sub(from, first - 1), by })
    from = last + 1
    first, last = text:find(what, from, true)
  end
  return table.concat(parts) .. text:sub(from)
end

--- The text with one of the agent's changes; nil: it has no place there.
---@param text string
---@param change acp.message.Fragment
---@return string?
local function replace(text, change)
  local old, new = change.old, change.new
  if old == "" then
    return nil
  end
  local text_body, final = side_text.split(text)
  if side_text.split(old) == text_body then
    return side_text.join((side_text.split(new)), final_of(old, new, final))
  end
  -- An agent may take every line for one with an end.
  local lacks_end = not final and old:sub(-1) == "\n" and not text:find(old, 1, true)
  local made = substitute(lacks_end and text .. "\n" or text, old, new, change.everywhere)
  return made and (lacks_end and side_text.split(made) or made)
end

--- The live text with all of the agent's changes; nil: one of them has no place there.
---@param text string
---@param changes acp.message.Fragment[]
---@return string?
local function replace_all(text, changes)
  local made = text ---@type string?
  for _, change in ipairs(changes) do
    made = made and replace(made, change)
  end
  return made
end

---@param file acp.AgentsFile
---@param live? string
---@return string? right
---@return string? problem
---@return boolean fits
local function right_of(file, live)
  if not file.new and not file.problem then
    return nil, nil, true
  end
  local placed = live and live ~= file.disk and #file.changes > 0 and replace_all(live, file.changes)
  if placed then
    return placed, nil, true
  elseif file.problem then
    return file.new, file.problem, false
  end
  local base, new = file.base or file.disk or "", file.new --[[@as string]]
  if not live or live == base then
    return new, nil, true
  end
  local live_body, live_final = side_text.split(live)
  local merged, overlaps = side_text.merge((side_text.split(base)), (side_text.split(new)), live_body)
  return side_text.join(merged, final_of(base, new, live_final)), overlaps and M.OVERLAP or nil, true
end

--- The live text: of the loaded buffer, else of the disk.
---@param file acp.AgentsFile
---@return string? text
---@return integer? buf
function M.live(file)
  local buf = find.find(file.path)
  if not buf or (not file.disk and texts.is_void(buf)) then -- where there is no file, an empty buffer is none either
    return file.disk, nil
  end
  return side_text.join(side_text.of_buffer(buf), texts.is_final(buf) and not texts.is_void(buf)), buf
end

---@param left? string
---@param right? string
---@param more table
---@return acp.BuiltSides
local function built(left, right, more)
  local left_body, left_final = side_text.split(left or "")
  local right_body, right_final = side_text.split(right or "")
  return vim.tbl_extend("error", more, {
    left = left and left_body,
    left_final = left_final,
    right = right and right_body,
    right_final = right_final,
  })
end

---@param file acp.AgentsFile
---@return acp.BuiltSides
function M.sides(file)
  if file.left or file.right then
    return built(file.left, file.right, { fits = true })
  end
  local live, buf = M.live(file)
  local right, problem, fits = right_of(file, live)
  local left = live
  if not fits then
    left = file.base
  end
  local is_modified = buf and vim.bo[buf].modified or nil
  return built(left, right, { fits = fits, problem = problem, buf = buf, is_modified = is_modified })
end

--- Both sides of a file with unsaved lines, for the preview in the chat; nil: it is not loaded.
---@param file acp.AgentsFile
---@return { left?: string, right?: string, problem?: string, fits: boolean }?
function M.preview(file)
  local sides = M.sides(file)
  if not sides.buf then
    return nil
  end
  local left = sides.left and side_text.join(sides.left, sides.left_final)
  local right = sides.right and side_text.join(sides.right, sides.right_final)
  return { left = left, right = right, problem = sides.problem, fits = sides.fits }
end

return M
