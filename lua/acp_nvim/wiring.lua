-- Joins the rooms where a lower one must make something of a higher one happen: the lower room offers an event, and here
-- the higher one is called. Everything that can start the backend loads this module first.
local backend = require("acp_nvim.backend.process")
local chats = require("acp_nvim.chat.buffer")
local diff_view = require("acp_nvim.question.diff_view")
local lazy = require("acp_nvim.system.lazy")
local messages = require("acp_nvim.ui.messages")
local welcome = require("acp_nvim.chat.welcome")
local winbar = require("acp_nvim.chat.winbar")
require("acp_nvim.ui.focus") -- it listens from now on

local answerable = lazy("acp_nvim.question.answerable")
local backend_lost = lazy("acp_nvim.chat.backend_lost")
local continue = lazy("acp_nvim.sessions.continue")
local files = lazy("acp_nvim.files")
local follow = lazy("acp_nvim.follow.pinned_window")
local key_names = lazy("acp_nvim.review.key_names")
local markdown = lazy("acp_nvim.chat.markdown")
local mksession = lazy("acp_nvim.windows.mksession")
local proposal = lazy("acp_nvim.proposal")
local question_bar = lazy("acp_nvim.question.bar")
local review = lazy("acp_nvim.review")

-- The backend -----------------------------------------------------------------------------------------------------------

backend.on_setup(function(payload)
  payload.review_keys = key_names.in_general()
end)

backend.on_ready(function()
  files.watch(function(payload)
    backend.notify("modified", payload)
  end)
  follow.listen(function(n, what_now)
    if what_now == "paused" then
      backend.notify("follow_paused", { session = n })
    else
      backend.notify("follow", { session = n, on = what_now == "following" })
    end
  end)
end)

backend.on_lost(function()
  files.unwatch()
  review.forget() -- only the backend knew what can be undone
end)

backend.on_questions_gone(function(n)
  answerable.update(n, {})
end)

backend.on_session_lost(function(n, why)
  backend_lost.tell(n, why)
end)

backend.on_shutdown(function()
  proposal.settle()
end)

-- The chat --------------------------------------------------------------------------------------------------------------

chats.on_create(function()
  mksession.attend()
  markdown.attach()
  answerable.attend()
end)

welcome.on_continue(function(cwd)
  local ok, message = continue.continue(cwd)
  if not ok then
    messages.show("error", message or "there is nothing to continue")
  end
end)

winbar.show_questions_with(function(n, mode, width)
  return question_bar.text(n, mode, width)
end)

-- Questions -------------------------------------------------------------------------------------------------------------

diff_view.provide({
  is_shown = function(question)
    return proposal.is_shown(question)
  end,
  why_not = function(question, option)
    return proposal.why_not(question, option)
  end,
  answer = function(question, option)
    return proposal.answer(question, option)
  end,
  offer = function(question)
    return proposal.offer(question)
  end,
  ended = function(id)
    proposal.ended(id)
  end,
})
