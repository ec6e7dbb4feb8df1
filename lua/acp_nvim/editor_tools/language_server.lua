-- Asks the language servers of a file. The answers go to the backend as they came.
local find = require("acp_nvim.documents.find")
local hidden_files = require("acp_nvim.editor_tools.hidden_files")
local later = require("acp_nvim.editor_tools.later")
local text = require("acp_nvim.documents.text")

local api, lsp = vim.api, vim.lsp
local M = {}

local ATTACH_MS = 3000 -- for a server to attach to a file that has just been loaded
local IS_NEW = vim.fn.has("nvim-0.11") == 1 -- methods of a client are called with it

---@param client vim.lsp.Client
---@param method string
---@param buf? integer
---@return boolean
local function supports(client, method, buf)
  if IS_NEW then
    return client:supports_method(method, buf)
  end
  return (client.supports_method --[[@as function]])(method, { bufnr = buf })
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param buf integer
---@param handler fun(error: table?, result: any)
---@return boolean sent
local function send(client, method, params, buf, handler)
  if IS_NEW then
    return (client:request(method, params, handler, buf))
  end
  return (
    (client.request --[[@as function]])(method, params, handler, buf)
  )
end

---@param buf? integer
---@return vim.lsp.Client[]
local function attached(buf)
  return vim.tbl_filter(function(client)
    return client.initialized ~= false
  end, lsp.get_clients({ bufnr = buf }))
end

---@param clients vim.lsp.Client[]
---@return string[]
local function names(clients)
  return vim.tbl_map(function(client)
    return client.name
  end, clients)
end

