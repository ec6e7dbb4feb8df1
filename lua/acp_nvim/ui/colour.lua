-- Computes with colours as numbers, 0xRRGGBB: mixes them, measures their contrast as the eye sees it, and moves a
-- colour until a text in it can be read.
local M = { BLACK = 0x000000, WHITE = 0xFFFFFF, GREEN = 0x00B000, RED = 0xF85149 }

local LEAST = 4.5 -- : 1, what WCAG asks for text (level AA)
local STEP = 0.05
local CHANNELS = { 0x10000, 0x100, 1 }
local WEIGHTS = { 0.2126, 0.7152, 0.0722 } -- of red, green and blue for the eye

---@param colour integer
---@param channel integer
---@return integer
local function part(colour, channel)
  return math.floor(colour / channel) % 256
end

--- Mixes two colours; a share of 0 is the first one, 1 the second.
---@param from integer
---@param to integer
---@param share number  from 0 to 1
---@return integer
function M.mixed(from, to, share)
  local colour = 0
  for _, channel in ipairs(CHANNELS) do
    local one, other = part(from, channel), part(to, channel)
    colour = colour + math.floor(one + (other - one) * share + 0.5) * channel
  end
  return colour
end

--- The relative luminance, from 0 to 1.
---@param colour integer
---@return number
local function luminance(colour)
  local sum = 0
  for index, channel in ipairs(CHANNELS) do
    local value = part(colour, channel) / 255
    value = value <= 0.04045 and value / 12.92 or ((value + 0.055) / 1.055) ^ 2.4
    sum = sum + WEIGHTS[index] * value
  end
  return sum
end

--- The contrast ratio of two colours, from 1 (equally bright) to 21 (black and white).
---@param one integer
---@param other integer
---@return number
function M.contrast(one, other)
  local darker, lighter = luminance(one), luminance(other)
  if darker > lighter then
    darker, lighter = lighter, darker
  end
  return (lighter + 0.05) / (darker + 0.05)
end

--- The smallest contrast of a text on any of these backgrounds.
---@param fg integer
---@param grounds integer[]
---@return number
local function least(fg, grounds)
  return vim.iter(grounds):fold(math.huge, function(worst, ground)
    return math.min(worst, M.contrast(fg, ground))
  end)
end

--- Returns a text's colour, moved towards black or white until it can be read on all of these backgrounds. 0x636DA6 on
--- { 0x222436 } has 3.0 : 1; 30 % of the way to white it is 0x9299C1 and has 5.3 : 1.
---@param fg integer
---@param grounds integer[]
---@return integer
function M.readable_text(fg, grounds)
  local pole = least(M.WHITE, grounds) >= least(M.BLACK, grounds) and M.WHITE or M.BLACK
  local lifted, share = fg, 0
  while least(lifted, grounds) < LEAST and share < 1 do
    share = share + STEP
    lifted = M.mixed(fg, pole, share)
  end
  return lifted
end

--- Returns a background, moved away from the text's colour until the text can be read on it.
---@param bg integer
---@param fg integer
---@return integer
function M.readable_ground(bg, fg)
  local pole = luminance(fg) >= luminance(bg) and M.BLACK or M.WHITE
  local moved, share = bg, 0
  while M.contrast(fg, moved) < LEAST and share < 1 do
    share = share + STEP
    moved = M.mixed(bg, pole, share)
  end
  return moved
end

return M
