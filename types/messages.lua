-- The messages between the halves, as types. Made by tests/tools/messages.py from acp_nvim/messages: edit those.
---@meta

-- From Lua to Python: the payload of each command.

---@class acp.message.OfSession
---@field session integer

---@class acp.message.OfQuestion
---@field question integer

--- The first message, and again when setup() is called later.
---@class acp.message.Setup
---@field config any  agent.settings.Settings
---@field leaders? string  the file that names the processes to be ended should the backend die
---@field log? string  the folder for log files
---@field state? string  the folder for what is kept; none: nothing is
---@field run? string  the folder for sockets
---@field next_question? integer  the first number that no earlier backend has given to a question

--- Look at one agent, without a session.
---@class acp.message.Doctor
---@field agent string
---@field ticket integer
---@field seconds? number

--- Show the log of the backend.
---@class acp.message.Log

--- Fold or unfold an entry; without `open` whichever it is not.
---@class acp.message.Toggle: acp.message.OfSession
---@field key integer
---@field open? boolean
---@field run? "line"|"calls"  the run that the entry belongs to, or that with its calls

--- Fold or unfold all entries.
---@class acp.message.ToggleAll: acp.message.OfSession
---@field open boolean

--- The size of a chat's window.
---@class acp.message.Fit: acp.message.OfSession
---@field rows integer
---@field columns integer

--- Show all of an entry in a float.
---@class acp.message.Details: acp.message.OfSession
---@field key integer

--- The chat's lines are not what they should be: send them again.
---@class acp.message.Render: acp.message.OfSession

--- The pending change in whose lines a comment stands.
---@class acp.message.CommentedHunk
---@field old string[]
---@field new string[]
---@field more? integer  lines beyond those

--- A comment of the user's, with the lines that it is about.
---@class acp.message.Comment
---@field id integer
---@field path string  resolved
---@field side "live"|"old"|"proposed"  old: in the text before the pending changes
---@field first integer
---@field last integer
---@field lines string[]
---@field more? integer  lines beyond those
---@field text string
---@field moved? boolean  its lines are gone: it stands at the nearest line
---@field hunk? acp.message.CommentedHunk

--- Send comments as one message: into the running turn where the agent takes that, else as a prompt.
---@class acp.message.SendComments: acp.message.OfSession
---@field comments acp.message.Comment[]
---@field seq integer  the editor's number of the prompt
---@field files? string[]  those in the editor's buffers and in review: read before the turn

--- The comments on a question's proposal, which go to the agent with the answer; they replace those told before.
---@class acp.message.CommentsOn: acp.message.OfQuestion
---@field comments acp.message.Comment[]

--- A loaded buffer has unsaved changes now, or none any more.
---@class acp.message.Modified
---@field path string
---@field modified boolean

--- A buffer has been read from this file.
---@class acp.message.Opened
---@field path string  resolved

--- The user looks at a file which is not what its buffer has been read from.
---@class acp.message.Entered
---@field path string  resolved

--- The user has written this file, from whatever buffer.
---@class acp.message.Saved
---@field path string  resolved
---@field stamp integer[]  of the file as it was written

--- The user has finished what kept a loaded file from being changed.
---@class acp.message.Unlocked
---@field path string

--- The answer to what was asked of a language server, by its ticket.
---@class acp.message.EditorAnswered
---@field ticket integer
---@field answer table<string, any>

--- Log in; without a method by the configured one, or the one that the user chooses.
---@class acp.message.Login: acp.message.OfSession
---@field method? string

--- The login's program in the terminal has ended well.
---@class acp.message.LoginDone: acp.message.OfSession

---@class acp.message.Logout: acp.message.OfSession

--- A prompt that has waited while there was no backend.
---@class acp.message.Waiting
---@field seq? integer
---@field text string
---@field context? table<string, any>[]

--- Send a prompt, or queue it.
---@class acp.message.Prompt: acp.message.OfSession
---@field text string
---@field context? table<string, any>[]
---@field seq? integer  the editor's number of it
---@field first? boolean  cancel the turn for it
---@field next? boolean  ahead of the queue
---@field steer? boolean  into the running turn, where its agent takes that
---@field files? string[]  those in the editor's buffers and in review: read before the turn

--- End the turn; `clear` empties the queue.
---@class acp.message.Cancel: acp.message.OfSession
---@field clear? boolean

--- Show the queue as a buffer.
---@class acp.message.QueueOpen: acp.message.OfSession

