-- Offers the prompt's completion under its public name: completion plugins of users call `candidates(session, line)`.
return require("acp_nvim.prompt.completion")
