-- Completes in a prompt: the agent's `/commands`, and behind an `@` files, buffers, `@diff` and the like. `candidates`
-- serves completefunc and any completion plugin alike; it never waits.
local blank_behind = require("acp_nvim.prompt.blank_behind")
local limits = require("acp_nvim.limits")
local mention_keywords = require("acp_nvim.prompt.mention_keywords")
local project_files = require("acp_nvim.prompt.project_files")
local session_store = require("acp_nvim.backend.session_store")

local api = vim.api
local uv = vim.uv
local M = {}

---@class acp.Candidate
---@field word string   what is inserted
---@field menu string   what it is
---@field kind "command"|"file"|"folder"|"buffer"|"name"
---@field blank boolean  whether a blank follows: a folder goes on with what is in it, a command may take no words

local A_SEARCH_NS = 8e6
local WIDEST_MENU = 60

---@param text string
---@return string
local function brief(text)
  local whole = vim.fn.strchars(text) <= WIDEST_MENU
  return whole and text or vim.fn.strcharpart(text, 0, WIDEST_MENU - 1) .. "…"
end

---@param n integer
---@param line string  up to the cursor
---@return acp.Candidate[]
local function commands(n, line)
  local typed = line:match("/(%S*)$"):lower()
  local list = {}
  for _, command in ipairs((session_store.session(n) or {}).commands or {}) do
    if vim.startswith(command.name:lower(), typed) then
      local hint = (command.hint or "") ~= "" and ("%s  "):format(command.hint) or ""
      local menu = brief(hint .. (command.description or ""))
      list[#list + 1] = { word = "/" .. command.name, menu = menu, kind = "command", blank = hint ~= "" }
    end
    if #list >= limits.CANDIDATES then
      break
    end
  end
  return list
end

---@param path string
---@return string
local function escaped(path)
  return "@" .. path:gsub(" ", "\\ ")
end

---@param path string
---@param kind? string
---@param doc? string
---@return acp.Candidate
local function candidate(path, kind, doc)
  kind = kind or (path:find("/$") and "folder" or "file")
  return { word = escaped(path), menu = doc or kind, kind = kind, blank = kind ~= "folder" }
end

-- Files ---------------------------------------------------------------------------------------------------------------

--- The paths that contain the typed text: first those that begin with it, then those whose file name does.
---@param known acp.Listing
---@param typed string  in lower case
---@return string[]
local function matching(known, typed)
  local by_name, by_path, anywhere = {}, {}, {}
  local name_start = "/" .. typed
  local stop = uv.hrtime() + A_SEARCH_NS
  for i, lower in ipairs(known.lower) do
    local at = lower:find(typed, 1, true)
    if at == 1 then
      by_path[#by_path + 1] = known.paths[i]
    elseif at and #anywhere < limits.CANDIDATES then
      local behind = lower:find(name_start, 1, true)
      local is_name = behind and not lower:find("/.", behind + 1)
      local list = is_name and by_name or anywhere
      list[#list + 1] = known.paths[i]
    end
    if #by_path >= limits.CANDIDATES or (i % 1000 == 0 and uv.hrtime() > stop) then
      break
    end
  end
  local found = vim.list_extend(by_path, by_name)
  return vim.list_slice(vim.list_extend(found, anywhere), 1, limits.CANDIDATES)
end

--- Lists the folder that is typed, for files that git does not list: ignored ones, or those outside the project.
---@param cwd string
---@param typed string
---@return string[]
local function beside(cwd, typed)
  local folder, lead = typed:match("^(.*/)([^/]*)$")
  folder, lead = folder or "", lead or typed
  local outside = folder:find("^[/~]")
  local path = outside and vim.fs.normalize(folder, { expand_env = false }) or cwd .. "/" .. folder
  local open = uv.fs_opendir(path, nil, limits.FOLDER_ENTRIES) -- not more of it is read, however much there is
  local found = {}
  for _, entry in ipairs(open and uv.fs_readdir(open) or {}) do
    local name = entry.name
    if vim.startswith(name:lower(), lead:lower()) and (lead ~= "" or name:sub(1, 1) ~= ".") then
      found[#found + 1] = folder .. name .. (entry.type == "directory" and "/" or "")
    end
  end
  if open then
    uv.fs_closedir(open)
  end
  table.sort(found)
  return found
end

---@param cwd string
---@return string[]
local function buffers(cwd)
  local list = {}
  for _, info in ipairs(vim.fn.getbufinfo({ buflisted = 1 })) do
    if vim.bo[info.bufnr].buftype == "" and info.name ~= "" then
      local below = vim.startswith(info.name, cwd .. "/")
      local path = below and info.name:sub(#cwd + 2) or vim.fn.fnamemodify(info.name, ":~")
      list[#list + 1] = { path = path, used = info.lastused }
    end
  end
  table.sort(list, function(one, other)
    return one.used > other.used
  end)
  return vim.tbl_map(function(each)
    return each.path
  end, vim.list_slice(list, 1, limits.CANDIDATE_BUFFERS))
end

---@param cwd string
---@param typed string
---@return acp.Candidate[]
local function mentions(cwd, typed)
  local list, seen, lower = {}, {}, typed:lower()
  local function add(path, kind, doc)
    if not seen[path] and #list < limits.CANDIDATES and not path:find("%c") then -- a mention ends with its line
      seen[path] = true
      list[#list + 1] = candidate(path, kind, doc)
    end
  end
  for _, path in ipairs(buffers(cwd)) do
    if path:lower():find(lower, 1, true) then
      add(path, "buffer")
    end
  end
  for _, entry in ipairs(mention_keywords.matching(lower, cwd)) do
    add(entry.name, "name", entry.doc)
  end
  local known = project_files.of(cwd)
  for _, path in ipairs(matching(known, lower)) do
    add(path)
  end
  if not known.complete or typed:find("[/~]") or #list == 0 then
    for _, path in ipairs(beside(cwd, typed)) do
      add(path)
    end
  end
  if #list == 0 and #typed > 1 then
    -- letters in their order with others between them
    local some = vim.list_slice(known.paths, 1, limits.FUZZY_PATHS)
    for _, path in ipairs(vim.fn.matchfuzzy(some, typed, { limit = limits.CANDIDATES })) do
      add(path)
    end
  end
  return list
end

-- The seam ------------------------------------------------------------------------------------------------------------

--- Where the word at the end of `line` begins, and what it may become; nil if it is neither command nor mention.
---@param n integer
---@param line string  up to the cursor
---@param is_first? boolean  whether it is the first line of the prompt, where commands stand; default true
---@return integer? start  0-based
---@return acp.Candidate[] candidates
function M.candidates(n, line, is_first)
  if is_first ~= false and line:find("^%s*/%S*$") then
    return assert(line:find("/", 1, true)) - 1, commands(n, line)
  end
  local masked = line:gsub("\\ ", "\1\1")
  local at, _, typed = masked:find("@(%S*)$")
  if not at or masked:sub(1, at - 1):find("[%w%._%%%+%-@/\\]$") then
    return nil, {}
  end
  local cwd = (session_store.look(n) or {}).cwd or vim.fn.getcwd()
  return at - 1, mentions(cwd, (typed:gsub("\1\1", " ")))
end

--- The candidates as complete() takes them.
---@param list acp.Candidate[]
---@return table[]
function M.menu_items(list)
  return vim.tbl_map(function(each)
    local data = each.blank and blank_behind.ITEM_DATA or nil
    return { word = each.word, menu = each.menu, icase = 1, dup = 0, user_data = data }
  end, list)
end

--- Begins to list the files of the session's project, so that they are there when they are needed.
---@param n integer
function M.prepare(n)
  local session = session_store.session(n)
  if session then
    project_files.of(session.origin.cwd)
  end
end

local before, is_first = "", true -- what stands before the word that is being completed

--- 'completefunc' and 'omnifunc' of the prompt.
---@param findstart integer
---@param base string
---@return integer|table
function M.func(findstart, base)
  local n = vim.b.acp_session
  if findstart == 1 then
    local row, col = unpack(api.nvim_win_get_cursor(0))
    local line = api.nvim_get_current_line():sub(1, col)
    is_first = vim.fn.prevnonblank(row - 1) == 0
    local start = n and M.candidates(n, line, is_first)
    before = line:sub(1, start or 0)
    return start or -3
  end
  local _, list = M.candidates(n, before .. base, is_first)
  return { words = M.menu_items(list), refresh = "always" }
end

--- Completes a word on the command line of `:Acp prompt`.
---@param lead string
---@param is_first boolean
---@return string[]
function M.words(lead, is_first)
  local n = session_store.current()
  if not n then
    return {}
  end
  local _, list = M.candidates(n, lead, is_first)
  return vim.tbl_map(function(each)
    return each.word
  end, list)
end

--- The hint of a slash command for its argument, if the command is all of `line`.
---@param n integer
---@param line string
---@return string?
function M.hint(n, line)
  local name = line:match("^/(%S+)%s?$")
  for _, command in ipairs(name and (session_store.session(n) or {}).commands or {}) do
    if command.name == name and (command.hint or "") ~= "" then
      return command.hint
    end
  end
end

return M