--- A prompt of the queue as the user has left it.
---@class acp.message.EditedPrompt
---@field seq integer
---@field text string
---@field edited? boolean  the user has changed or added it

--- The user has edited the queue: the numbers of the prompts that it showed, and what it shall be.
---@class acp.message.QueueSet: acp.message.OfSession
---@field items acp.message.EditedPrompt[]
---@field shown integer[]

--- Put a queued prompt into the running turn.
---@class acp.message.QueueSteer: acp.message.OfSession
---@field seq integer

--- Send what was held.
---@class acp.message.QueueRelease: acp.message.OfSession

--- Put a sent prompt back into the prompt's buffer.
---@class acp.message.Recall: acp.message.OfSession
---@field key integer

--- Show the diff of a tool call in the chat.
---@class acp.message.DiffEntry: acp.message.OfSession
---@field key integer
---@field focus? boolean

--- Show the diff of a question.
---@class acp.message.Diff: acp.message.OfQuestion
---@field focus? boolean
---@field auto? boolean  nobody has asked for it: say nothing if there is none
---@field refuse? boolean  the user refuses the next of its files, unseen

--- What the user has made of the right side of one file; no text: there is no file, or shall be none.
---@class acp.message.FileAnswer
---@field left? string  the live text that the decision is about
---@field right? string  that with all of the proposal
---@field decided? string  what the user wants instead
---@field mine? string  `left` with what the user has typed; none: nothing of it is the user's
---@field saved? string  `decided` without unsaved lines; none: the two overlap
---@field written? string  what the agent makes of the disk as it is; none: that is not known
---@field takes_unsaved? boolean  unsaved lines make something else of what the agent writes

--- The user has edited right sides of a proposal, which is not sent yet. Other files are as they were proposed.
---@class acp.message.Edited: acp.message.OfQuestion
---@field version? integer
---@field files? table<string, "edited"|"refused">

--- The right sides of a proposal are what the user wants. Of a file that is not named all is taken.
---@class acp.message.Decide: acp.message.OfQuestion
---@field version? integer
---@field option? string  which one the user took to allow it
---@field files? table<string, acp.message.FileAnswer>  by path

--- What the user says about lines of a plan, as they are numbered in the plan that is sent.
---@class acp.message.LineComment
---@field id integer
---@field first integer
---@field last integer
---@field text string

--- What the user has made of a plan: with a text of their own or comments it is refused, and they are sent.
---@class acp.message.DecidePlan: acp.message.OfQuestion
---@field version? integer
---@field text? string  none: as the agent has proposed it; empty: no such plan
---@field comments? acp.message.LineComment[]

--- The user's own merge of a conflict.
---@class acp.message.Merged: acp.message.OfQuestion
---@field version? integer
---@field text string
---@field mine? string  the left side with what the user has typed

--- Answer a question by one of its options; without one it is cancelled.
---@class acp.message.Answer: acp.message.OfQuestion
---@field option? string
---@field version? integer  of the question, as it was shown
---@field content? any  words, or what a form holds, which checks it

--- Show the rule that would allow the call, or `set` it for the session and answer the question by it.
---@class acp.message.Allow: acp.message.OfQuestion
---@field version? integer
---@field set? boolean

--- A field of a form, as it was typed.
---@class acp.message.FormField
---@field text? string
---@field chosen? integer[]  the numbers of its choices, from 1

--- A form's buffer was written.
---@class acp.message.FormSend: acp.message.OfQuestion
---@field fields table<string, acp.message.FormField>

--- Take back what was allowed or rejected for good: the items that are named, or all.
---@class acp.message.Forget: acp.message.OfSession
---@field items? integer[]

--- Tell what decided a tool call: the one under that key, else the last that was decided.
---@class acp.message.Why: acp.message.OfSession
---@field key? integer

--- A file that a turn has changed. All counts are 0 where nobody knows what it held before.
---@class acp.message.TurnFile
---@field path string  as it was named
---@field plus integer  lines that wait for a decision
---@field minus integer
---@field kept integer  changes
---@field undone integer
---@field note? string  what waits and has no lines

--- The line below a turn that has changed files, and the files below it when it is unfolded.
---@class acp.message.TurnNote
---@field session integer
---@field turn integer
---@field text string
---@field files? acp.message.TurnFile[]
---@field more? integer  files beside those

