-- Defines the subcommands of `:Acp` that take what somebody else has changed into review, and give it back.
local acp = require("acp_nvim")
local git = require("acp_nvim.system.git")
local path_argument = require("acp_nvim.ui.path_argument")

local subcommands = {} ---@type table<string, acp.Subcommand>

subcommands.take = {
  args = "{branch|commit|range|patch|worktree}",
  doc = "takes what a branch (since it left HEAD), a commit, a range such as `main..feature`, a patch file or a "
    .. "worktree has changed into review, merged with what you have changed",
  complete = function(words, lead)
    if #words > 0 then
      return {}
    end
    return vim.list_extend(git.branches(vim.fn.getcwd()), path_argument.complete(lead, "file"))
  end,
  run = function(call)
    if call.rest == "" then
      return nil, "take needs a branch, a commit, a range, a patch file or a worktree"
    end
    return acp.take(call.rest)
  end,
}

subcommands.drop = {
  args = "[all]",
  doc = "undoes what is pending of what was taken last, or of all that was taken",
  complete = function(words)
    return #words == 0 and { "all" } or {}
  end,
  run = function(call)
    if call.rest ~= "" and call.rest ~= "all" then
      return nil, "usage: :Acp drop [all]"
    end
    return acp.drop({ all = call.rest == "all" })
  end,
}

return subcommands
