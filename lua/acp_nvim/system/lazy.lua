-- Modules that are loaded when something of them is first used: for config/ alone, which runs when Neovim starts and must
-- cost next to nothing there. Elsewhere requires stand at the top of the file: loading the whole plugin at the first :Acp
-- takes 2.5 ms longer than loading what that needs.

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
