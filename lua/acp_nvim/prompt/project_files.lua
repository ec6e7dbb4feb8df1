-- The files of a project, for completion: what git lists, else what lies below the folder. They are listed in the
-- background and kept; a caller gets what there is, at once.
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
local AT_ONCE = 50
local DEEPEST = 12
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

--- Walks the folder, two milliseconds at a time.
---@param cwd string
---@param done fun(listing: acp.Listing)
local function walk(cwd, done)
  local listing, queue, at, open = empty(), { "" }, 1, nil
  local function slice()
    local stop = uv.hrtime() + A_SLICE_NS
    while (open or at <= #queue) and #listing.paths < limits.PROJECT_FILES_WALKED do
      if uv.hrtime() > stop then
        return vim.defer_fn(slice, 1)
      end
      local folder = queue[at]
      open = open or uv.fs_opendir(cwd .. "/" .. folder, nil, AT_ONCE)
      local entries = open and uv.fs_readdir(open)
      for _, entry in ipairs(entries or {}) do
        local name, is_folder = entry.name, entry.type == "directory"
        if not is_folder then
          enter(listing, folder .. name)
        elseif not SKIPPED[name] then
          enter(listing, folder .. name .. "/")
          if select(2, folder:gsub("/", "")) < DEEPEST then
            queue[#queue + 1] = folder .. name .. "/"
          end
        end
      end
      if not entries then
        if open then
          uv.fs_closedir(open)
        end
        open, at = nil, at + 1
      end
    end
    if open then
      uv.fs_closedir(open)
    end
    done(listing)
  end
  slice()
end

--- Makes a list of what git has said, two milliseconds at a time.
---@param said string
---@param done fun(listing: acp.Listing)
local function parse(said, done)
  local listing, seen, at, last = empty(), {}, 1, nil
  local function slice()
    local stop = uv.hrtime() + A_SLICE_NS
    while #listing.paths < limits.PROJECT_FILES do
      for _ = 1, AT_ONCE do
        local behind = said:find("\0", at, true)
        if not behind then
          return done(listing)
        end
        local path = said:sub(at, behind - 1)
        if path ~= last then -- a file in conflict is listed for each side
          enter_with_folders(listing, seen, path)
        end
        last, at = path, behind + 1
      end
      if uv.hrtime() > stop then
        return vim.defer_fn(slice, 1)
      end
    end
    done(listing)
  end
  slice()
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
