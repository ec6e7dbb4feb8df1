-- Shows pictures within a buffer by the plugin that is loaded for it: snacks.image or image.nvim.
local log = require("acp_nvim.ui.log")

local M = {}

M.WITHOUT = "snacks.image or image.nvim would show it here; gx opens it"

---@class acp.Picture
---@field buf integer
---@field win integer
---@field row integer   from 0: below this line
---@field path string
---@field width integer
---@field height integer

--- Returns snacks.image if it shows pictures in this terminal.
---@return table? image  the module
local function snacks_image()
  local snacks = package.loaded["snacks"] and rawget(_G, "Snacks")
  local image = snacks and snacks.image
  return image and image.supports_terminal() and image or nil
end

---@return table? image  the module
local function image_nvim()
  local image = package.loaded["image"]
  local is_it = type(image) == "table" and image.from_file and image.is_enabled
  return is_it and image.is_enabled() and image or nil
end

---@param picture acp.Picture
---@return boolean
local function show(picture)
  local snacks, image = snacks_image(), image_nvim()
  if snacks then
    snacks.placement.new(picture.buf, picture.path, {
      pos = { picture.row + 1, 0 },
      inline = true,
      max_width = picture.width,
      max_height = picture.height,
    })
  elseif image then
    local made = image.from_file(picture.path, {
      window = picture.win,
      buffer = picture.buf,
      with_virtual_padding = true,
      x = 0,
      y = picture.row,
      width = picture.width,
      height = picture.height,
    })
    if made then
      made:render()
    end
    return made ~= nil
  end
  return snacks ~= nil
end

--- Whether pictures can be shown here.
---@return boolean
function M.is_available()
  local ok, found = pcall(function()
    return snacks_image() or image_nvim()
  end)
  return ok and found ~= nil
end

--- Shows a picture; a plugin that fails costs the picture, and the log has why.
---@param picture acp.Picture
---@return boolean shown
function M.show(picture)
  local ok, shown = pcall(show, picture)
  if not ok then
    log.add("a picture cannot be shown: " .. tostring(shown))
  end
  return ok and shown
end

return M
