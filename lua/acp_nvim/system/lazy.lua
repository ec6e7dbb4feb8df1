-- Modules that are loaded when something of them is first used. Two kinds of modules name others so: those that run when
-- Neovim starts (init, config/), which must cost next to nothing, and those at the top of the house (port, wiring, api/,
-- commands/), which name nearly all others.

---@param name string
---@return table module  stands for it: its fields are looked up in the real one
return function(name)
  return setmetatable({}, {
    __index = function(_, field)
      return require(name)[field]
    end,
    __call = function(_, ...)
      return require(name)(...)
    end,
  })
end
