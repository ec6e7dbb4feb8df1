"""A conversation as Markdown: words verbatim, and nothing in them that breaks what stands around."""

from acp_nvim.history import markdown_export
from acp_nvim.protocol import schema
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session


def session() -> Session:
    made = Session(1, "mine", "/work")
    made.facts = {"agent_title": "Claude"}
    made.ready("s1")
    return made


def say(made: Session, text: str, role: schema.Role = "agent", now: float = 1.0) -> None:
    made.transcript.chunk(schema.Chunk(role, text), now)


def exported(made: Session) -> str:
    return "".join(markdown_export.export(made, lambda id: f"output of {id}\n"))


def call(made: Session, **fields: object) -> None:
    made.apply(schema.ToolCallUpdate("t", known=False, **fields), 2.0)  # type: ignore[arg-type]


def test_words_stand_verbatim_under_their_speakers() -> None:
    made = session()
    made.begin_turn(Prompt("fix *this*\n\n# now"))
    say(made, "Sure:\n\n")
    say(made, "- one\n- two")
    made.end_turn(3.0, "end_turn")
    assert exported(made) == (
        "# A conversation with Claude\n\nClaude in `/work`\n"
        "\n## You\n\nfix *this*\n\n# now\n"
        "\n## Claude\n\nSure:\n\n- one\n- two\n"
    )


def test_a_code_block_that_was_not_closed_is() -> None:
    made = session()
    say(made, "~~~~\n```python\ncode")
    made.end_turn(1.0)
    made.transcript.note("info", "after")
    assert exported(made).endswith("\ncode\n~~~~\n\n> **info** after\n")
    assert "````" not in exported(made)
    done = session()
    say(done, "```\ncode\n```\n")
    assert exported(done).endswith("code\n```\n")


def test_calls_of_a_subagent_are_items_below_the_call_that_began_it() -> None:
    made = session()
    call(made, title="Explore", kind="think", status="completed")
    nested = schema.ToolCallUpdate(
        "n", known=False, title="Look", kind="search", status="failed", raw_output="```\nno", parent="t"
    )
    made.apply(nested, 2.0)
    items = "- **think** `Explore` (completed)\n  - **search** `Look` (failed)\n"
    assert f"{items}\n    ````\n    ```\n    no\n    ````\n" in exported(made)


def test_tool_calls_are_items_with_their_diffs() -> None:
    made = session()
    diff = schema.Diff(path="/work/a.md", old_text="```\n", new_text="````\n")
    call(made, title="Edit a.md", kind="edit", status="completed", content=(diff,))
    assert "- **edit** `a.md` (completed)\n" in exported(made)
    assert "  `````diff\n  --- /work/a.md\n  +++ /work/a.md\n  -```\n  +````\n  `````\n" in exported(made)


def test_the_output_of_a_terminal() -> None:
    made = session()
    ref = schema.TerminalRef(terminal_id="7")
    call(made, title="run", kind="execute", status="failed", raw_input={"command": "make"}, content=(ref,))
    text = exported(made)
    assert "  ```sh\n  make\n  ```\n" in text
    assert "  ```\n  output of 7\n  ```\n" in text


def test_thoughts_are_quoted_and_plans_are_lists() -> None:
    made = session()
    say(made, "hm\n\n</details>\n", "thought", 1.0)
    say(made, "so", now=5.0)
    steps = tuple(
        schema.PlanEntry(content=name, status=status)
        for name, status in (("a", "completed"), ("b", "in_progress"), ("c\nd", "pending"))
    )
    made.apply(schema.PlanUpdate(steps), 5.0)
    text = exported(made)
    assert "> *thought for 4 s*\n>\n> hm\n>\n> </details>\n" in text
    assert "- [x] a\n- [ ] ▸ b\n- [ ] c d\n" in text


def test_ends_that_matter_are_told() -> None:
    made = session()
    made.begin_turn(Prompt("go"))
    made.end_turn(1.0, error="out\u202e of paper\nreally")
    assert "> **error** out<202E> of paper^Jreally\n" in exported(made)


def test_a_hostile_title_stays_in_its_line() -> None:
    made = session()
    made.title = "x\n# y\u202e"
    call(made, title="`` evil`\n## You", kind="other\n# z", status="pending")
    lines = exported(made).split("\n")
    assert lines[0] == "# x # y<202E>"
    assert [line for line in lines if line.startswith("#")] == [lines[0], "## Claude"]
