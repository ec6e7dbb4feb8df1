-- Says in one line why uv or pip has failed, and what to do about it. Their own last line seldom does: without a
-- network pip ends with "No matching distribution found", as if a package did not exist.
local M = {}

M.NO_NETWORK = "cannot reach the package index: check the network, then :Acp install"

-- What commands say, in lower case, and what it means to the user; the first that is found counts.
---@type any[][]  first what to tell, then lists of words
local REASONS = {
  { -- uv and pip trust different ones; to both it looks like a network that is not there
    "the certificate of the package index is not trusted: see :Acp log",
    { "certificate verify failed", "certificate_verify_failed", "peer certificate" },
  },
  {
    "the proxy refuses the package index: ask who runs it, or see :Acp log",
    { "403 forbidden", "tunnel error", "proxy authentication required" },
  },
  {
    M.NO_NETWORK,
    { "name resolution", "could not resolve", "name or service not known", "network is unreachable", "dns error" },
    { "newconnectionerror", "connection refused", "failed to connect", "failed to fetch", "timed out", "proxyerror" },
    { "error sending request", "connection reset", "max retries exceeded", "no route to host" },
  },
  { "the disk is full: free some space, then :Acp install", { "no space left", "disk quota exceeded" } },
  { "cannot write to a folder: see :Acp log", { "permission denied", "read-only file system" } },
}

--- What the output of a command that has failed means to the user, in one line.
---@param output string
---@return string
function M.of(output)
  local said = output:lower()
  for _, known in ipairs(REASONS) do
    for i = 2, #known do
      for _, words in ipairs(known[i]) do
        if said:find(words, 1, true) then
          return known[1]
        end
      end
    end
  end
  return "not installed, see :Acp log: " .. (vim.trim(output):match("[^\n]+$") or "no reason given")
end

return M