--- What the user has made of an agent's lines in one file.
---@class acp.message.LostLines
---@field path string  as it was named
---@field undone integer
---@field changed integer
---@field lines string[]  a unified diff, or the beginning of one
---@field more integer  lines that it has beyond those
---@field removed? boolean  the file, which the agent has created
---@field restored? boolean  the file, which the agent has deleted
---@field gone? boolean  the file, whoever has deleted it since

--- What an agent's next prompt has to begin with; it replaces the last one.
---@class acp.message.ReviewReport
---@field session integer
---@field files acp.message.LostLines[]

--- The user has decided on changes of agents, or has edited them.
---@class acp.message.Reviewed
---@field notes? acp.message.TurnNote[]
---@field reports? acp.message.ReviewReport[]
---@field undone? string[]  files that an undo has written, resolved
---@field unsaved? table<string, string>  with a prompt: the files in review that differ from the disk, resolved

--- A file as it is, and as it was when a turn began; None: there is no file.
---@class acp.message.RestoredFile
---@field path string  as it was named
---@field before? string
---@field after? string

--- Ask whether the files shall be as they were when a turn began, and write them so, as a turn of the session.
---@class acp.message.Restore: acp.message.OfSession
---@field turn integer
---@field prompt string  of that turn
---@field note string  what stays, and what cannot be put back
---@field files acp.message.RestoredFile[]
---@field others integer[]  sessions whose turns go as well
---@field project integer[]  sessions that may change the same files

--- The list of saved sessions is open: ask the agents that run, or start the one named if none runs.
---@class acp.message.List
---@field agent? string
---@field cwd string
---@field refresh? boolean
---@field more? boolean

--- The list is closed.
---@class acp.message.ListEnd

--- What each way to open a session that an agent has saved has in common.
---@class acp.message.OpenSaved: acp.message.Begin
---@field id string

--- Open a saved session, with what was said.
---@class acp.message.Load: acp.message.OpenSaved

--- Open a saved session, without what was said.
---@class acp.message.Resume: acp.message.OpenSaved

--- Load a saved session where its agent can, else resume it.
---@class acp.message.Reopen: acp.message.OpenSaved

--- Begin a session that remembers what was said in another: all of it, or up to an entry of the chat `of`, or what
--- was said before one of its turns.
---@class acp.message.Fork: acp.message.OpenSaved
---@field of? integer
---@field key? integer
---@field turn? integer

--- Have the agent delete a session.
---@class acp.message.Delete
---@field id string
---@field agent? string

---@class acp.message.SetMode: acp.message.OfSession
---@field id string

---@class acp.message.SetModel: acp.message.OfSession
---@field id string

---@class acp.message.SetOption: acp.message.OfSession
---@field id string
---@field value string|boolean

--- What each way to begin a session has in common.
---@class acp.message.Begin: acp.message.OfSession
---@field agent string
---@field cwd string
---@field roots? string[]
---@field turns? integer  that it had in earlier lives: it goes on counting

--- Begin a session. With an id it is one of an earlier backend: loaded if its agent can, else begun again.
---@class acp.message.New: acp.message.Begin
---@field id? string
---@field transcript? string
---@field title? string
---@field name? string
---@field about? string
---@field queue? acp.message.Waiting[]

--- Take what somebody else has changed into review: a session without an agent holds it.
---@class acp.message.Take: acp.message.Begin
---@field source string  a branch, a commit, a range, a patch file or a worktree

--- Start the agent of a failed session again, and send the prompt that had no answer.
---@class acp.message.Retry: acp.message.OfSession

--- End the agent's process.
---@class acp.message.Stop: acp.message.OfSession

--- End the agent's process, if it runs, and start it again with its sessions.
---@class acp.message.Restart: acp.message.OfSession

--- The session leaves the list.
---@class acp.message.Close: acp.message.OfSession

--- Give the session a title of the user's.
---@class acp.message.Rename: acp.message.OfSession
---@field title string

--- What commands on a subagent of a session have in common.
---@class acp.message.OfSubagent: acp.message.OfSession
---@field id string

--- Show what a subagent has been told, has done and said.
---@class acp.message.OpenSubagent: acp.message.OfSubagent

--- Cancel what a subagent does, if its agent lets the user.
---@class acp.message.CancelSubagent: acp.message.OfSubagent

--- Show the wire of the session's agent, record it or not, or save it to a file.
---@class acp.message.Trace: acp.message.OfSession
---@field mode? "on"|"off"|"save"
---@field file? string  to save it to
---@field force? boolean  over a file that is there

