-- Defines every key of the configuration: its type, default, allowed values and meaning. settings.lua checks against
-- this table, and the help's section on configuration is generated from it.

---@class acp.Field
---@field name? string
---@field type "string"|"boolean"|"number"|"integer"|"any"|"table"|"list"|"map"|"record"
---@field doc string
---@field default? any
---@field values? string[]   the strings that are allowed
---@field min? number        the least number that is allowed
---@field required? boolean
---@field items? acp.Field   of a list or a map
---@field fields? acp.Field[] of a record
---@field base? fun(key: any, value: any): any  of a map: what stands in the place of an item's defaults
---@field mistaken? string   of a record: the key that is set where anything in it is wrong

local STRING = { type = "string", doc = "" }

---@type acp.Field
local AGENT = {
  type = "record",
  doc = "an agent: how it is started and spoken to",
  fields = {
    {
      name = "command",
      type = "string",
      required = true,
      doc = "the program, looked up on PATH; not needed for a known agent",
    },
    { name = "args", type = "list", items = STRING, default = {}, doc = "its arguments" },
    { name = "env", type = "map", items = STRING, default = {}, doc = "added to Neovim's own environment" },
    { name = "cwd", type = "string", doc = "where the process starts; default: the session's cwd" },
    {
      name = "dialect",
      type = "string",
      default = "auto",
      values = { "auto", "standard", "simse", "iac-code", "agentao", "bridge" },
      doc = "the variant of the protocol that the agent speaks; 'auto' finds out",
    },
    {
      name = "timeout_ms",
      type = "integer",
      min = 1,
      default = 60000,
      doc = "how long to wait for an answer; not for prompt, authenticate, load and resume",
    },
    { name = "prompt_timeout_ms", type = "integer", min = 1, doc = "how long a turn may take; default: no limit" },
    {
      name = "mcp_servers",
      type = "table",
      default = {},
      doc = "a list as in the protocol, or a map name -> { command, args, env } or { url, headers }",
    },
    {
      name = "defaults",
      type = "record",
      doc = "what a new session begins with",
      fields = {
        { name = "mode", type = "string", doc = "the id of a mode" },
        { name = "model", type = "string", doc = "the id of a model" },
        {
          name = "options",
          type = "map",
          items = { type = "any", doc = "" },
          default = {},
          doc = "option id -> value",
        },
      },
    },
    {
      name = "mcp",
      type = "string",
      default = "session",
      values = { "session", "argument", "none" },
      doc = "how the agent gets the editor's tools: with each session, as an argument of its process, or not at all",
    },
    { name = "auth_method", type = "string", doc = "the id of a login method" },
    {
      name = "system_prompt",
      type = "string",
      doc = "a text that is appended to the agent's own system prompt, if the agent takes one with a session",
    },
  },
}

---@type acp.Field
local RULE = {
  type = "record",
  doc = "a rule; one with a mistake in it never allows, see |acp_nvim-rules|",
  -- half a rule may say the opposite of what was meant: `allow` with a misspelt condition would allow everything
  mistaken = "mistaken",
  fields = {
    {
      name = "action",
      type = "string",
      required = true,
      values = { "allow", "reject", "ask" },
      doc = "what the rule does",
    },
    { name = "agent", type = "string", doc = "the agent's name" },
    { name = "kind", type = "string", doc = "the kind of the tool call" },
    { name = "tool", type = "string", doc = "the tool's name" },
    { name = "path", type = "string", doc = "a pattern of paths; see |acp_nvim-rules|" },
    { name = "command", type = "string", doc = "a Python regular expression; see |acp_nvim-rules|" },
  },
}

