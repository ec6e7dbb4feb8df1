-- Serves `:Acp add`: puts a chip into the prompt for each file, range, picture or list that goes along with it.
local chips = require("acp_nvim.prompt.chips")
local context_items = require("acp_nvim.prompt.context_items")
local diff_chip = require("acp_nvim.prompt.diff_chip")
local documents = require("acp_nvim.documents.find")
local global_keys = require("acp_nvim.config.global_keys")
local image = require("acp_nvim.prompt.image")
local limits = require("acp_nvim.limits")
local messages = require("acp_nvim.ui.messages")
local path_argument = require("acp_nvim.ui.path_argument")
local prompt = require("acp_nvim.prompt.buffer")
local session_store = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {}

---@param what string
local function say_added(what)
  local is_there = vim.bo.filetype == "acp_prompt"
  local further = is_there and "" or " · " .. global_keys.how_to_write()
  messages.show("info", ("added %s to the prompt%s"):format(what, further))
end

---@param text string  of a chip
local function told(text)
  say_added(text:sub(2, -2))
end

---@param n integer
---@param text string  of a chip
---@return true
local function put(n, text)
  prompt.insert(n, text)
  told(text)
  return true
end

--- For what ends later: the session may be gone by then.
---@param n integer
---@param text? fun(): string
---@param message? string
local function put_late(n, text, message)
  if message then
    messages.show("error", message)
  elseif text and session_store.exists(n) then
    put(n, text())
  end
end

---@param n integer
---@return true? ok
---@return string? message
local function takes_images(n)
  local capabilities = (session_store.look(n) or {}).capabilities
  if capabilities and (capabilities.promptCapabilities or {}).image ~= true then
    return nil, "this agent takes no images"
  end
  return true
end

local kinds = {} ---@type table<string, fun(n: integer, rest: string): true?, string?>

function kinds.diagnostics(n)
  local buf = context_items.users_buffer()
  if not buf or #vim.diagnostic.get(buf) == 0 then
    return nil, buf and ("there are no diagnostics in %s"):format(context_items.name(buf)) or "no file is open"
  end
  local name = vim.fs.basename(api.nvim_buf_get_name(buf))
  return put(
    n,
    chips.new(n, "diagnostics " .. name, function()
      return api.nvim_buf_is_valid(buf) and { diagnostics = buf }
        or { missing = ("the buffer of (diagnostics %s) is gone"):format(name) }
    end)
  )
end

function kinds.quickfix(n)
  local list, id, count = context_items.quickfix(0)
  if not list then
    return nil, "the quickfix list is empty"
  end
  return put(
    n,
    chips.new(n, ("quickfix %d"):format(count), function()
      return (context_items.quickfix(id)) or { missing = "the quickfix list is gone" }
    end)
  )
end

function kinds.diff(n)
  diff_chip.add(n, told)
  return true
end

function kinds.image(n, rest)
  if rest == "" then
    return nil, "add image needs a file name"
  end
  local ok, message = takes_images(n)
  local path, problem = path_argument.path(rest)
  if not path then
    return nil, problem
  end
  if ok then
    ok, message = image.check(path)
  end
  if not ok then
    return nil, message
  end
  return put(n, chips.new(n, "image " .. vim.fs.basename(path), { image = path }))
end

function kinds.clipboard(n)
  local ok, message = takes_images(n)
  if not ok then
    return nil, message
  end
  image.from_clipboard(function(path, problem)
    put_late(n, path and function()
      return chips.new(n, "image " .. vim.fs.basename(path), { image = path })
    end, problem)
  end)
  return true
end

--- Files of the command line: one with blanks, or several, or patterns.
---@param rest string
---@return string[]? paths
---@return string? message
local function files_of(rest)
  local function existing(word)
    local path = vim.fn.fnamemodify(vim.fs.normalize(word, { expand_env = false }), ":p")
    local known = vim.uv.fs_stat(path) or documents.find(path)
    return known and (path:gsub("(.)/$", "%1")) or nil
  end
  local whole = existing(rest)
  if whole then
    return { whole }
  end
  local paths = {}
  for _, word in ipairs(path_argument.words(rest)) do
    local name, message = path_argument.expand(word)
    if not name then
      return nil, message
    end
    word = name
    local found = existing(word)
    local globbed = found and { found } or vim.tbl_map(existing, vim.fn.glob(word, true, true))
    if #globbed == 0 then
      return nil, ("no such file: %s"):format(word)
    end
    vim.list_extend(paths, globbed)
  end
  return #paths <= limits.ATTACHED_FILES and paths or nil,
    ("%d files are too many: attach at most %d"):format(#paths, limits.ATTACHED_FILES)
end

---@param n integer
---@param rest string
---@return true? ok
---@return string? message
local function add_files(n, rest)
  local paths, message = files_of(rest)
  if not paths then
    return nil, message
  end
  local texts = vim.tbl_map(function(path)
    return chips.file(n, path)
  end, paths)
  prompt.insert(n, table.concat(texts, " "))
  say_added(#texts == 1 and texts[1]:sub(2, -2) or ("%d files"):format(#texts))
  return true
end

M.NOT_ITSELF = "lines of the prompt cannot be attached: select lines of a file"

--- Is the current buffer a prompt? Its lines are sent as they stand.
---@return boolean
function M.is_prompt()
  return vim.bo.filetype == "acp_prompt"
end

--- Without file and range it is the file that the user is in.
---@param n integer
---@param rest string
---@param range? { first: integer, last: integer }
---@return true? ok
---@return string? message
function M.add(n, rest, range)
  if range and M.is_prompt() then
    return nil, M.NOT_ITSELF
  end
  local buf = range and api.nvim_get_current_buf() or context_items.users_buffer()
  if range and buf then
    put(n, chips.lines(n, buf, range.first, range.last))
    if rest == "" then
      return true
    end
  elseif rest == "" then
    if not buf then
      return nil, "no file is open: add needs a range, a file, or one of " .. table.concat(M.kinds(), ", ")
    end
    return put(n, chips.buffer(n, buf))
  end
  local word, behind = rest:match("^(%S+)%s*(.-)%s*$")
  local kind = kinds[word]
  if kind and (behind == "" or word == "image") then
    return kind(n, behind)
  end
  return add_files(n, rest)
end

---@return string[]
function M.kinds()
  local names = vim.tbl_keys(kinds)
  table.sort(names)
  return names
end

return M
