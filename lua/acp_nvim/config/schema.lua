-- Defines every key of the configuration: its type, default, allowed values and meaning. settings.lua checks against
-- this table, and the help's section on configuration is generated from it.

---@class acp.Field
---@field name? string
---@field type "string"|"boolean"|"number"|"integer"|"any"|"list"|"map"|"record"
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
      doc = "the program; looked up on PATH; of a known agent not needed",
    },
    { name = "args", type = "list", items = STRING, default = {}, doc = "its arguments" },
    { name = "env", type = "map", items = STRING, default = {}, doc = "added to Neovim's own environment" },
    { name = "cwd", type = "string", doc = "where the process starts; default: the session's cwd" },
    {
      name = "dialect",
      type = "string",
      default = "auto",
      values = { "auto", "standard", "simse", "iac-code", "agentao", "bridge" },
      doc = "how it speaks the protocol; 'auto' finds out",
    },
    {
      name = "timeout_ms",
      type = "integer",
      min = 1,
      default = 60000,
      doc = "for requests other than prompt, authenticate, load and resume",
    },
    { name = "prompt_timeout_ms", type = "integer", min = 1, doc = "for a turn; default: none" },
    {
      name = "mcp_servers",
      type = "any",
      default = {},
      doc = "as the protocol has them, or a map name -> { command, args, env } or { url, headers }",
    },
    {
      name = "defaults",
      type = "record",
      doc = "applied, in sequence, to a new session",
      fields = {
        { name = "mode", type = "string", doc = "id of a mode" },
        { name = "model", type = "string", doc = "id of a model" },
        { name = "options", type = "map", items = { type = "any", doc = "" }, default = {}, doc = "id -> value" },
      },
    },
    { name = "auth_method", type = "string", doc = "id of the way to log in" },
  },
}

---@type acp.Field
local RULE = {
  type = "record",
  doc = "a rule; one with a mistake in it never allows, see |acp_nvim-rules|",
  -- half a rule may say the opposite of what was meant: `allow` with a misspelt condition would allow everything
  mistaken = "mistaken",
  fields = {
    { name = "action", type = "string", required = true, values = { "allow", "reject", "ask" }, doc = "what it does" },
    { name = "agent", type = "string", doc = "name of the agent" },
    { name = "kind", type = "string", doc = "kind of the tool call" },
    { name = "tool", type = "string", doc = "name of the tool" },
    { name = "path", type = "string", doc = "* within a component, ** across them; see |acp_nvim-rules|" },
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
      doc = "a name; nil: the only one configured, or else the only one found, or you are asked; with none: 'demo'",
    },
    {
      name = "agents",
      type = "map",
      items = AGENT,
      default = {},
      base = function(name, own)
        return require("acp_nvim.config.agent_presets").defaults(name, own)
      end,
      doc = "name -> agent; of a known one, see |acp_nvim-presets|, only what differs",
    },
    {
      name = "agent_files",
      type = "list",
      items = STRING,
      default = {},
      doc = "acp.json files: `agent_servers` (Zed, JetBrains) or `servers` (simse); see |acp_nvim-agent-files|",
    },
    { name = "permissions", type = "list", items = RULE, default = {}, doc = "rules; the first that matches wins" },
    {
      name = "fs",
      type = "record",
      doc = "what the agent may do with files",
      fields = {
        { name = "read", type = "boolean", default = true, doc = "it may read files and buffers" },
        { name = "write", type = "boolean", default = true, doc = "it may write them" },
        {
          name = "outside",
          type = "string",
          default = "ask",
          values = { "ask", "deny", "allow" },
          doc = "outside the session's roots, and git's own files",
        },
        { name = "autocmds", type = "boolean", default = true, doc = "its saves run BufWritePre and BufWritePost" },
      },
    },
    { name = "terminal", type = "boolean", default = true, doc = "the agent may run commands in our terminals" },
    { name = "follow", type = "boolean", default = false, doc = "follow-along for new sessions" },
    {
      name = "review",
      type = "record",
      doc = "the review of changes",
      fields = {
        { name = "auto_open", type = "boolean", default = true, doc = "a proposal opens by itself" },
        { name = "maps", type = "boolean", default = true, doc = "maps in buffers with pending hunks" },
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
          values = { "right", "left", "bottom", "tab", "float" },
          doc = "where the chat opens",
        },
        { name = "width", type = "number", min = 0.05, default = 0.4, doc = "share of the columns; above 1: columns" },
        {
          name = "prompt_height",
          type = "integer",
          min = 1,
          default = 8,
          doc = "the prompt's window begins with 3 rows and grows with its text to so many",
        },
        {
          name = "conceal",
          type = "boolean",
          default = true,
          doc = "the marks of Markdown are hidden where the cursor is not",
        },
        {
          name = "suggestions",
          type = "boolean",
          default = true,
          doc = "what the agent takes for your next prompt stands in an empty prompt; `<Tab>` takes it",
        },
        {
          name = "menu",
          type = "boolean",
          default = true,
          doc = "behind `/` and `@` the prompt's menu opens by itself, where no completion plugin does that",
        },
      },
    },
    {
      name = "context",
      type = "string",
      default = "none",
      values = { "none", "buffer" },
      doc = "'buffer': a prompt that you begin has a chip for the visible file, which you can delete",
    },
    {
      name = "notify",
      type = "boolean",
      default = true,
      doc = "announce a question or an ended turn while its chat is not visible",
    },
    {
      name = "away",
      type = "string",
      default = "bell",
      values = { "none", "bell", "osc9" },
      doc = "how the terminal calls you, once, when a turn ends or an agent asks while you are in another program; "
        .. "'osc9' is a notification of the desktop, where the terminal has them",
    },
    {
      name = "keys",
      type = "string",
      doc = "a prefix such as '<leader>a': below it the keys of |acp_nvim-keys| are mapped; default: none is",
    },
    {
      name = "python",
      type = "string",
      doc = "interpreter with the package; default: the plugin's own .venv, then g:python3_host_prog",
    },
    {
      name = "backend",
      type = "string",
      default = "job",
      values = { "job", "rplugin" },
      doc = "'job': an RPC job of our own; 'rplugin': the remote plugin in the python3 host",
    },
    {
      name = "transcripts",
      type = "record",
      doc = "saved transcripts",
      fields = {
        { name = "keep", type = "integer", min = 0, default = 100, doc = "sessions whose transcript is kept" },
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
          doc = "the wire of each agent goes to a file from the start, in stdpath('log')/acp_nvim",
        },
      },
    },
  },
}
