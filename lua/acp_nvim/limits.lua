-- What an agent, a file or a command may make the editor hold, look at or draw: the bounds on one page, each with its
-- reason. What an agent sends is hostile: without a bound one message could keep Neovim busy. Beyond a bound something
-- is cut, left plain or refused. The backend has its own page, acp_nvim/limits.py.
local shared_constants = require("acp_nvim.shared_constants")

local KIB, MIB = 1024, 1024 * 1024

return {
  -- The chat: what is drawn costs with every redraw
  CHAT_LINE_BYTES = 64 * KIB, -- of the last line; Neovim measures all of a line that wraps, again for every piece
  MARKDOWN_BYTES = 512 * KIB, -- in the lines of a window: one line may hold megabytes
  MARKDOWN_LINE_BYTES = 4000, -- of a longer line the colours cost more than they tell
  MARKDOWN_LINES = 1000, -- that are read and kept, for the next time that they are drawn
  TABLE_ROWS = 100, -- of a table that is drawn: all of its cells are measured
  TABLE_BYTES = 16 * KIB, -- the same
  FENCE_ROWS = 200, -- below a window, in which the end of a code block is looked for
  INDEXED_LINES = 1000, -- that are read at once to find the code blocks of a chat
  CODE_BYTES = 32 * KIB, -- of a code block that is highlighted
  SYNTAX_LINES = 400, -- of one that is highlighted by a syntax file, which is slow
  SYNTAX_COLUMNS = 200, -- the same
  CODE_BLOCKS = 200, -- whose colours are kept
  BAR_TEXT_CHARS = 120, -- of one segment of a bar
  MESSAGE_CHARS = 1000, -- of a text that becomes a one-line message
  LOG_LINES = 2000, -- of `:Acp log`
  STDERR_LINE_BYTES = 64 * KIB, -- of what the backend says: a line that never ends must not fill the memory
  SCROLLBACK_LINES = 10000, -- of a terminal's buffer

  -- Questions
  QUESTION_ROWS = 5000, -- of a question in the chat; the backend sends fewer
  OPTION_CHARS = 100, -- of an option's name: the bar is made with every redraw, of up to 99 long names

  -- Comparing and merging texts: nobody can interrupt it
  DIFF_LINES = 20000, -- of both sides, which Neovim compares at once: in 40 ms, whatever they hold
  DIFF_WINDOWS = 10, -- of so many lines in larger texts
  DIFF_EDITS = 10000, -- each may become a hunk with marks of its own; more are one

  -- Edits in a user's buffer
  EDITS = 2000, -- more are one: Neovim takes a second for a hundred thousand of them
  PAIRED_LINES = 1000, -- of one block, within which the user's marks stay with their lines
  WORDS_LINE_BYTES = 2000, -- of a line, within which marks and cursors between two changed words stay

  -- Review
  REVIEWED_FILE_BYTES = shared_constants.COMPARED_FILE_BYTES, -- of a file on disk that comes into review
  REVIEWED_TEXT_BYTES = MIB, -- of a text that the backend is told
  WHOLE_FILE_BYTES = shared_constants.WHOLE_FILE_BYTES, -- of a file that is no text, and can be put back
  WHOLE_BYTES = 50 * MIB, -- of all of them
  EDITS_AT_ONCE = 32, -- of a buffer; after more of them both texts are compared instead
  DECIDED_CHANGES = 1000, -- that are shown after their decision
  UNDONE_TURNS = 20, -- that `:Acp redo` brings back, one after the other
  TURNS_OF_FILE = 20, -- of which it is known what they have written, if nothing of them waits
  UNDO_STATES = 500, -- of which it is known which changes were pending
  UNDO_STATES_CHANGES = 500000, -- in all of them
  HUNKS_AT_ONCE = 50, -- that are drawn in one go
  REMOVED_LINES = 100, -- of a hunk that are shown
  COLOURED_HUNKS = 300, -- of a file: in one with more of them removed lines have no colours of their language
  REMOVED_LINE_BYTES = 1000, -- of each of them
  LOST_LINES = 200, -- of one file that the agent is told
  QUICKFIX_LINE_CELLS = 200,
  RECORD_BYTES = 64 * MIB, -- of one record of a project that is read
  LOGGED_TURNS = 100, -- of a project, whose prompts and files are kept
  TURN_SECONDS = 30 * 24 * 60 * 60, -- after which they are not kept any longer
  DECIDED_RECORDS_BYTES = 20 * MIB, -- of a project: records of files in which nothing waits, as long as turns are kept
  RECORDED_TEXT_BYTES = MIB, -- of a text in review that is kept on the disk, too

  -- Comments
  COMMENTED_LINES = 1000, -- of one comment
  COMMENTED_BYTES = 64 * KIB, -- of these lines, which are kept so that they can be found again
  DONE_COMMENTS = 200, -- of a project that are kept
  COMMENT_MOVED_LINES = 100000, -- from its old place, beyond which its lines are not looked for
  COMMENT_BYTES = 16 * KIB, -- of its text
  COMMENT_LINES_SENT = 100, -- of one comment, or of its hunk; beyond these only their number is told

  -- Proposals
  REPLACED_PLACES = shared_constants.REPLACED_PLACES, -- of a text that is replaced everywhere
  REPLACED_BYTES = shared_constants.REPLACED_CHARS, -- that a text may grow to by that
  UNSAVED_LINES_MARKED = 1000, -- each is a mark that is drawn
  SIDE_HISTORY_LINES = 2000000, -- of all states of a right side to which `u` goes back; 16 bytes each
  DIFF_SYNTAX_LINES = 2000, -- of a side; highlighting more of them comes behind the diff

  -- Saves
  FOLDED_LINES = 10000, -- of a window, in which closed folds are looked for: some 10 ms

  -- Files that an agent or a text names
  FOLLOWED_FILE_BYTES = 5 * MIB, -- of a file that is loaded to be shown: loading a larger one is felt
  FILE_HEAD_BYTES = KIB, -- in which a file that is no text shows it
  FILE_BYTES = shared_constants.FILE_BYTES, -- of a file whose text on disk a buffer builds on
  AGENT_FILE_BYTES = MIB, -- of another editor's file that names agents
  PICTURE_BYTES = shared_constants.ATTACHED_MEDIA_BYTES, -- what the services behind the agents take
  VERSION_CHARS = 60, -- of what a program says of its version
  NPM_FOLDER_SECONDS = 24 * 60 * 60, -- after which npm is asked once more for its global folder

  TURN_FILES = 100, -- of a turn that its line in the chat lists when it is unfolded

  -- Prompts
  PROMPT_BYTES = MIB, -- of its text
  ATTACHED_BYTES = shared_constants.ATTACHED_TEXT_BYTES, -- of a file's lines, a diff or a list that goes along
  ATTACHED_FILES = 50, -- of one `:Acp add`
  LISTED_DIAGNOSTICS = 500, -- that go along, or entries of a quickfix list
  TERMINAL_LINES_ATTACHED = 500, -- at the end of a terminal's output
  CHIPS = 200, -- of one session that still mean something
  MENTIONS_TRIED = 200, -- in one text: a pasted log may be full of them
  MENTION_CHARS = 1000, -- of what follows an `@`
  MENTION_WORDS = 6, -- of a name with blanks that nobody has escaped
  HISTORY_PROMPTS = 500, -- of one project
  HISTORY_BYTES = MIB, -- of its file, which is then written again with what is kept
  HISTORY_PROMPT_BYTES = 64 * KIB, -- a longer prompt is remembered and not written
  SAVED_EDITS_SECONDS = 30 * 24 * 60 * 60, -- edits of a proposal that no other one has asked for
  SAVED_EDITS_BYTES = 16 * MIB, -- of both texts of a file, which are read as its proposal opens

  -- Completion: it must never wait
  CANDIDATES = 100,
  CANDIDATE_BUFFERS = 20,
  FUZZY_PATHS = 3000, -- of a project, where nothing holds the letters side by side
  FOLDER_ENTRIES = 1000, -- of one folder that are read
  FOLDER_DEPTH = 12, -- of folders in folders
  PROJECT_FILES = 200000, -- that git lists
  PROJECT_FILES_BYTES = 32 * MIB, -- of what git says
  PROJECT_FILES_WALKED = 20000, -- where there is no git
}
