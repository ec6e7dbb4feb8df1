"""What an agent, a file or a command may make us hold, look at or show: all bounds on one page, each with its reason.

What an agent sends is hostile: without a bound, one message could take all memory or keep everybody waiting. A bound is
far above what agents do. Beyond it something is cut, refused or left to the user, never the process ended.
"""

KIB, MIB = 1 << 10, 1 << 20

# The wire
LINE_BYTES = 64 * MIB  # of one message; agents send files and pictures of some megabytes
UNREAD_BYTES = 256 * MIB  # that wait for an agent which asks for much and reads nothing: it is ended
WAITING_REQUESTS = 4096  # of an agent, some kilobytes each
WAITING_REQUESTS_WEIGHT = 256 * MIB  # about the bytes that they take
EARLY_UPDATES_BYTES = 16 * MIB  # about; updates of a session that has not been answered yet
UNKNOWN_NAMES = 100  # of methods and updates that are logged
VALUE_TEXT_CHARS = 4096  # of a text in what an agent tells of itself; what is cut ends in "…"
VALUE_ITEMS = 2000  # of a list or an object in it
VALUE_DEPTH = 32
VALUE_CHARS = MIB  # of one such value with all that is in it

# What is recorded
TRACE_BYTES = 16 * MIB  # of the wire, in memory: the oldest goes
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

# Sessions
SAVED_SESSIONS = 2000  # that one agent lists
LOGIN_METHODS = 50
OFFERED_ITEMS = 2000  # modes, models, options, commands: nobody looks through more
SESSION_TITLE_CHARS = 1000  # it is looked at with every frame
PLAN_CHARS = 64 * KIB  # of a plan in words

# Prompts
PROMPT_CHARS = 32 * MIB  # of one prompt with all that goes along
ATTACHED_TEXT_BYTES = MIB  # of a file that is embedded
ATTACHED_MEDIA_BYTES = 10 * MIB
ATTACHED_FILE_BYTES = 32 * MIB  # of a file from which some lines are taken

# Tool calls
SHOWN_LINES = 2000  # that the chat shows of one entry; a question with more cannot be allowed
SHOWN_CHARS = 256 * KIB
REPORTED_OUTPUT_CHARS = 256 * KIB  # of a terminal of the agent's own
CALL_TERMINALS = 100  # of one tool call
PATH_CHARS = 4096  # longer ones name no file
RAW_INPUT_VALUES = 5000  # that are looked at for commands and paths; of a larger one rules allow nothing
COMPARED_TITLE_CHARS = 1000  # when a permission is matched with a call by its words
COMPARED_TEXTS = 100  # of a raw input, with the texts of files
PATCHED_FILES = 50  # with a patch of their own in a raw input

# Questions, rules and forms
OPEN_QUESTIONS = 100  # of one session: nobody answers more, and each new one is held against the open ones
QUESTION_OPTIONS = 99  # nobody looks through more, and what is not shown cannot be chosen
OPTION_NAME_CHARS = 1000
QUESTION_TITLE_CHARS = 1000  # in a list of questions; the chat shows all of it
REMEMBERED_ANSWERS = 200  # that count always, of one session
COMMAND_BYTES = 4096  # of a command or a text that rules look at
SCOPE_PATHS = 500  # of one call that are followed to where they lead
SCOPE_STEPS = 10_000  # of all of them: each is a look at the disk
FORM_FIELDS, FORM_CHOICES, FORM_TEXT_CHARS = 100, 1000, 64 * KIB

# Terminals
RUNNING_COMMANDS = 100  # of one session: each has a thread, and an agent might forget all of them
TERMINAL_OUTPUT_BYTES = 16 * MIB  # kept for an agent that sets no limit, or a higher one
TERMINAL_SCREEN_BYTES = 256 * KIB  # kept for the user
ENDED_TERMINALS_BYTES = 32 * MIB  # kept of all terminals of a session that have ended
AGENT_TERMINALS = 1000  # of the agent's own, of one session
ESCAPE_SEQUENCE_BYTES = 4096  # of one that has no end yet

# Proposals
PROPOSED_FILES = 200  # each costs a look at the disk, and in Neovim a buffer; nobody looks at each of more
PREVIEWED_FILES = 50
PREVIEWED_BYTES = (
    4 * MIB
)  # of a file, or characters of its change, that are compared while the question waits
PREVIEWED_LINES = 30_000  # of both sides
PREVIEWED_LINE_CHARS = 400

# Texts that are compared
DIFF_LINES = 100_000  # of both sides; above them a diff says only how long they are
DIFF_PAIRS = (
    4_000_000  # of lines, up to which two texts are aligned: 2,000 by 2,000; above them between anchors
)
DIFF_MODE_LINES = 5_000  # out of their place: Neovim would compare them for seconds
DIFF_MODE_LINE_CHARS = 256 * KIB  # of one line; drawing a longer one takes as long
DIFF_MODE_PAIRS = 2_500_000_000  # pairs of characters: a change of 50,000 by 50,000
