-- Offers the review: what agents have changed and nobody has decided on yet. All of it is known and decided in this
-- room, so that it answers at once and goes on when the backend has ended. The backend tells what changes on disk, and
-- is told what was undone.
--
--   the model      reviewed_files (all that is known of each) > reviewed_text > stack (whose lines they are), hunk_list
--                  (what waits), moments (states of `u`), snapshots (saved, deleted, undone), told (what agents know),
--                  turn_bases (lines of the user's since), standing (what has no lines)
--   comes in       attached_buffers (the user's keys), changes_in_buffers and changes_on_disk (agents), turns
--   stays          owners (sessions of earlier Neovims), remember > record, recall; turn_log, blame; commits
--   is decided     restore; decisions > undo (one file) > file_text, disk_file; outcome (the message)
--   is shown       refresh > signs, keys, key_hint; backend_reports > turn_lines (the chat), told (the agents)
local backend_reports = require("acp_nvim.review.backend_reports")
local blame = require("acp_nvim.review.blame")
local changes_on_disk = require("acp_nvim.review.changes_on_disk")
local commits = require("acp_nvim.review.commits")
local decisions = require("acp_nvim.review.decisions")
local outcome = require("acp_nvim.review.outcome")
local queries = require("acp_nvim.review.queries")
local owners = require("acp_nvim.review.owners")
local recall = require("acp_nvim.review.recall")
local refresh = require("acp_nvim.review.refresh")
local restore = require("acp_nvim.review.restore")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local turn_lines = require("acp_nvim.review.turn_lines")
local turn_log = require("acp_nvim.review.turn_log")
local turns = require("acp_nvim.review.turns")
require("acp_nvim.review.changes_in_buffers") -- it listens from now on

return {
  blame = blame.line,
  changed = changes_on_disk.changed,
  changes = queries.changes,
  committed = commits.look,
  decide = decisions.decide,
  files = queries.files,
  fit_lines = backend_reports.fit,
  flush = backend_reports.flush,
  has_ownerless = function()
    return #owners.ownerless() > 0
  end,
  hide_in_diff = refresh.hide_in_diff,
  hunk = queries.hunk,
  hunk_at_cursor = queries.hunk_at_cursor,
  is_log_cut = turn_log.is_cut,
  listen = refresh.listen,
  newest_turn = queries.newest_turn,
  load_turns = turn_log.load,
  of_buffer = reviewed_files.of_buffer,
  of_turn = queries.of_turn,
  pending = queries.pending,
  pending_by_session = refresh.pending_by_session,
  pending_files = queries.pending_files,
  recall = recall.load,
  redo = decisions.redo,
  reported = backend_reports.reported,
  restoring = restore.plan,
  rows = queries.rows,
  sessions_meant = queries.sessions_meant,
  session_of_turn = queries.session_of_turn,
  session_ended = turns.end_session,
  stands = changes_on_disk.stands,
  taken = owners.taken,
  touching = queries.touching,
  turn_begins = function(session, turn, prompt, restored)
    turns.begin(session, turn)
    turn_log.begin(session, turn, prompt, restored)
  end,
  turn_ended = turn_log.ended,
  turn_files = turn_lines.files,
  turn_over = function(session, turn, moved)
    outcome.note_moved(session, turn, moved)
    turn_log.over(session, turn, queries.sizes_of(session, turn))
    turns.all_known(session, turn)
    backend_reports.turn_over(session, turn)
  end,
  turn_of = turn_log.find,
  turn_size = turn_lines.size,
  turns_of = queries.turns_of,
  turns = queries.logged_turns,
  turns_so_far = queries.turns_so_far,
  undo_turn = decisions.undo_turn,
  wait_for_disk = turns.wait_for_disk,
  when_known = turns.when_known,
}
