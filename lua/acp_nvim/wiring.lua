-- Connects events of lower rooms to functions of higher rooms, which a lower room may not require. All that can start
-- the backend loads this module first.
local backend = require("acp_nvim.backend.process")
local backend_lost = require("acp_nvim.chat.backend_lost")
local chats = require("acp_nvim.chat.buffer")
local comments = require("acp_nvim.comments")
local continue = require("acp_nvim.sessions.continue")
local decoration_provider = require("acp_nvim.chat.decoration_provider")
local diff_view = require("acp_nvim.question.diff_view")
local file_changed_prompt = require("acp_nvim.documents.file_changed_prompt")
local locked = require("acp_nvim.documents.locked")
local messages = require("acp_nvim.ui.messages")
local mksession = require("acp_nvim.windows.mksession")
local open_questions = require("acp_nvim.question.open_questions")
local plan_comments = require("acp_nvim.proposal.plan_comments")
local proposal = require("acp_nvim.proposal")
local question_bar = require("acp_nvim.question.bar")
local quit_warning = require("acp_nvim.windows.quit_warning")
local review_key_hint = require("acp_nvim.review.key_hint")
local review_keys = require("acp_nvim.review.keys")
local tab_names = require("acp_nvim.windows.tab_names")
local tracking = require("acp_nvim.documents.tracking")
local welcome = require("acp_nvim.chat.welcome")
local winbar = require("acp_nvim.chat.winbar")
require("acp_nvim.ui.focus") -- it listens from now on
require("acp_nvim.windows.away_signal")

---@param fn fun()
---@return fun()  calls `fn` the first time
local function once(fn)
  local is_done = false
  return function()
    if not is_done then
      is_done = true
      fn()
    end
  end
end

-- The backend ---------------------------------------------------------------------------------------------------------

backend.on_ready(once(function()
  review_keys.attend() -- from now on agents may change files
  review_key_hint.attend()
  quit_warning.attend()
end))

backend.on_ready(function()
  tracking.start(backend.notify)
end)

backend.on_lost(function()
  tracking.stop()
end)

locked.on_free(function(path)
  if backend.is_running() then
    backend.notify("unlocked", { path = path })
  end
end)

file_changed_prompt.on_found(function(path)
  if backend.is_running() then
    backend.notify("entered", { path = path })
  end
end)

backend.on_questions_gone(function(n)
  open_questions.update(n, {})
end)

backend.on_session_lost(backend_lost.mark_all_ended)
backend.on_session_lost(file_changed_prompt.turn_ended)
backend.on_shutdown(proposal.wait_for_sent)
backend.on_shutdown(proposal.save_edits)

-- The chat ------------------------------------------------------------------------------------------------------------

chats.on_create(once(function()
  mksession.attend()
  decoration_provider.attach()
  open_questions.attend()
  tab_names.attend()
end))

welcome.on_continue(function(cwd)
  local ok, message = continue.continue(cwd)
  if not ok then
    messages.show("error", message or "there is nothing to continue")
  end
end)

winbar.show_questions_with(question_bar.text)

-- Questions -----------------------------------------------------------------------------------------------------------

diff_view.provide(proposal)
plan_comments.provide(comments.of_plan)
comments.on_change(function(comment)
  if comment.question then
    plan_comments.changed(comment.question)
  end
end)
comments.provide_sides(proposal.side_of)