--- A buffer shows a terminal: send its output there.
---@class acp.message.TerminalWatch: acp.message.OfSession
---@field id string
---@field buffer integer

---@class acp.message.TerminalKill: acp.message.OfSession
---@field id string

--- Show a conversation that is over; without a file the latest of the folder.
---@class acp.message.Replay: acp.message.Begin
---@field file? string

--- Write the conversation to a file, as Markdown.
---@class acp.message.Export: acp.message.OfSession
---@field file string
---@field force? boolean

--- Which conversation of a folder could go on?
---@class acp.message.Earlier
---@field cwd string

--- How do the kept conversations begin? The list of sessions tells those with equal titles apart by it.
---@class acp.message.FirstWords

--- Show the last answer of a session below its question: of one that lives here, else of one that an agent has
--- saved.
---@class acp.message.ShowLastAnswer
---@field agent string
---@field session? integer
---@field id? string  the agent's

-- From Python to Lua: what functions of backend_calls.lua are given.

--- What a look at an agent has found; `error`: why there is nothing more.
---@class acp.message.DoctorReport
---@field agent? string
---@field error? string
---@field ms? integer  from the start of its process to its answer
---@field version? string
---@field title? string
---@field protocol? integer
---@field capabilities? string[]
---@field logins? acp.message.LoginMethod[]
---@field deviations? string[]
---@field stderr? string[]
---@field slow_end? boolean  it had to be killed

--- Lines, counted from 0, that are highlighted as those of a file with this name.
---@class acp.message.FloatRegion
---@field first integer
---@field last integer
---@field name string

--- A picture below a line, counted from 0.
---@class acp.message.FloatPicture
---@field row integer
---@field path string

---@class acp.message.Icon
---@field text string
---@field hl string

--- What the lines are from this row to the next mark.
---@class acp.message.Mark
---@field row integer
---@field kind string
---@field key? integer|string  the transcript's entry; of an option: its question
---@field by? "user"  whose words they are, if they are not the agent's
---@field at? integer  of a heading: when the prompt was sent, in seconds since 1970
---@field took? string  of a heading: the duration of the turn, once it has ended
---@field turn? integer  of "changes": what this turn has changed in files
---@field options? [integer, integer, integer][]  columns of each option in the line, and its number
---@field inline? [integer, string, string][]  signs within the line: column, text, group
---@field icon? acp.message.Icon  stands before the line
---@field open? boolean  a tool call or a compaction that has not ended, or a question that waits
---@field running? boolean  a tool at work: its icon turns
---@field eol? [string, string][]
---@field beside? integer  the column before which that stands where it does not fit behind the line
---@field after? integer  the column where that stands if it fits; the end of the line if it is not given
---@field spans? [integer, integer, string][]
---@field line_hl? string
---@field code? [integer, integer, string]  of a diff's line: from, to, the name of the file

--- For whom a buffer is changed.
---@class acp.message.DocumentBy
---@field kind "agent"|"unknown"|"one of two"
---@field session integer
---@field turn integer
---@field call? acp.message.CallName
---@field other? acp.message.OtherTurn
---@field mode? integer  of the file before
---@field made? string[]  folders above it that the turn has made
---@field given? string  the path as it was named
---@field was_there? boolean
---@field was_final? boolean
---@field was_dos? boolean
---@field is_final? boolean
---@field asked? acp.message.AskedTexts[]

--- What a file held when the backend last looked.
---@class acp.message.KnownText
---@field text? string  without it: what it held before, and the stamp is that of the file
---@field stamp? integer[]
---@field asked? integer[]  the file that an open question is about
---@field others? boolean  no call of an agent can have changed it since

--- What the disk holds if the agent has written its proposal by itself, before the user's decision is written.
---@class acp.message.ProposedText
---@field texts string[]
---@field right string  what the decision builds on where the buffer has taken that up

---@class acp.message.WriteRequest
---@field path string  resolved
---@field base? string  what the agent believes, or what the user's decision is about
---@field proposed? acp.message.ProposedText
---@field base_bytes? string  or the bytes that it builds on; neither: nobody knows
---@field text string
---@field by acp.message.DocumentBy
---@field autocmds boolean
---@field known? acp.message.KnownText
---@field settled? integer[]  how the file looked that the user was asked about
---@field typed? acp.message.TypedLines