--- The column of a byte as the server counts.
---@param buf integer
---@param row integer
---@param column integer
---@param encoding string
---@return integer
local function character(buf, row, column, encoding)
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  column = math.min(column, #line)
  if encoding == "utf-8" then
    return column
  elseif IS_NEW then
    return vim.str_utfindex(line, encoding, column)
  end
  local utf32, utf16 = vim.str_utfindex(line, column)
  return encoding == "utf-32" and utf32 or utf16
end

--- What the server is to be told of the place. Rows and columns are counted from 0, in bytes.
---@param arguments { params?: table, method: string, row?: integer, column?: integer, last_column?: integer }
---@param buf integer
---@param encoding string
---@return table
local function params_of(arguments, buf, encoding)
  local params = vim.deepcopy(arguments.params or {})
  params.textDocument = { uri = vim.uri_from_bufnr(buf) }
  local row, column = arguments.row, arguments.column
  if arguments.method == "textDocument/formatting" then
    params.options = { tabSize = lsp.util.get_effective_tabstop(buf), insertSpaces = vim.bo[buf].expandtab }
  elseif arguments.method == "textDocument/codeAction" then
    local from = { line = row or 0, character = row and character(buf, row, column, encoding) or 0 }
    local to = { line = row or api.nvim_buf_line_count(buf), character = 0 }
    to.character = row and character(buf, row, arguments.last_column, encoding) or 0
    local known = {}
    for _, each in ipairs(vim.diagnostic.get(buf, row and { lnum = row } or nil)) do
      known[#known + 1] = (each.user_data or {}).lsp
    end
    params.range, params.context = { start = from, ["end"] = to }, { diagnostics = known, triggerKind = 1 }
  elseif row then
    params.position = { line = row, character = character(buf, row, column, encoding) }
  end
  return params
end

--- How often each open file has changed: an edit is made for the texts as they are.
---@return table<integer, integer>
local function ticks()
  local found = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if find.is_file(buf) then
      found[buf] = api.nvim_buf_get_changedtick(buf)
    end
  end
  return found
end

--- Collects the files that an edit names, wherever they stand in it: `uri`, `oldUri`, and the keys of `changes`.
---@param value any
---@param found table<string, true>
local function named_in(value, found)
  for key, item in pairs(type(value) == "table" and value or {}) do
    if type(item) == "table" then
      named_in(item, found)
    end
    for _, uri in ipairs({ key, item }) do
      if type(uri) == "string" and vim.startswith(uri, "file://") then
        found[vim.uri_to_fname(uri)] = true
      end
    end
  end
end

--- The live texts of the files that an edit names; `changed`: those that are others than when the servers were asked.
---@param before table<integer, integer>
---@param edits any
---@param path string  a file that is meant even if the edit does not name it
---@return table<string, string> live
---@return string[] changed
local function texts_since(before, edits, path)
  local live, changed, named = vim.empty_dict(), {}, { [path] = true }
  named_in(edits, named)
  for name in pairs(named) do
    local buf = find.find(name)
    if buf then
      live[name] = text.whole(text.of_buffer(buf))
      if before[buf] and before[buf] ~= api.nvim_buf_get_changedtick(buf) then
        changed[#changed + 1] = name
      end
    end
  end
  return live, changed
end

---@param arguments table
---@param buf integer
---@param clients vim.lsp.Client[]
---@param done acp.editor_tools.Done
local function ask_all(arguments, buf, clients, done)
  local able = vim.tbl_filter(function(client)
    return supports(client, arguments.method, arguments.path and buf or nil)
  end, clients)
  local answer = { servers = names(clients), results = {} }
  local left, before = #able, arguments.edits and ticks() or nil
  local function finish()
    if before then
      answer.texts, answer.changed = texts_since(before, answer.results, arguments.path)
    end
    done(answer)
  end
  if left == 0 then
    answer.missing = #clients == 0 and "server" or "method"
    return done(answer)
  end
  for i, client in ipairs(able) do
    local encoding = client.offset_encoding or "utf-16"
    local params = arguments.path and params_of(arguments, buf, encoding) or arguments.params
    local slot = { server = client.name, id = client.id, encoding = encoding }
    answer.results[i] = slot
    local function take(err, result)
      slot.result = result ~= vim.NIL and result or nil
      slot.error = err and (err.message or tostring(err)) or nil
      left = left - 1
      if left == 0 then
        finish()
      end
    end
    if not send(client, arguments.method, params, buf, take) then
      take({ message = "the server has ended" })
    end
  end
end

--- Asks all servers of a file, or of all files, that know the method.
---@param arguments { path?: string, method: string, params?: table, row?: integer, column?: integer, edits?: boolean }
---@param done acp.editor_tools.Done
function M.request(arguments, done)
  if not arguments.path then
    local clients = attached()
    local buf = clients[1] and next(clients[1].attached_buffers) or api.nvim_get_current_buf()
    return ask_all(arguments, buf, clients, done)
  end
  local buf, is_fresh = hidden_files.open(arguments.path)
  if not buf then
    return done({ missing = "file", servers = {}, results = {} })
  end
  local clients = attached(buf)
  if #clients > 0 or not is_fresh then
    return ask_all(arguments, buf, clients, done)
  end
  later.wait("LspAttach", buf, ATTACH_MS, function()
    ask_all(arguments, buf, attached(buf), done)
  end)
end

--- Completes a code action, of which servers list no more than the title.
---@param arguments { id: integer, path: string, action: table }
---@param done acp.editor_tools.Done
function M.resolve(arguments, done)
  local client, buf = lsp.get_client_by_id(arguments.id), hidden_files.open(arguments.path)
  if not client or not buf then
    return done({ error = "the language server has ended" })
  elseif not supports(client, "codeAction/resolve", buf) then
    return done({ action = arguments.action })
  end
  local sent = send(client, "codeAction/resolve", arguments.action, buf, function(err, action)
    done({ action = action ~= vim.NIL and action or arguments.action, error = err and err.message or nil })
  end)
  if not sent then
    done({ error = "the language server has ended" })
  end
end

--- Has the server run a command of its own, and collects the edits that it asks for meanwhile. Nothing is changed.
---@param arguments { id: integer, path: string, command: table }
---@param done acp.editor_tools.Done
function M.execute(arguments, done)
  local client, buf = lsp.get_client_by_id(arguments.id), hidden_files.open(arguments.path)
  if not client or not buf then
    return done({ error = "the language server has ended" })
  end
  local offered = (client.server_capabilities.executeCommandProvider or {}).commands or {}
  if not vim.list_contains(offered, arguments.command.command) then
    return done({ refused = true })
  end
  local edits, before, own = {}, ticks(), client.handlers["workspace/applyEdit"]
  client.handlers["workspace/applyEdit"] = function(_, params)
    edits[#edits + 1] = params.edit
    return { applied = true }
  end
  local function finish(err)
    client.handlers["workspace/applyEdit"] = own
    local live, changed = texts_since(before, edits, arguments.path)
    done({ edits = edits, texts = live, changed = changed, error = err and err.message or nil })
  end
  local command = { command = arguments.command.command, arguments = arguments.command.arguments }
  if not send(client, "workspace/executeCommand", command, buf, finish) then
    finish({ message = "the server has ended" })
  end
end

return M
