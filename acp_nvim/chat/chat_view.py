"""Computes the edits that bring the chat buffer from what it shows to the transcript.

Text and new entries are appended at the end, a frame's worth at a time; what changed earlier is spliced. What
a flush costs depends on what is new, not on how long the chat is; only a splice sums up the rows below it.
"""

from __future__ import annotations

from collections.abc import Callable

from acp_nvim import limits
from acp_nvim.chat import call_run_lines, entry_details
from acp_nvim.chat.call_runs import Run, RunPart, Runs
from acp_nvim.chat.change_lines import Room
from acp_nvim.chat.edit_batch import EditBatch, piece
from acp_nvim.chat.entry_lines import Look, folds, is_empty, opens_itself, rows
from acp_nvim.chat.headings import Headings
from acp_nvim.chat.prompt_lines import is_long
from acp_nvim.chat.splice import Op, Row, edit, marks, texts
from acp_nvim.session.entries import (
    AnswerBegins,
    Changes,
    Entry,
    Message,
    Note,
    Placeholder,
    Report,
    Thought,
    UsersEntry,
)
from acp_nvim.session.subagent import Subagent
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.transcript import Transcript


class ChatView:
    def __init__(
        self,
        transcript: Transcript,
        title: Callable[[], str],
        cwd: str,
        terminal: Callable[[str], str] = lambda _: "",
        choices: Callable[[], tuple[str, ...]] = tuple,
        user: str = "You",
    ) -> None:
        """`choices`: the model and mode that an answer begins with."""
        self._transcript = transcript
        self._title = title
        self._headings = Headings(title, choices, user)
        self._cwd, self._terminal = cwd, terminal
        self._room: Room = None
        self._open: dict[int, bool] = {}  # what the user has folded and unfolded
        self._unfolded: set[int] = set()  # keys of the entries in runs that the user has unfolded
        self.reset()

    def reset(self) -> None:
        """Begin anew with an empty buffer."""
        self._headings.reset()
        self._runs = Runs()
        self._look = Look(self._cwd, self._terminal, self._title, self._room)
        self.total = 1  # lines of the buffer, which has one even when it is empty
        self._blocks: list[list[Row]] = []  # of each entry shown; empty for messages
        self._heights: list[int] = []  # rows of each, with the headers and blank lines above it
        self._spaced: set[int] = set()  # keys of entries that begin with a blank line
        self._parted: set[int] = set()  # keys of entries that end in a blank line, once they have any
        self._pooled: set[int] = set()
        self._urgent: set[int] = set()
        self._timed = 0  # turns whose durations are shown
        self._bare = True  # whether nothing is shown yet
        self._speaker: str | None = None
        self._users_message: str | None = None  # the id of the one that is shown last, if it has one
        self._blank = True  # whether the last line is empty
        self._gap = False  # whether the one above it is empty too, at the end of a message
        self._taken = 0  # parts of the message under way that `_rest` has been made of
        self._rest = ""
        self._offset = 0
        self._width = 0  # of the last line, when it is one of a message
        self._has_begun = False  # the message under way has text

    @property
    def waiting(self) -> bool:
        """Whether changes in the middle wait that a flush without `middle` has left out."""
        return bool(self._pooled or self._transcript.changed)

    def toggle(self, key: int, is_open: bool | None = None, run: RunPart | None = None) -> None:
        """Fold or unfold an entry, or the run of calls that it belongs to."""
        entry = self._transcript.entry(key)
        if entry is not None and run:
            self._toggle_run(key, is_open, run)
        elif entry is not None and folds(entry):
            was = self._is_open(entry)
            self._open[key] = not was if is_open is None else is_open
            if self._open[key] != was:
                self._transcript.touch(entry)

    def toggle_all(self, is_open: bool) -> None:
        """Fold or unfold every entry, the calls shown within entries, and every run."""
        for index, entry in enumerate(self._transcript.entries):
            nested = entry.nested if isinstance(entry, ToolCall | Subagent) else None
            for each in (entry, *(nested.shown if nested else ())):
                self.toggle(each.key, is_open)
            if (run := self._runs.of(index)) and run.first == index:
                self._toggle_run(entry.key, is_open, "line")

    def _toggle_run(self, key: int, is_open: bool | None, part: RunPart) -> None:
        index = self._transcript.index(key)
        run = None if index is None else self._runs.of(index)
        if run is None:
            return
        keys = {entry.key for entry in self._transcript.entries[run.first : run.last]}
        is_open = not self._is_unfolded(run) if is_open is None else is_open
        self._unfolded = self._unfolded | keys if is_open else self._unfolded - keys
        if part == "calls":
            self._open |= dict.fromkeys(keys, is_open)
        self._urgent |= keys

    def fit(self, room: Room) -> None:
        """Take the size of the chat's window: open questions show as much of their diffs as fits, and their options
        side by side where they fit. Lines of calls are cut to its width."""
        is_as_wide = self._room is not None and room is not None and self._room[1] == room[1]
        self._room = self._look.room = room
        self._urgent |= {(call.root or call).key for call in self._transcript.asked}
        if not is_as_wide:
            newest = self._transcript.entries[-limits.FITTED_ENTRIES :]
            self._pooled |= {entry.key for entry in newest if isinstance(entry, ToolCall)}

    def details(self, key: int) -> entry_details.Page:
        return entry_details.page(self._transcript.entry(key), self._terminal)

    def flush(
        self, lines: int = limits.FRAME_LINES, chars: int = limits.FRAME_CHARS, middle: bool = True
    ) -> tuple[list[Op], bool]:
        """Return the edits of one frame, and whether there are more. Without `middle`, changes that may wait are
        left out."""
        batch = EditBatch(lines, chars)
        self._collect()
        self._time_turns(batch)
        self._repair(batch, middle)
        self._extend(batch)
        return batch.end(), self._is_behind(middle)

    # --- what is shown already

    def _collect(self) -> None:
        transcript = self._transcript
        touched = map(transcript.index, transcript.changed | transcript.urgent)
        drawn = self._runs.update(transcript.entries, {index for index in touched if index is not None})
        self._urgent |= {transcript.entries[index].key for index in drawn}
        self._pooled |= transcript.changed
        self._urgent |= transcript.urgent
        transcript.changed.clear()
        transcript.urgent.clear()
        last = transcript.entries[len(self._blocks) - 1] if self._blocks else None
        if isinstance(last, Thought) and last.ended is None and self._is_open(last):
            self._urgent.add(last.key)

    def _has_ended_turn(self) -> bool:
        """Whether there is a turn to time, all of which is shown."""
        times = self._transcript.turn_times
        index = self._transcript.index(times[self._timed][0]) if self._timed < len(times) else None
        return index is not None and index < len(self._blocks)

    def _time_turns(self, batch: EditBatch) -> None:
        """Show at the headings of turns that have ended how long they took."""
        while self._has_ended_turn() and batch.has_room:
            if timed := self._headings.timed(*self._transcript.turn_times[self._timed]):
                key, offset, mark = timed
                row = self.total - sum(self._heights[self._transcript.index(key) :]) + offset
                batch.splice(["marks", row, row + 1, [{"row": row, **mark}]])
            self._timed += 1

    def _repair(self, batch: EditBatch, middle: bool) -> None:
        """Splice changed blocks from the last to the first, so that none moves the rows of another."""
        below, row = len(self._heights), self.total
        for key in sorted(self._urgent | self._pooled if middle else self._urgent, reverse=True):
            index = self._transcript.index(key)
            if index is not None and index < len(self._blocks):
                if not batch.has_room:
                    return
                row -= sum(self._heights[index:below])
                below = index
                if not self._replace(batch, index, row):
                    return
            self._urgent.discard(key)
            self._pooled.discard(key)

    def _replace(self, batch: EditBatch, index: int, row: int) -> bool:
        old, block = self._blocks[index], self._render(self._transcript.entries[index])
        op = edit(row + self._heights[index] - len(old), old, block)
        if op is None:
            return True
        if not batch.splice(op):
            return False
        self._blocks[index] = block
        self._heights[index] += len(block) - len(old)
        self.total += len(block) - len(old)
        return True

    # --- what is new

    def _extend(self, batch: EditBatch) -> None:
        entries = self._transcript.entries
        going = True
        while going and batch.has_room:
            if self._has_text():
                going = self._stream(batch)
            else:
                going = self._has_next() and self._begin(batch, entries[len(self._blocks)])

    def _has_next(self) -> bool:
        """Whether there is another entry to show. One without content waits until another one follows."""
        entries = self._transcript.entries
        left = len(entries) - len(self._blocks)
        return left > 1 or (left == 1 and not is_empty(entries[-1]))

    def _begin(self, batch: EditBatch, entry: Entry) -> bool:
        """Show the next entry; False if it must wait for a frame of its own."""
        if isinstance(entry, Changes) and not self._blank:
            self._spaced.add(entry.key)
        if self._is_hidden(entry):  # what it may show later is spliced in
            self._blocks.append([])
            self._heights.append(0)
            return True
        streams = isinstance(entry, Message) and not is_long(entry)
        block = self._render(entry)
        new = [*self._above(entry), *block]
        self._part_from(entry)
        goes_on = self._bare or self._gap  # on the empty line that is there already
        first = self.total - 1 if goes_on else self.total
        text = "\n".join(texts(new) if goes_on else ["", *texts(new)])
        if not batch.append(text, marks(first, new), len(new)):
            return False
        self.total = first + len(new)
        if self._gap:
            self._heights[-1] -= 1
        above = len(new) - len(block)
        if above:
            self._headings.place(entry, above - 1, new[above - 1][1])
        self._blocks.append([] if streams else block)
        self._heights.append(len(new))
        self._see_speaker(entry)
        self._blank, self._gap, self._bare = streams, False, False
        self._taken = self._width = 0
        self._has_begun = False
        return True

    def _see_speaker(self, entry: Entry) -> None:
        self._speaker = entry.speaker or self._speaker
        if isinstance(entry, UsersEntry) and entry.speaker == "user":
            self._users_message = entry.message_id
        elif isinstance(entry, Note) and entry.kind == "interrupted":
            self._speaker = None  # the turn is over

    def _part_from(self, entry: Entry) -> None:
        """Let an empty entry before this one end in a blank line, once it has text: it takes that of this entry."""
        before = self._transcript.entries[len(self._blocks) - 1] if self._blocks else None
        if (
            before
            and is_empty(before)
            and self._blank
            and self._above(entry, blank=False) != self._above(entry)
        ):
            self._parted.add(before.key)

    def _above(self, entry: Entry, blank: bool | None = None) -> list[Row]:
        """A header when the speaker changes, a blank line where text would touch something else. `blank`: whether the
        line above is empty, if it is not as it seems."""
        is_blank = self._blank if blank is None else blank
        return self._rows_above(entry, [] if is_blank else [("", None)])

    def _rows_above(self, entry: Entry, blank: list[Row]) -> list[Row]:
        speaker = entry.speaker
        is_steered = isinstance(entry, Report | Message) and entry.steered
        is_prompt = isinstance(entry, Report) or (isinstance(entry, Message) and (entry.prompt or is_steered))
        if speaker and (speaker != self._speaker or is_prompt or self._is_another_of_users(entry)):
            return [*blank, self._headings.row(entry, speaker)]
        before = self._transcript.entries[len(self._blocks) - 1] if self._blocks else None
        if not isinstance(entry, Message | Placeholder) or isinstance(
            before, Placeholder | Report | AnswerBegins
        ):
            return []
        return [] if isinstance(entry, Placeholder) and isinstance(before, Message) else blank

    def _is_another_of_users(self, entry: Entry) -> bool:
        """Whether an entry begins another message of the user's than the one above it."""
        if not isinstance(entry, UsersEntry) or entry.speaker != "user":
            return False
        return bool(entry.message_id and self._users_message and entry.message_id != self._users_message)

    def _has_text(self) -> bool:
        """Whether the last shown entry is a message with new text; fetches that text. The blank lines with which an
        agent begins a message are left out: it has a blank line above it."""
        if self._rest:
            return True
        last = self._transcript.entries[len(self._blocks) - 1] if self._blocks else None
        if not isinstance(last, Message) or is_long(last) or self._taken == len(last.parts):
            return False
        self._rest = "".join(last.parts[self._taken :])
        self._taken = len(last.parts)
        if last.role != "user" and not self._has_begun:
            self._rest = self._rest.lstrip("\n")
        self._has_begun = self._has_begun or self._rest != ""
        return self._rest != ""

    def _stream(self, batch: EditBatch) -> bool:
        # Neovim measures all of a line that grows: let it at least double
        text = piece(self._rest, self._offset, batch.lines, max(batch.chars, self._width))
        grown = text.count("\n")
        if not batch.append(text, [], grown):
            return False
        self.total += grown
        self._heights[-1] += grown
        self._gap = text.endswith("\n\n") or (text == "\n" and self._blank)
        self._blank = text.endswith("\n")
        self._width = len(text) - text.rfind("\n") - 1 if grown else self._width + len(text)
        self._offset += len(text)
        if self._offset == len(self._rest):
            self._rest, self._offset = "", 0
        return True

    def _is_behind(self, middle: bool) -> bool:
        is_changed = self._urgent or (middle and self._pooled) or self._has_ended_turn()
        return bool(self._has_next() or is_changed or self._has_text())

    def _render(self, entry: Entry) -> list[Row]:
        block = self._rows(entry)
        if not block:
            return block
        before: list[Row] = [("", None)] if entry.key in self._spaced else []
        after: list[Row] = [("", None)] if entry.key in self._parted else []
        return [*before, *block, *after]

    def _rows(self, entry: Entry) -> list[Row]:
        run = self._run(entry)
        if run is None:
            return rows(entry, self._is_open, self._look)
        entries = self._transcript.entries[run.first : run.last]
        is_open = self._is_unfolded(run)
        top = [call_run_lines.row(entries, is_open)] if entry is entries[0] else []
        shown = is_open or self._transcript.index(entry.key) == run.newest
        return [*top, *(call_run_lines.below(rows(entry, self._is_open, self._look)) if shown else ())]

    def _run(self, entry: Entry) -> Run | None:
        index = self._transcript.index(entry.key)
        return None if index is None else self._runs.of(index)

    def _is_unfolded(self, run: Run) -> bool:
        keys = (entry.key for entry in self._transcript.entries[run.first : run.last])
        return bool(self._unfolded) and any(key in self._unfolded for key in keys)

    def _is_hidden(self, entry: Entry) -> bool:
        """Whether an entry takes no line: it has nothing to show yet, or its run is folded."""
        return is_empty(entry) or (self._run(entry) is not None and not self._rows(entry))

    def _is_open(self, entry: Entry) -> bool:
        return self._open.get(entry.key, opens_itself(entry))