--- What the user wants to have in the place of the buffer and of the disk.
---@class acp.message.SettledText
---@field live string
---@field text string
---@field disk integer[]

---@class acp.message.SyncRequest
---@field path string  resolved
---@field by? acp.message.DocumentBy  without it: another program
---@field known? acp.message.KnownText
---@field settled? acp.message.SettledText
---@field echoes? string[]  what a write through us may have made of the disk as well
---@field waits? boolean  a file that is empty now may be about to be written
---@field typed? acp.message.TypedLines

---@class acp.message.LoginMethod
---@field id string
---@field name string
---@field text string

---@class acp.message.LoginProgram
---@field argv string[]
---@field env table<string, string>
---@field cwd string
---@field label string

---@class acp.message.QueuedPrompt
---@field seq integer  its number
---@field text string
---@field attached string[]  what goes along with it, in words

--- A part of a file as the agent has sent it.
---@class acp.message.Fragment
---@field old string
---@field new string
---@field everywhere boolean  each place is meant, else it has to have exactly one

--- A file as the agent wants it; the editor builds both sides from the live text.
---@class acp.message.ProposedFile
---@field path string
---@field name string
---@field shown string  its path, as the session's folder sees it
---@field disk? string
---@field base? string  what the agent has built on, where that is not what is on disk
---@field new? string
---@field changes acp.message.Fragment[]  where the whole file is not known
---@field problem? string
---@field outside boolean
---@field plain boolean  too much to be compared

---@class acp.message.BegunMerge
---@field right string
---@field text string

--- Both sides of a file, as they are.
---@class acp.message.FileSides
---@field path string
---@field name string
---@field shown string
---@field left? string
---@field right? string
---@field plain boolean
---@field begun? acp.message.BegunMerge  what the user had made of an earlier right side

---@class acp.message.BuiltSides
---@field left? string
---@field right? string
---@field problem? string  why it is not the whole file, or not exact
---@field fits boolean

---@class acp.message.ProposalView
---@field kind "proposal"
---@field question integer
---@field session integer
---@field version integer
---@field through boolean
---@field files acp.message.ProposedFile[]
---@field focus boolean
---@field auto boolean
---@field renews boolean  only if the editor has it already
---@field refuse boolean  the next file is refused; no window opens

---@class acp.message.MergeView
---@field kind "merge"
---@field question integer
---@field session integer
---@field version integer
---@field stays boolean
---@field files acp.message.FileSides[]
---@field focus boolean
---@field renews boolean

--- A plan that the user is to agree to: one file, with a right side alone.
---@class acp.message.PlanView
---@field kind "plan"
---@field question integer
---@field session integer
---@field version integer
---@field files acp.message.FileSides[]
---@field focus boolean
---@field auto boolean
---@field renews boolean
---@field refuse boolean

---@class acp.message.CompareView
---@field kind "view"
---@field session integer
---@field files acp.message.FileSides[]
---@field focus boolean

---@class acp.message.AnswerOption
---@field id string
---@field name string
---@field kind string
---@field covers? string[]
---@field description? string

---@class acp.message.FormChoice
---@field value string
---@field title string
---@field description string

--- A field of a form, as it is shown.
---@class acp.message.FormFieldShape
---@field name string
---@field title string
---@field type string
---@field required boolean
---@field default? any
---@field description string
---@field choices acp.message.FormChoice[]
---@field custom boolean
---@field format? string
---@field pattern? string
---@field least? number  of its value, its length, or of how many are chosen
---@field most? number

---@class acp.message.OpenQuestion
---@field id integer
---@field session integer
---@field kind "permission"|"elicitation"|"ask"|"conflict"|"outside"|"restore"
---@field title string
---@field fields acp.message.FormFieldShape[]
---@field tool_call_id? string
---@field options acp.message.AnswerOption[]
---@field path? string
---@field has_diff boolean
---@field plan boolean  its diff is a plan
---@field files string[]  paths of its diff, where there are several
---@field more boolean  the call does more than its diff shows
---@field cut boolean  the chat cannot show it whole
---@field version integer
---@field key? integer  its entry in the chat
---@field asked_by? string  the name of the subagent that asks

---@class acp.message.CallName
---@field id string
---@field title string  of a command: as it was typed

---@class acp.message.OtherTurn
---@field session integer
---@field turn integer

--- What the user has typed where an agent's change was shown, so that it is no part of that change.
---@class acp.message.TypedLines
---@field left string  the text that was shown on the left
---@field mine string  the same with what the user has typed

