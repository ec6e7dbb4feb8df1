-- Finds the globals that the Lua half uses and nobody defines. A name that was mistyped, or renamed elsewhere, is one.
--
--   nvim --clean -l tests/tools/undefined_names.lua lua plugin ftplugin
--
-- It reads the bytecode of LuaJIT: an instruction that gets or sets a global has its name among the constants.
local util = require("jit.util")

---@param instruction integer
---@return integer
local function opcode(instruction)
  return bit.band(instruction, 0xff)
end

local GETS = opcode((util.funcbc(assert(loadstring("return a")), 1)))
local SETS = opcode((util.funcbc(assert(loadstring("a = 1")), 2)))

local found = 0

---@param fn any  a function, or the prototype of one
---@param file string
local function look(fn, file)
  local at, index = 1, -1
  local instruction = util.funcbc(fn, at)
  while instruction do
    if opcode(instruction) == GETS or opcode(instruction) == SETS then
      local name = util.funck(fn, -bit.rshift(instruction, 16) - 1)
      if _G[name] == nil then
        found = found + 1
        print(("%s: nothing defines %s"):format(file, name))
      end
    end
    at = at + 1
    instruction = util.funcbc(fn, at)
  end
  local constant = util.funck(fn, index)
  while constant ~= nil do
    if type(constant) == "proto" then
      look(constant, file)
    end
    index = index - 1
    constant = util.funck(fn, index)
  end
end

for _, folder in ipairs(arg) do
  for _, file in ipairs(vim.fn.globpath(folder, "**/*.lua", false, true)) do
    look(assert(loadfile(file)), file)
  end
end
os.exit(found == 0 and 0 or 1)
