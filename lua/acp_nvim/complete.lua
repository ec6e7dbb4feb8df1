-- The public name of the prompt's completion: completion plugins of users call `candidates(session, line)`.
return require("acp_nvim.prompt.completion")
