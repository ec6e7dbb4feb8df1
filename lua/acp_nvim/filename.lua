-- Names of files as the user types them behind `:Acp`: what Vim expands there, and nothing else. Never for names that
-- an agent gave.
local M = {}

--- Only `%` and `#` with their modifiers at the name's beginning count; behind a backslash they stand for themselves.
---@param typed string
---@return string? name  with `~` and what else vim.fs.normalize() knows still in it
---@return string? message
function M.expand(typed)
  local file, rest = typed:match("^(%%)(.*)$")
  if not file then
    file, rest = typed:match("^(#%d*)(.*)$")
  end
  if not file then
    return (typed:gsub("^\\([%%#])", "%1"))
  end
  local modifiers = ""
  while rest:find("^:[phtre~.]") do
    modifiers, rest = modifiers .. rest:sub(1, 2), rest:sub(3)
  end
  if rest ~= "" and not rest:find("^[/.]") then
    return typed
  end
  local bare = vim.fn.expand(file)
  if bare == "" or bare:find("^%a+://") then
    return nil, ("there is no file for '%s' here"):format(file)
  end
  return vim.fn.expand(file .. modifiers) .. rest
end

--- The absolute path.
---@param typed string
---@return string? path
---@return string? message
function M.path(typed)
  local name, message = M.expand(typed)
  if not name then
    return nil, message
  end
  local is_literal = name ~= typed -- an expanded name is no pattern of environment variables
  return vim.fn.fnamemodify(vim.fs.normalize(name, { expand_env = not is_literal }), ":p")
end

return M
