-- What lazy.nvim needs to know of this plugin, so that its name alone is enough. No address stands here: the user's
-- does.
return { "acp_nvim", lazy = false, build = "build.lua" }
