-- Lists the files of a project for completion: what git lists, else what lies below the folder. This runs in the
-- background; a caller gets at once what is known so far.
local uv = vim.uv
local git = require("acp_nvim.system.git")
local limits = require("acp_nvim.limits")

local M = {}

---@class acp.Listing
---@field paths string[]     relative to the folder; folders end in a slash
---@field lower string[]     the same in lower case
---@field complete boolean   it is all there
---@field at number          when it was begun
---@field job? vim.SystemObj  lists again
---@field walks? boolean

local FRESH_MS = 5000
local A_SLICE_NS = 2e6
local SKIPPED = { [".git"] = true, [".hg"] = true, [".svn"] = true, node_modules = true, __pycache__ = true }

local listings = {} ---@type table<string, acp.Listing>

---@return acp.Listing
local function empty()
  return { paths = {}, lower = {}, complete = false, at = uv.now() }
end

---@param listing acp.Listing
---@param path string
local function enter(listing, path)
  local n = #listing.paths + 1
  listing.paths[n], listing.lower[n] = path, path:lower()
end

--- Files, and each folder before the first of its files.
---@param listing acp.Listing
---@param seen table<string, true>
---@param path string
local function enter_with_folders(listing, seen, path)
  local folder, missing = path:match("^(.*/)[^/]*$"), {}
  while folder and not seen[folder] do
    seen[folder] = true
    missing[#missing + 1] = folder
    folder = folder:sub(1, -2):match("^(.*/)[^/]*$")
  end
  for i = #missing, 1, -1 do
    enter(listing, missing[i])
  end
  enter(listing, path)
end

--- Enters what an iterator gives, two milliseconds at a time.
---@param next_path fun(): string?
---@param most integer
---@param add fun(listing: acp.Listing, path: string)
---@param done fun(listing: acp.Listing)
local function collect(next_path, most, add, done)
  local listing = empty()
  local function slice()
    local stop = uv.hrtime() + A_SLICE_NS
    for path in next_path do
      add(listing, path)
      if #listing.paths >= most then
        break
      elseif uv.hrtime() > stop then
        return vim.defer_fn(slice, 1)
      end
    end
    done(listing)
  end
  slice()
end

--- Walks the folder.
---@param cwd string
---@param done fun(listing: acp.Listing)
local function walk(cwd, done)
  local function is_entered(folder)
    return not SKIPPED[vim.fs.basename(folder)]
  end
  local entries = vim.fs.dir(cwd, { depth = limits.FOLDER_DEPTH, skip = is_entered })
  local function next_path()
    local name, kind = entries()
    while name and kind == "directory" and not is_entered(name) do
      name, kind = entries()
    end
    return name and (kind == "directory" and name .. "/" or name)
  end
  collect(next_path, limits.PROJECT_FILES_WALKED, enter, done)
end

--- Makes a list of what git has said.
---@param said string
---@param done fun(listing: acp.Listing)
local function parse(said, done)
  local seen = {}
  collect(said:gmatch("([^%z]+)%z"), limits.PROJECT_FILES, function(listing, path)
    if path ~= listing.paths[#listing.paths] then -- a file in conflict is listed for each side
      enter_with_folders(listing, seen, path)
    end
  end, done)
end

---@param cwd string
---@param done fun(listing: acp.Listing?)  nil: git lists nothing here
---@return vim.SystemObj?
local function ask_git(cwd, done)
  local pieces, size, job = {}, 0, nil
  local function take(_, data)
    pieces[#pieces + 1] = data
    size = size + #(data or "")
    if size > limits.PROJECT_FILES_BYTES and job then
      job:kill("sigterm")
    end
  end
  local ok
  ok, job = git.files(cwd, { stdout = take, text = false, timeout = 30000 }, function(result)
    vim.schedule(function()
      if result.code ~= 0 and size == 0 then
        return done(nil)
      end
      parse(table.concat(pieces), done)
    end)
  end)
  if not ok then
    vim.schedule(done)
    return nil
  end
  return job
end

---@param cwd string
---@param known acp.Listing
local function renew(cwd, known)
  known.at, known.walks = uv.now(), true
  local function done(listing)
    listing.complete, listing.at = true, uv.now()
    listings[cwd] = listing
  end
  known.job = ask_git(cwd, function(listing)
    if listing then
      return done(listing)
    end
    walk(cwd, done)
  end)
end

--- The known files of the folder; an old list is read again in the background.
---@param cwd string
---@return acp.Listing
function M.of(cwd)
  local listing = listings[cwd]
  if not listing then
    listing = empty()
    listings[cwd] = listing
    renew(cwd, listing)
  elseif not listing.walks and uv.now() - listing.at > FRESH_MS then
    renew(cwd, listing)
  end
  return listing
end

return M
