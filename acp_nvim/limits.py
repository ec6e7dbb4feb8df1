"""What an agent, a file or a command may make us hold, look at or show: all bounds on one page, each with its reason.

What an agent sends is hostile: without a bound, one message could take all memory or keep everybody waiting. A bound is
far above what agents do. Beyond it something is cut, refused or left to the user, never the process ended.
"""

KIB, MIB = 1 << 10, 1 << 20

# The wire
LINE_BYTES = 64 * MIB  # of one message; agents send files and pictures of some megabytes
BAD_LINE_BYTES = 4 * KIB  # that are kept of a line which is too long or no message
FIRST_READ_BYTES = 64 * KIB  # of a pipe or file: most have no more, and a larger buffer costs time
READ_BYTES = 256 * KIB  # of one read, after which the loop and the editor have their turn
PIPE_BYTES = MIB  # that a process may write before we have read any
UNREAD_BYTES = 256 * MIB  # that wait for an agent which asks for much and reads nothing: it is ended
WAITING_REQUESTS = 4096  # of an agent, some kilobytes each
WAITING_REQUESTS_WEIGHT = 256 * MIB  # about the bytes that they take
EARLY_UPDATES_BYTES = 16 * MIB  # about; updates of a session that has not been answered yet
UNKNOWN_NAMES = 100  # of methods and updates that are logged
UNKNOWN_NAME_CHARS = 100  # of one of them
ERROR_CHARS = 5000  # of an agent's error, since a user reads it
ERROR_CODE = 2**31  # a larger number is no code
CAPABILITIES = 100  # of an agent, that :Acp doctor lists
VALUE_TEXT_CHARS = 4096  # of a text in what an agent tells of itself; what is cut ends in "…"
VALUE_ITEMS = 2000  # of a list or an object in it
VALUE_DEPTH = 32
VALUE_NUMBER_BITS = 4096  # of a number that is written out: the time grows with the square
VALUE_CHARS = MIB  # of one such value with all that is in it

# What is recorded
TRACE_BYTES = 16 * MIB  # of the wire, in memory: the oldest goes
TRACE_RECORD_BYTES = 200  # that each record takes in memory beside its text
WIRE_FILE_BYTES = 16 * MIB  # then it becomes `….1`
WIRE_FILES = 10  # of earlier processes
STDERR_BYTES = 256 * KIB
STDERR_LINE_BYTES = 4 * KIB
LOG_LINES = 2000
LOG_LINE_CHARS = 4096
DECISION_LOG_BYTES = MIB  # then it becomes permissions.jsonl.1
DECISIONS_WAITING = 10_000  # for a slow disk
DECISION_TEXT_CHARS = 10_000
DECISION_ITEMS = 100  # of one list
KEPT_TEXT_CHARS = 100_000  # of what a tool was given or gave, in a saved transcript
KEPT_ITEMS = 5_000
KEPT_DEPTH = 50

# Texts in one line: of a message, a list, the chat
NAME_CHARS = 200  # of a name, a title, a path or a command
TITLE_CHARS = 80  # of an agent's words about a call, behind its path or command
DETAIL_TEXTS = 100  # of one list or table that K shows as texts
REMARK_CHARS = 300  # of a description or an error
CONTENT_CHARS = 500  # of content that is named instead of shown

# Sessions
SAVED_SESSIONS = 2000  # that one agent lists
SAVED_ROOTS = 100  # further folders of one of them
LOGIN_METHODS = 50
OFFERED_ITEMS = 2000  # modes, models, options, commands: nobody looks through more
LISTED_TRANSCRIPTS = 200  # whose first lines are read for the list of sessions
SESSION_TITLE_CHARS = 1000  # it is looked at with every frame
OPEN_PLANS = 20  # of one session: of older ones the status says nothing more
PLAN_ID_CHARS = 200
TOKENS = 2**63 - 1  # of a sum, which msgpack takes to Neovim
COST = 10**12  # of a session, in any currency: a bar has no room for more digits
CURRENCY_CHARS = 8  # a code of three letters, or a word
PLAN_CHARS = 64 * KIB  # of a plan in words
PLAN_STEP_CHARS = 1000
PINNED_STEPS = 100  # of a plan that the status shows
RECENT_CALLS = 200  # of a session: an update without an id is held against them
RETRY_REASON_CHARS = 200  # why the agent asks its model again
IGNORED_FILES = 20  # of a folder that the agent does not trust, that are named
SUGGESTION_CHARS = 500  # of what the user may want to ask next

