-- Expands the file names that the user types after `:Acp`, as Vim's own commands do. A blank may be escaped by a
-- backslash; it need not be where the rest of the line is one name. Names from an agent are never expanded.
--
--   %:h/notes.txt   the folder of the current file, then /notes.txt       \%a   a file called %a
--   #3:p            the path of buffer 3                                  %a     a file called %a: no modifier follows
--   my\ notes.txt   one name, of a file with a blank
local M = {}

--- Expands `%` and `#` with their modifiers at the beginning of the name, unless a backslash escapes them.
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

--- The absolute path. A name with a backslash in it is meant as it stands if there is such a file.
---@param typed string
---@return string? path
---@return string? message
function M.path(typed)
  local name, message = M.expand(typed)
  if not name then
    return nil, message
  end
  local is_literal = name ~= typed -- an expanded name is no pattern of environment variables
  local function absolute(text)
    return vim.fn.fnamemodify(vim.fs.normalize(text, { expand_env = not is_literal }), ":p")
  end
  local is_escaped = name:find("\\ ", 1, true) and not vim.uv.fs_stat(vim.fn.fnamemodify(name, ":p"))
  return absolute(is_escaped and name:gsub("\\ ", " ") or name)
end

--- Splits a command line into words as they are typed: an escaped blank does not end a word.
---@param line string
---@return string[]
function M.typed_words(line)
  return vim.tbl_map(function(word)
    return (word:gsub("\1", "\\ "))
  end, vim.split((line:gsub("\\ ", "\1")), "%s+"))
end

--- The names of a list of files, without their backslashes.
---@param line string
---@return string[]
function M.words(line)
  local words = vim.tbl_map(function(word)
    return (word:gsub("\\ ", " "))
  end, M.typed_words(vim.trim(line)))
  return words[1] ~= "" and words or {}
end

--- Returns the completions of a name, escaped for a command line.
---@param lead string
---@param kind "file"|"dir"
---@return string[]
function M.complete(lead, kind)
  return vim.tbl_map(function(name)
    return (name:gsub(" ", "\\ "))
  end, vim.fn.getcompletion((lead:gsub("\\ ", " ")), kind))
end

return M