--- What a question has shown, and the user has allowed: nobody has to decide on it again.
---@class acp.message.AskedTexts
---@field left string  the text that it was shown over, with what the user has typed
---@field decided string
---@field option string  the name of the user's answer
---@field call acp.message.CallName  the one that was asked about

--- Who has made a change.
---@class acp.message.ChangedBy
---@field session integer
---@field turn integer
---@field by "agent"|"unknown"|"one of two"
---@field call? acp.message.CallName  the command that has made the change
---@field other? acp.message.OtherTurn  of "one of two": it may as well have been this one

--- What an agent has changed on the disk.
---@class acp.message.DiskChange
---@field session integer
---@field turn integer
---@field by "agent"|"unknown"|"one of two"
---@field call? acp.message.CallName
---@field other? acp.message.OtherTurn
---@field given string  the path as it was named
---@field known boolean  somebody has seen what the file held before
---@field before? string  None: there was no file, or its text is unknown
---@field after? string  None: there is no file now
---@field deleted boolean
---@field link? string  of a deleted file: where the link leads that stands in its place
---@field bom boolean  it began with a byte order mark before
---@field encoding "utf-8"|"latin1"  of the text before
---@field mode? integer  before
---@field folders [string, integer][]  above a deleted file, and their modes
---@field made string[]  folders above it that the turn has made
---@field typed? acp.message.TypedLines
---@field asked? acp.message.AskedTexts[]

--- What stands at a path.
---@class acp.message.Standing
---@field kind "nothing"|"file"|"text"|"binary"|"link"  file: the change is not about what it holds
---@field mode? integer
---@field data? string  what the file holds; bytes that are not UTF-8 as surrogates
---@field target? string  of the link
---@field format? "LF"|"CRLF"|"LF BOM"|"CRLF BOM"  of a text, where the change is about that

--- What an agent has changed at a path, where lines do not tell it.
---@class acp.message.WholeChange
---@field session integer
---@field turn integer
---@field by "agent"|"unknown"|"one of two"
---@field call? acp.message.CallName
---@field other? acp.message.OtherTurn
---@field given string  the path as it was named
---@field before acp.message.Standing
---@field after acp.message.Standing
---@field has_lines boolean  lines of the file have changed, too
---@field made string[]  folders above it that the turn has made
---@field folders [string, integer][]  above what was removed, and their modes

---@class acp.message.SavedSession
---@field id string
---@field title? string
---@field cwd? string
---@field updated? integer

--- What one agent has saved.
---@class acp.message.SavedSessions
---@field agent string
---@field cwd string
---@field state string
---@field error? string
---@field sessions acp.message.SavedSession[]
---@field can table<string, boolean>

---@class acp.message.Named
---@field id string
---@field name string

---@class acp.message.OptionChoice
---@field id string
---@field name string
---@field group? string
---@field description? string

---@class acp.message.SessionOption
---@field id string
---@field name string
---@field type string
---@field value? string|boolean
---@field choices acp.message.OptionChoice[]
---@field category? string

---@class acp.message.Cost
---@field amount? number
---@field currency? string

---@class acp.message.Usage
---@field used? integer|number
---@field size? integer|number
---@field cost? acp.message.Cost

--- A count of tokens: what the agent has told of.
---@class acp.message.Tokens
---@field input? integer
---@field output? integer
---@field thought? integer
---@field cached_read? integer
---@field cached_write? integer
---@field total? integer

---@class acp.message.TokenCounts
---@field turn acp.message.Tokens
---@field session acp.message.Tokens

---@class acp.message.PlanProgress
---@field done integer
---@field total integer
---@field current? string

--- With whose account an agent works, as far as it says so.
---@class acp.message.Account
---@field label? string
---@field state? string
---@field detail? string
---@field name? string
---@field email? string
---@field organization? string
---@field plan? string

---@class acp.message.PlanStep
---@field text string
---@field status string

---@class acp.message.PlanShape
---@field done integer
---@field total integer
---@field current? string
---@field id string

---@class acp.message.SubagentShape
---@field id string
---@field title string
---@field state? string

--- What the user has allowed or rejected for good.
---@class acp.message.Remembered
---@field id integer
---@field action "allow"|"reject"
---@field what string
---@field by string