# Prompts
TURN_PROMPT_CHARS = 4 * KIB  # of a prompt that is noted with its turn
PROMPT_CHARS = 32 * MIB  # of one prompt with all that goes along
ATTACHED_TEXT_BYTES = MIB  # of a file that is embedded
ATTACHED_MEDIA_BYTES = 10 * MIB
PICTURE_FILES = 100  # of agents that K has shown, kept until the backend ends
ATTACHED_FILE_BYTES = 32 * MIB  # of a file from which some lines are taken

# Subagents
TRANSCRIPT_KEYS = 1 << 32  # of its entries, each with a key; Lua's numbers are exact up to 1 << 53
SUBAGENTS = 200  # of one session: each has a line in the chat and a transcript
SUBAGENT_LINES = 20_000  # of its conversation, that are shown at once
SESSION_MESSAGES = 2000  # between the sessions of one agent that are kept
STATE_CHARS = 40  # of a state that the standard does not know

# Tool calls
NESTED_DEPTH = 8  # of calls of subagents of subagents; deeper ones are shown as if they were not
SHOWN_STEPS = 200  # of one subagent, the last ones
STEP_CHARS = 60  # of what it does just now, at the end of its line
SHOWN_LINES = 2000  # that the chat shows of one entry; a question with more cannot be allowed
SHOWN_CHARS = 256 * KIB
CUT_QUESTION_CHARS = 16 * KIB  # shown of a question that cannot be allowed: Neovim takes long to draw more
UNFOLDED_OUTPUT_LINES = 200  # of a command, the last ones
UNFOLDED_OUTPUT_CHARS = 64 * KIB
FITTED_ENTRIES = (
    1000  # the newest of a chat, which are drawn again when it gets wider or narrower: some 30 ms
)
FRAME_LINES = 2000  # that one frame changes in a chat: the editor carries it out at once
FRAME_CHARS = 256 * KIB
FRAME_CHANGES = 200  # after which a frame goes at once: too many to read along
REPORTED_OUTPUT_CHARS = 256 * KIB  # of a terminal of the agent's own
CALL_TERMINALS = 100  # of one tool call
NAMED_FILES = 50  # of one call, that are looked at for its line
LINE_NUMBER = 2**31 - 1  # Neovim has no larger ones
REPEATED_CHARS = 512  # by which a text that is sent again is recognized
PATH_CHARS = 4096  # longer ones name no file
RAW_INPUT_VALUES = 5000  # that are looked at for commands and paths; of a larger one rules allow nothing
COMPARED_TITLE_CHARS = 1000  # when a permission is matched with a call by its words
COMPARED_TEXTS = 100  # of a raw input, with the texts of files
PATCHED_FILES = 50  # with a patch of their own in a raw input

# Questions, rules and forms
OPEN_QUESTIONS = 100  # of one session: nobody answers more, and each new one is held against the open ones
QUESTION_OPTIONS = 99  # nobody looks through more, and what is not shown cannot be chosen
OPTION_NAME_CHARS = 1000
COVERED = 20  # patterns that one option would allow from then on
QUESTION_TITLE_CHARS = 1000  # in a list of questions; the chat shows all of it
REMEMBERED_ANSWERS = 200  # that count always, of one session
COMMAND_BYTES = 4096  # of a command or a text that rules look at
QUICK_REGEX_CHARS = 200  # of a rule's expression that needs no process of its own
SCOPE_PATHS = 500  # of one call that are followed to where they lead
SCOPE_STEPS = 10_000  # of all of them: each is a look at the disk
GLOB_ALTERNATIVES, GLOB_CHARS = 100, 16 * KIB  # of one glob; where it leads is unknown if it has more
GLOBS = 100  # of one call that are read
FORM_FIELDS, FORM_CHOICES, FORM_TEXT_CHARS = 100, 1000, 64 * KIB
FORM_TITLE_CHARS, FORM_DESCRIPTION_CHARS = 500, 10_000
FORM_NOTE_CHARS = 1000  # of a pattern, a format or what describes a choice

