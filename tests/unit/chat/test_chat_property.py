"""Whatever happens, however it is flushed: the buffer shows what a view that begins anew would show."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.chat.chat_view import ChatView
from acp_nvim.protocol.schema import (
    UNSET,
    Chunk,
    ContentItem,
    Diff,
    Image,
    Location,
    PlanEntry,
    PlanUpdate,
    SessionMessageUpdate,
    SubagentUpdate,
    TerminalRef,
    Text,
    ToolCallUpdate,
)
from acp_nvim.session.entries import Changes
from acp_nvim.session.question import Option, Question
from acp_nvim.session.subagent_registry import SubagentRegistry
from acp_nvim.session.transcript import Transcript
from tests.fakes.editor import ChatBuffer

CWD = "/w"
words = st.text(st.sampled_from("ab \n\r\t\x00\x1bé漢😀\u202e"), max_size=12)
ids = st.sampled_from(["t1", "t2", "t3"])
statuses = st.sampled_from([None, "pending", "in_progress", "completed", "failed"])
contents = st.lists(
    st.one_of(
        words.map(lambda text: ContentItem(Text(text=text))),
        st.builds(Diff, path=st.sampled_from(["/w/a", "/x"]), old_text=st.none() | words, new_text=words),
        st.just(TerminalRef(terminal_id="x")),
        st.just(ContentItem(Image(mime_type="image/png"))),
    ),
    max_size=3,
).map(tuple)
tools = st.builds(
    ToolCallUpdate,
    ids,
    title=st.none() | words,
    kind=st.sampled_from([None, "read", "read", "search", "edit", "execute"]),
    status=statuses,
    content=st.none() | contents,
    locations=st.none() | st.just((Location(path="/w/a", line=3),)),
    raw_input=st.sampled_from([{"command": "ls\nrm"}, {"path": "/w/a"}, [1], None]),
    parent=st.sampled_from([None, None, "t1", "t2"]),
)
plans = st.lists(
    st.builds(PlanEntry, content=words, status=st.sampled_from(["pending", "in_progress", "completed"])),
    max_size=10,
).map(tuple)
chunks = st.builds(
    Chunk,
    st.sampled_from(["user", "agent", "agent", "thought"]),
    text=words,
    message_id=st.sampled_from([None, None, "m1", "m2"]),
)
operations = st.one_of(
    st.tuples(st.just("chunk"), chunks),
    st.tuples(st.just("chunk"), st.just(Chunk("agent", None, Image(mime_type="image/png", data="AAAA")))),
    st.tuples(st.just("user"), words),
    st.tuples(st.just("tool"), tools),
    st.tuples(st.just("plan"), plans.map(PlanUpdate)),
    st.tuples(st.just("plan"), st.builds(PlanUpdate, plans, st.sampled_from("pq"), words, st.booleans())),
    st.tuples(
        st.just("announce"),
        st.builds(
            SubagentUpdate,
            st.sampled_from(["c1", "c2"]),
            title=st.none() | words,
            state=st.sampled_from([UNSET, None, "running", "idle", "requires_action"]),
        ),
    ),
    st.tuples(st.just("child"), st.sampled_from(["c1", "c2"]), st.one_of(tools, chunks)),
    st.tuples(
        st.just("message"),
        st.builds(
            SessionMessageUpdate, ids, st.sampled_from(["s", "c1"]), st.sampled_from(["s", "c1"]), words
        ),
    ),
    st.tuples(st.just("note"), st.sampled_from(["stop", "error", "info"]), words),
    st.tuples(st.just("ask"), ids, st.integers(0, 3), st.booleans(), st.lists(words, max_size=2)),
    st.tuples(st.just("answer"), st.booleans()),
    st.tuples(st.just("end_turn"), st.booleans()),
    st.tuples(st.just("time_turn"), st.sampled_from([1.0, 7.0, 70.0])),
    st.tuples(st.just("say_changes"), st.integers(0, 3), st.sampled_from(["a +1 −1 · x", "kept 1"])),
    st.tuples(st.just("look"), st.sampled_from(["r1", "r2", "r3", "r4", "r5"]), st.booleans()),
    st.tuples(st.just("look"), st.sampled_from(["x1", "x2", "x3", "x4", "x5"]), st.just(True)),
    st.tuples(
        st.just("toggle_run"),
        st.integers(1, 12),
        st.none() | st.booleans(),
        st.sampled_from(["line", "calls"]),
    ),
    st.tuples(st.just("toggle"), st.integers(1, 12), st.none() | st.booleans()),
    st.tuples(st.just("toggle"), st.integers(-4, -1), st.none() | st.booleans()),
    st.tuples(st.just("toggle"), st.integers(1, 4).map((1 << 32).__add__), st.none() | st.booleans()),
    st.tuples(st.just("flush"), st.integers(1, 6), st.integers(1, 20), st.booleans()),
    st.tuples(st.just("settle")),
    st.tuples(st.just("settle")),
    st.tuples(st.just("clear")),
    st.tuples(st.just("reset")),
)


looks = st.tuples(
    st.just("look"),
    st.sampled_from([f"{sort}{number}" for sort in "rx" for number in range(9)]),
    st.just(True),
)
of_runs = st.one_of(
    looks,
    looks,
    st.tuples(st.just("chunk"), st.builds(Chunk, st.sampled_from(["agent", "thought", "user"]), text=words)),
    st.tuples(st.just("tool"), tools),
    st.tuples(st.just("toggle_run"), st.integers(1, 12), st.none(), st.sampled_from(["line", "calls"])),
    st.tuples(st.just("settle")),
)


class Story:
    def __init__(self) -> None:
        self.transcript = Transcript()
        self.view = ChatView(self.transcript, lambda: "Agent", CWD, lambda _: "12 passed\n")
        self.buffer = ChatBuffer()
        self.subagents = SubagentRegistry(self.transcript, lambda text: None)
        self.asked: list[Question] = []
        self.changed: list[Changes] = []
        self.now = 0.0

    def play(self, name: str, *args: Any) -> None:
        self.now += 0.7
        getattr(self, name)(*args)

    def chunk(self, chunk: Chunk) -> None:
        self.transcript.chunk(chunk, self.now)

    def user(self, text: str) -> None:
        self.transcript.user(text)

    def tool(self, update: ToolCallUpdate) -> None:
        self.transcript.tool(update, self.now)

    def look(self, id: str, is_over: bool) -> None:
        """Calls whose runs fold."""
        kind = "read" if id.startswith("r") else "execute"
        status = "completed" if is_over else "in_progress"
        self.transcript.tool(ToolCallUpdate(id, title=id, kind=kind, status=status), self.now)

    def announce(self, update: SubagentUpdate) -> None:
        self.subagents.announce("s", update, self.now)

    def child(self, id: str, update: Any) -> None:
        if child := self.subagents.get(id):
            self.subagents.apply(child, update, self.now)

    def message(self, update: SessionMessageUpdate) -> None:
        self.subagents.message("s", update)

    def plan(self, update: PlanUpdate) -> None:
        self.transcript.plan(update)

    def time_turn(self, seconds: float) -> None:
        self.transcript.time_turn(seconds)

    def note(self, kind: Any, text: str) -> None:
        self.transcript.note(kind, text)

    def ask(self, call: str, options: int, long: bool, detail: list[str]) -> None:
        names = tuple(Option(str(n), "Yes " * (12 if long else 1), "allow_once") for n in range(options))
        question = Question(1, "permission", "sure?", names, has_diff=long, detail=tuple(detail))
        self.transcript.ask(question, ToolCallUpdate(call), self.now)
        self.asked.append(question)

    def answer(self, yes: bool) -> None:
        if self.asked:
            question = self.asked.pop(0)
            question.end(question.options[0] if yes and question.options else None, "user")
            self.transcript.answered(question)

    def end_turn(self, cancelled: bool) -> None:
        self.transcript.end_turn(self.now, cancelled)
        if not (self.changed and self.transcript.entries[-1] is self.changed[-1]):
            self.changed.append(self.transcript.changes(1))

    def say_changes(self, index: int, text: str) -> None:
        """Of whatever turn, as long after it as you like."""
        if self.changed:
            changes = self.changed[index % len(self.changed)]
            changes.text = text
            self.transcript.touch(changes)

    def toggle(self, key: int, is_open: bool | None) -> None:
        self.view.toggle(key, is_open)

    def toggle_run(self, key: int, is_open: bool | None, part: Any) -> None:
        self.view.toggle(key, is_open, part)

    def clear(self) -> None:
        self.transcript.clear()
        self.subagents.clear()
        self.asked.clear()
        self.changed.clear()
        self.reset()

    def reset(self) -> None:
        self.view.reset()
        self.buffer = ChatBuffer()

    def flush(self, lines: int, chars: int, middle: bool) -> bool:
        ops, more = self.view.flush(lines, chars, middle)
        self.buffer.apply(ops, self.view.total)
        return more

    def settle(self) -> None:
        while self.flush(5, 30, True):
            pass
        assert not self.view.waiting


def anew(story: Story) -> ChatBuffer:
    view = ChatView(story.transcript, lambda: "Agent", CWD, lambda _: "12 passed\n")
    view._open, view._unfolded = dict(story.view._open), set(story.view._unfolded)
    buffer = ChatBuffer()
    more = True
    while more:
        ops, more = view.flush(10**6, 10**9)
        buffer.apply(ops, view.total)
    return buffer


def expect_render_from_nothing(story_of: list[tuple[Any, ...]]) -> None:
    story = Story()
    for operation in story_of:
        story.play(*operation)
    story.settle()
    fresh = anew(story)
    assert story.buffer.lines == fresh.lines
    assert story.buffer.marks == fresh.marks


@given(st.lists(operations, max_size=40))
def test_edits_add_up_to_a_render_from_nothing(story_of: list[tuple[Any, ...]]):
    expect_render_from_nothing(story_of)


@given(st.lists(of_runs, max_size=40))
def test_edits_of_runs_add_up_to_a_render_from_nothing(story_of: list[tuple[Any, ...]]):
    expect_render_from_nothing(story_of)