--- How far the agent has come with the editor's tools.
---@class acp.message.EditorTools
---@field state "off"|"none"|"own"|"elsewhere"|"sent"|"started"|"listed"|"connected"|"ended"
---@field tools integer
---@field calls integer
---@field argument? boolean  it got the server as an argument of its process

--- What of a session's status has changed; null: it is gone.
---@class acp.message.StatusPatch
---@field account? acp.message.Account
---@field ack? integer  the last prompt that has arrived
---@field waiting? integer[]  the queue: the numbers of the prompts
---@field about? string
---@field agent? string
---@field agent_title? string
---@field agent_version? string
---@field cancelling? boolean
---@field capabilities? table<string, any>
---@field changing? boolean
---@field closing? boolean
---@field cwd? string
---@field error? string
---@field full? boolean  at least 80 % of the context window is used
---@field held? boolean
---@field limit? string  of the account, and when it resets
---@field logins? acp.message.LoginMethod[]
---@field mode? string
---@field model? string
---@field models? acp.message.Named[]
---@field modes? acp.message.Named[]
---@field options? acp.message.SessionOption[]
---@field pid? integer
---@field plan? acp.message.PlanProgress
---@field plan_steps? acp.message.PlanStep[]
---@field plans? acp.message.PlanShape[]
---@field questions? integer
---@field queue? integer
---@field retrying? string  why the agent asks its model again
---@field silent_since? integer  the agent has not said anything in this turn since then, in seconds since 1970
---@field remembered? acp.message.Remembered[]
---@field session_id? string
---@field state? "starting"|"idle"|"running"|"asking"|"auth"|"stopped"|"failed"
---@field steering? boolean  the agent takes words into a running turn
---@field stop_reason? string
---@field subagents? acp.message.SubagentShape[]
---@field suggestion? string  what the user may want to ask next
---@field title? string
---@field tokens? acp.message.TokenCounts
---@field tools? acp.message.EditorTools
---@field transcript? string
---@field trust? string  whether the agent trusts the folder
---@field turn? integer
---@field usage? acp.message.Usage

--- A conversation that is over, as its transcript tells.
---@class acp.message.KeptConversation
---@field file string
---@field agent string
---@field id? string  the agent's
---@field title? string  the first words of its user
---@field updated integer  seconds since 1970
---@field cut? string  its last prompt, if the turn was cut off

-- The data of User autocommands.

---@class acp.message.SessionEvent
---@field session integer

---@class acp.message.AcpSessionStarted
---@field session integer

---@class acp.message.AcpSessionEnded
---@field session integer
---@field reason "closed"|"stopped"|"exited"|"failed"

---@class acp.message.AcpTurnStarted
---@field session integer
---@field turn integer

---@class acp.message.AcpTurnEnded
---@field session integer
---@field turn integer
---@field stop_reason? string
---@field error? string
---@field tokens? table<string, integer>  what the turn took, as far as the agent says

---@class acp.message.AcpSteered
---@field session integer
---@field text string
---@field outcome "injected"|"queued"

---@class acp.message.AcpToolCall
---@field session integer
---@field id string
---@field kind string
---@field status string
---@field title string
---@field paths string[]

---@class acp.message.AcpQuestion
---@field session integer
---@field id integer

---@class acp.message.AcpAnswered
---@field session integer
---@field id integer
---@field option_id? string
---@field by string

---@class acp.message.AcpTools
---@field session integer
---@field state string
---@field tools integer
---@field calls integer
---@field argument? boolean

---@class acp.message.AcpFileRead
---@field session integer
---@field path string

---@class acp.message.AcpFileWritten
---@field session integer
---@field path string

---@class acp.message.AcpLocation
---@field session integer
---@field path string
---@field line integer  from 1