# Files
FILE_PATH_BYTES = 4095  # no system call takes a longer path
FILE_BYTES = 64 * MIB  # of a file that is read or written for an agent: no message could carry more
COMPARED_FILE_BYTES = 16 * MIB  # of a file whose changes are shown for review
WATCHED_FILES = 4000  # of one turn, half of them such as no tool call has named
DIRTY_FILES = 2000  # that git calls changed or untracked; what they hold is read as a turn begins
DIRTY_FILE_BYTES = MIB
DIRTY_BYTES = 50 * MIB
WHOLE_FILE_BYTES = MIB  # of a file that is no text, and can be put back
COMMAND_WORDS = 200  # that are looked at for files
COMMAND_FILES = 200  # that its words name, those below folders included
COMMAND_NAME_CHARS = 200  # of a command, as a change is called after it
WATCHED_BYTES = 128 * MIB  # of their texts, which are read before the agent's next message is
GIT_LIST_BYTES = MIB  # of a list of paths
GIT_BRANCH_CHARS = 4 * KIB  # of the file that names the branch
GIT_DIFF_BYTES = 64 * MIB
TAKEN_FILES = 2000  # of one take: nobody reviews more, and each is read and merged
TAKEN_BYTES = 64 * MIB  # of both texts of all of them

# Terminals
RUNNING_COMMANDS = 100  # of one session: each has a thread, and an agent might forget all of them
TERMINAL_OUTPUT_BYTES = 16 * MIB  # kept for an agent that sets no limit, or a higher one
TERMINAL_SCREEN_BYTES = 256 * KIB  # kept for the user
ENDED_TERMINALS_BYTES = 32 * MIB  # kept of all terminals of a session that have ended
ENDED_TERMINALS = 1000  # that keep anything, the newest
ENDED_TERMINAL_BYTES = 4 * KIB  # kept of one that gives way to newer ones
TERMINAL_TITLE_CHARS = 1000
TERMINAL_FEED_BYTES = 16 * KIB  # to a terminal buffer at once: it takes a millisecond or two for them
OUTPUT_PIECE_BYTES = 8 * KIB  # up to which small reads are joined: each piece costs some dozen bytes
AGENT_TERMINALS = 1000  # of the agent's own, of one session
ESCAPE_SEQUENCE_BYTES = 4096  # of one that has no end yet

# Proposals
PROPOSED_FILES = 200  # each costs a look at the disk, and in Neovim a buffer; nobody looks at each of more
REPLACED_PLACES = 10_000  # of one text that is replaced everywhere, a hunk each
REPLACED_CHARS = 16 * MIB  # that a text may grow to by that: few bytes could make any size
PREVIEWED_FILES = 50
ASKED_TEXTS = 8  # of one file in a turn: what the user has allowed goes with each of its changes
PREVIEWED_BYTES = 4 * MIB  # of a file or its change: they are compared while the question waits
PREVIEWED_LINES = 30_000  # of both sides
PREVIEWED_LINE_CHARS = 400
PREVIEWED_ROWS = 200  # kept of a diff
PAIRED_LINES = 400  # pairs of lines of a change that are compared, to find those that are most alike

# The editor's tools
TOOL_CONNECTIONS = 16  # servers of one session: an agent starts one for each of its subagents
TOOL_SILENT_CONNECTIONS = 64  # with those that have not said who they are
TOOL_CALLS = 32  # of a session that are carried out at once; the others wait
TOOL_REQUEST_BYTES = MIB
TOOL_UNREAD_BYTES = 16 * MIB  # of answers to an agent that asks and does not read
TOOL_ARGUMENT_CHARS = 64 * KIB
TOOL_RECORDS = 500  # sessions whose entry is kept, so that a later Neovim can load them
TOOL_LINES = 1000  # of one answer; what is left out is told, with how to ask for it
TOOL_CHARS = 63 * KIB  # of 64, with the notes at the end
TOOL_LINE_CHARS = 2000
TOOL_PLACES = 100

# Texts that are compared
DIFF_LINES = 100_000  # of both sides; above them a diff says only how long they are
DIFF_PAIRS = 4_000_000  # of lines, such as 2,000 by 2,000; larger texts are aligned between anchors
ALIGNED_LINES = 2000  # of the second side, a bit for each in one number; with more the sides change places
DIFF_MODE_LINES = 5_000  # out of their place: Neovim would compare them for seconds
DIFF_MODE_LINE_CHARS = 256 * KIB  # of one line; drawing a longer one takes as long
DIFF_MODE_PAIRS = 2_500_000_000  # pairs of characters: a change of 50,000 by 50,000
REPORT_LINES = 200  # of hunks in one report to the agent
REPORT_LINE_CHARS = 400
