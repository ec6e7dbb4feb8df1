-- `:Acp` for the changes that wait for a review.

local subcommands = {} ---@type table<string, acp.Subcommand>

return subcommands