--- Every key, in the order of the documentation.
---@type acp.Field
return {
  type = "record",
  doc = "the configuration",
  fields = {
    {
      name = "default_agent",
      type = "string",
      doc = "the name of an agent; default: the only agent configured, or else the only one found; if there are "
        .. "several you are asked, if there is none it is 'demo'",
    },
    {
      name = "agents",
      type = "map",
      items = AGENT,
      default = {},
      base = function(name, own)
        return require("acp_nvim.config.agent_presets").defaults(name, own)
      end,
      doc = "name -> agent; for a known agent only what differs, see |acp_nvim-presets|",
    },
    {
      name = "agent_files",
      type = "list",
      items = STRING,
      default = {},
      doc = "acp.json files: `agent_servers` (Zed, JetBrains) or `servers` (simse); see |acp_nvim-agent-files|",
    },
    { name = "permissions", type = "list", items = RULE, default = {}, doc = "rules; the first that matches decides" },
    {
      name = "fs",
      type = "record",
      doc = "what the agent may do with files",
      fields = {
        {
          name = "read",
          type = "boolean",
          default = true,
          doc = "the agent may read files and buffers through the editor",
        },
        { name = "write", type = "boolean", default = true, doc = "the agent may write files through the editor" },
        {
          name = "outside",
          type = "string",
          default = "ask",
          values = { "ask", "deny", "allow" },
          doc = "what happens with files outside the session's folders, and with git's own files",
        },
        {
          name = "autocmds",
          type = "boolean",
          default = true,
          doc = "the agent's saves run BufWritePre and BufWritePost",
        },
      },
    },
    {
      name = "terminal",
      type = "boolean",
      default = true,
      doc = "the agent may run commands in terminals of the editor",
    },
    {
      name = "editor_tools",
      type = "any",
      default = true,
      doc = "the agent may ask the editor: true, false, or a list of the tools it gets; see |acp_nvim-tools|",
    },
    {
      name = "editor_tools_wait_ms",
      type = "integer",
      min = 1,
      default = 45000,
      doc = "how long a tool that changes files waits for your decision before the agent is told to go on without",
    },
    { name = "follow", type = "boolean", default = false, doc = "each new session is followed from the start" },
    {
      name = "review",
      type = "record",
      doc = "the review of changes",
      fields = {
        { name = "auto_open", type = "boolean", default = true, doc = "a proposal opens as a diff by itself" },
        {
          name = "maps",
          type = "boolean",
          default = true,
          doc = "keys to keep and undo in buffers with pending changes",
        },
        {
          name = "asked",
          type = "string",
          default = "keep",
          values = { "keep", "pending" },
          doc = "changes that you were asked about and have allowed are kept, or wait in review as all others",
        },
        {
          name = "next_file",
          type = "boolean",
          default = true,
          doc = "after the last change of a file is kept or undone, the cursor goes to the first one of the next file",
        },
        {
          name = "persist",
          type = "boolean",
          default = true,
          doc = "what waits, and comments, are kept in stdpath('state')/acp_nvim for the next Neovim in the project",
        },
      },
    },
    {
      name = "chat",
      type = "record",
      doc = "the windows",
      fields = {
        {
          name = "position",
          type = "string",
          default = "right",
          values = { "right", "left", "bottom", "tab", "float", "auto" },
          doc = "where the chat opens; 'auto': at the right, and at the bottom of a screen of less than 100 columns",
        },
        {
          name = "width",
          type = "number",
          min = 0.05,
          default = 0.4,
          doc = "a share of the screen, or a number of columns if above 1",
        },
        {
          name = "prompt_height",
          type = "integer",
          min = 1,
          default = 8,
          doc = "the prompt's window has 3 rows and grows with its text, up to this many",
        },
        {
          name = "insert",
          type = "boolean",
          default = false,
          doc = "the prompt is in insert mode when a command or a key of yours goes there",
        },
        {
          name = "conceal",
          type = "boolean",
          default = true,
          doc = "hide the marks of Markdown, except in the cursor's line",
        },
        {
          name = "rewind_key",
          type = "boolean",
          default = true,
          doc = "`<Esc><Esc>` in an empty prompt, in normal mode, opens the time line",
        },
        {
          name = "suggestions",
          type = "boolean",
          default = true,
          doc = "an empty prompt shows what the agent expects you to ask next; `<Tab>` takes it",
        },
        {
          name = "menu",
          type = "boolean",
          default = true,
          doc = "the menu opens by itself after `/` and `@`, unless a completion plugin does that",
        },
      },
    },
    {
      name = "context",
      type = "string",
      default = "none",
      values = { "none", "buffer" },
      doc = "'buffer': a new prompt has a chip for the visible file, which you can delete",
    },
    {
      name = "notify",
      type = "boolean",
      default = true,
      doc = "show a message when an agent asks or a turn ends and its chat is not visible",
    },
    {
      name = "away",
      type = "string",
      default = "bell",
      values = { "none", "bell", "osc9" },
      doc = "how the terminal calls you when a turn ends or an agent asks while you are in another program: by the "
        .. "bell, or by a notification of the desktop ('osc9') if the terminal can show one",
    },
    {
      name = "keys",
      type = "string",
      doc = "a prefix such as '<leader>a' for the keys of |acp_nvim-keys|; default: no keys are mapped",
    },
    {
      name = "python",
      type = "string",
      doc = "the Python interpreter to use; default: the plugin's own .venv, then g:python3_host_prog",
    },
    {
      name = "backend",
      type = "string",
      default = "job",
      values = { "job", "rplugin" },
      doc = "'job': the backend is a process of its own; 'rplugin': it runs in Neovim's python3 host",
    },
    {
      name = "transcripts",
      type = "record",
      doc = "saved transcripts",
      fields = {
        { name = "keep", type = "integer", min = 0, default = 100, doc = "how many sessions keep their transcript" },
      },
    },
    {
      name = "log",
      type = "record",
      doc = "the log",
      fields = {
        {
          name = "level",
          type = "string",
          default = "info",
          values = { "debug", "info", "warn", "error" },
          doc = "least severe level that is logged",
        },
        {
          name = "wire",
          type = "boolean",
          default = false,
          doc = "record the messages exchanged with each agent in a file, in stdpath('log')/acp_nvim",
        },
      },
    },
  },
}