--- What a frame may hold.
---@class acp.message.Calls
---@field changed fun(path: string, change: acp.message.DiskChange)  Take a change of a file that no buffer holds into the review.
---@field chat fun(session: integer, ops: (["append", string, acp.message.Mark[]]|["splice", integer, integer, string[], acp.message.Mark[]]|["marks", integer, integer, acp.message.Mark[]])[], total: integer)  Change a chat's lines; `total` is how many it has then.
---@field commands fun(session: integer, commands?: table<string, string>[])  The agent's slash commands.
---@field comments_sent fun(ids: integer[])  These comments are on the wire.
---@field comments_written fun(session: integer, seq: integer, text: string)  Note the text of the prompt of that number, which holds comments.
---@field earlier_found fun(cwd: string, kept?: acp.message.KeptConversation)  The conversation of the folder that could go on.
---@field ended fun(session: integer)  The session leaves the list.
---@field event fun(name: string, data: table<string, any>): boolean  Fire the User autocommand of that name. True once it has been fired.
---@field first_words_found fun(words: table<string, string>)  The first words of the kept conversations, by the agent's id of the session.
---@field form_errors fun(question: integer, errors: table<string, string>)  What is wrong with a form, by the names of its fields; nothing was sent.
---@field history fun(session: integer, items: string[])  Add texts to the history of prompts.
---@field listed fun(lists: acp.message.SavedSessions[])  What the list of saved sessions shows.
---@field message fun(level: "info"|"warn"|"error", text: string, path?: string)  Show a line to the user.
---@field proposal_done fun(question: integer, done: boolean)  The user's decision was the answer; `done`: it has come to be.
---@field questions fun(session: integer, questions: acp.message.OpenQuestion[])  The open questions of a session, oldest first.
---@field ready fun()  The configuration has arrived.
---@field reported fun(session: integer)  The session's agent has been told what the user has made of its lines.
---@field reset fun(session: integer)  Empty a chat: everything is sent again.
---@field show_place fun(session: integer, path: string, line: integer)  The agent is at this place.
---@field stands fun(path: string, change: acp.message.WholeChange)  Take a change into the review that has no lines.
---@field status fun(session: integer, patch: acp.message.StatusPatch)
---@field terminal_exit fun(session: integer, id: string, status: string)
---@field terminal_open fun(session: integer, id: string, command: string)
---@field turn_begins fun(session: integer, turn: integer, prompt: string, restored?: integer)  List the session's decided changes no longer, and note the turn among those of its project.
---@field turn_over fun(session: integer, turn: integer, moved: string[])  All that a turn has changed is known. `moved`: what of git has moved meanwhile: "HEAD", "branch", "index".
---@field unkept fun(text: string)  Something could not be written to the state folder.
---@field visit fun(url: string)  Open a page in the user's browser.

--- What it may hold, too, and that opens a window.
---@class acp.message.WindowCalls
---@field doctored fun(ticket: integer, report: acp.message.DoctorReport)  What a look at an agent has found.
---@field fill_prompt fun(session: integer, text: string)  Put a text into the prompt.
---@field float fun(lines: string[], filetype: string, regions: acp.message.FloatRegion[], pictures: acp.message.FloatPicture[])  Show lines in a floating window.
---@field form fun(question: integer, session: integer, about: string[], fields: acp.message.FormFieldShape[])  Show a form as a buffer.
---@field login_choose fun(session: integer, methods: acp.message.LoginMethod[])  Let the user choose a way to log in.
---@field login_run fun(session: integer, program: acp.message.LoginProgram)  Run the program by which the user logs in.
---@field proposal fun(shown: acp.message.ProposalView|acp.message.MergeView|acp.message.PlanView|acp.message.CompareView)  Show both sides of what an agent wants to change or of a conflict, or a plan.
---@field queue fun(session: integer, items: acp.message.QueuedPrompt[])  Show the queue as a buffer.
---@field show fun(name: string, filetype: string, lines: string[])  Show lines in a buffer of that name.

--- What is answered.
---@class acp.message.Questions
---@field ask_editor fun(subject: "open_files"|"selection"|"problems"|"follows"|"request"|"resolve"|"execute", ticket: integer, given: table<string, any>): table<string, any>|nil  Ask what only the editor knows; None: the answer comes later, as `EditorAnswered`.
---@field document_merge fun(base?: string, mine: string, theirs: string): table<string, string>  Merge the texts of a file that is not loaded.
---@field document_read fun(path: string, whole: boolean): table<string, any>|nil  Ask for the text of a loaded file; None: no buffer has it.
---@field document_sync fun(request: acp.message.SyncRequest): table<string, any>  Let a loaded buffer take up what its file holds.
---@field document_write fun(request: acp.message.WriteRequest): table<string, any>  Merge a text into a loaded file, and save it.
---@field event fun(name: string, data: table<string, any>): boolean  Fire the User autocommand of that name. True once it has been fired.
---@field proposal_sides fun(file: acp.message.ProposedFile): acp.message.BuiltSides|nil  Ask for both sides of a file whose buffer has unsaved lines.
---@field terminal_feed fun(session: integer, id: string, piece: string, buffer: integer): boolean  Write output to a terminal's buffer; false: it is gone.
