"""What is written about a conversation is its user's alone, and what the configuration keeps secret is not in it."""

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from acp_nvim.agent import private_files
from acp_nvim.agent.redaction import Redaction
from tests.client.conftest import Desk, Talk
from tests.fakes.script import error, eventually, on, on_prompt, permission, raw, result, say, script, stderr

SECRET = "sk-very-secret"
SPEC: dict[str, Any] = {
    "env": {"API_KEY": SECRET},
    "mcp_servers": {"web": {"url": "https://x", "headers": {"Authorization": f"Bearer {SECRET}"}}},
}
FILES = ("permissions.jsonl", "transcripts", "acp_nvim")


def recording(desk: Desk, state: Path, *steps: Any, **more: Any) -> None:
    agent = script(desk.folder, on_prompt("", *steps), name="mine")
    spec = {"command": agent.argv[0], "args": agent.argv[1:], **SPEC, **more}
    config = {"agents": {"mine": spec}, "log": {"wire": True, "level": "debug"}, "transcripts": {"keep": 5}}
    desk.send(
        "setup",
        config=config,
        state=str(state),
        log=str(state),
    )


OFFERED = {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]}
MODES = on("session/new", result({"sessionId": "s1", "modes": OFFERED}))
STEPS = (
    stderr(f"using {SECRET}\n"),
    raw(f"no message: {SECRET}\n"),
    permission(f"use {SECRET}", rawInput={"command": f"curl -H {SECRET}"}, kind="execute"),
    say(f"the key is {SECRET}"),
    error(-32603, f"wrong key {SECRET}"),
)


async def conversation(desk: Desk) -> Talk:
    talk = await desk.ready()
    talk.prompt(f"use {SECRET}")
    await talk.asked()
    talk.answer("yes")
    await talk.ended(1)
    await eventually(lambda: desk.client.hosts[0].connection.stderr.lines())
    return talk


async def recorded(state: Path) -> list[Path]:
    def found() -> list[Path]:
        files = [path for path in state.resolve().rglob("*") if path.is_file() and path.stat().st_size]
        kinds = [any(name in str(file.relative_to(state.resolve())) for file in files) for name in FILES]
        return files if all(kinds) else []

    return list(await eventually(found))


async def told(desk: Desk, talk: Talk, state: Path, tmp_path: Path) -> dict[str, str]:
    """All that is kept of a conversation, and all that windows and messages show of it."""
    files = await recorded(state)
    export, trace = tmp_path / "export.md", tmp_path / "trace"
    talk.send("export", file=str(export))
    await desk.message("the conversation is in")
    talk.send("trace", mode="save", file=str(trace))
    desk.send("log")
    desk.send("trace", session=talk.number)
    await eventually(lambda: len(desk.editor.windows) == 2)
    windows = {name: "\n".join(lines) for name, _, lines in desk.editor.windows}
    return {str(file): file.read_text() for file in (*files, export, trace)} | windows


async def test_no_log_trace_transcript_audit_or_export_has_a_secret(desk: Desk, tmp_path: Path) -> None:
    state = tmp_path / "state"
    recording(desk, state, *STEPS)
    talk = await conversation(desk)
    for name, text in (await told(desk, talk, state, tmp_path)).items():
        assert SECRET not in text, name
        assert "***" in text, name
    assert not [text for text in desk.messages() if SECRET in text]  # the editor keeps them in a log


KEY = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END KEY-----"
PIN = "471181530"  # no part of a time or a hash
SHORT = f"hunter2\nswordfish-99\n  xyz4\r\n{PIN}"
LONG = "sk-" + "abcdefghij" * 6


def _one_by_one(secret: str) -> tuple[Any, ...]:
    lines = secret.split()
    return (
        *(stderr(f"using {line}\n") for line in lines),
        *(say(f"{line}, ") for line in lines),
        permission("echo", rawInput={"command": f"echo {lines}", "lines": lines}, kind="execute"),
    )


def cut(most: int) -> str:
    """A text that ends, where it is cut there, one character before the end of its secret."""
    return "x" * (most - len(LONG) + 1) + LONG


@pytest.mark.parametrize(
    ("secret", "part", "steps"),
    [
        (
            KEY,
            "BKcwggSj",
            (
                stderr(f"using {KEY}\n"),
                permission("cat", rawInput={"command": f"echo {KEY}"}, kind="execute"),
                say(f"    the key is {KEY}"),
            ),
        ),
        (SHORT, "hunter2", _one_by_one(SHORT)),
        (SHORT, "xyz4", _one_by_one(SHORT)),
        (SHORT, PIN, (permission("x", rawInput={"pin": int(PIN)}), say(f"it is {PIN}"), stderr(f"{PIN}\n"))),
        ("48151623", "48151623", (permission("x", rawInput={"pin": 48151623}),)),
        (
            LONG,
            LONG[:20],
            (
                raw(cut(200) + "\n"),
                stderr(cut(4096) + "\n"),
                permission(cut(10_000), rawInput={"command": cut(10_000)}),
                error(-32603, cut(5000)),
            ),
        ),
    ],
    ids=[
        "of several lines",
        "a short line",
        "a very short line",
        "a line that is a number",
        "a number",
        "at a cut",
    ],
)
async def test_no_part_of_a_secret_is_told(
    desk: Desk, tmp_path: Path, secret: str, part: str, steps: Any
) -> None:
    state = tmp_path / "state"
    recording(desk, state, *steps, env={"KEY": secret})
    talk = await desk.ready()
    talk.prompt("go")
    await talk.asked()
    talk.answer("yes")
    await talk.ended(1)
    for name, text in (await told(desk, talk, state, tmp_path)).items():
        assert part not in text, name
    assert not [text for text in desk.messages() if part in text]


TOKEN = 'tk/9f%3"é\\x+aa'


def written(secret: str) -> list[str]:
    """As texts within texts hold it."""
    plain = json.dumps(secret)[1:-1]
    units = secret.encode("utf-16-be").hex().upper()
    codes = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    return [
        plain,
        json.dumps(secret, ensure_ascii=False)[1:-1],
        json.dumps(plain)[1:-1],
        json.dumps(json.dumps(plain))[1:-1],
        plain.replace("/", "\\/"),
        json.dumps(plain.replace("/", "\\/"))[1:-1],
        codes,
        json.dumps(codes)[1:-1],
        codes[:6] + secret[1:],
        quote(secret),
        quote(secret, safe=""),
        re.sub("%..", lambda code: code[0].lower(), quote(secret, safe="")),
        quote(quote(secret, safe=""), safe=""),
        quote_plus(secret),
        json.dumps({"text": json.dumps({"key": secret})}),
        *(base64.b64encode(b"x" * before + secret.encode()).decode() for before in range(3)),
        base64.urlsafe_b64encode(secret.encode()).decode().rstrip("="),
    ]


@pytest.mark.parametrize("secret", [TOKEN, "sk-very-secret", "C:\\keys\\new", "日本-1234-🔑"])
def test_a_secret_is_hidden_however_it_is_written(secret: str) -> None:
    hidden = Redaction([secret])
    for form in written(secret):
        told = hidden.text(f"before {form} behind")
        left = told.removeprefix("before ").removesuffix(" behind")
        assert "***" in left, form
        # of base64 the letters at both ends may hold bits of something else
        assert len(left) <= len("***") + 8 or "text" in form, (form, left)
        for at in range(len(form) + 8):
            assert secret[:6] not in hidden.head(f"before {form} behind", at)


def test_a_text_with_escapes_and_without_the_secret_stays() -> None:
    hidden = Redaction([TOKEN, "sk-very-secret"])
    for text in (
        "a\\nb %41 \\u0041 \\\\",
        "100% of sk-very",
        "\\sk-very-secre t",
        "\\" * 50_000,
        "%25" * 50_000,
    ):
        assert hidden.text(text) == text


async def test_no_form_of_a_secret_is_told(desk: Desk, tmp_path: Path) -> None:
    state = tmp_path / "state"
    secret = "tk/9f:very=secret"
    forms = [
        quote(secret, safe=""),
        json.dumps(secret.replace("/", "\\/"))[1:-1],
        json.dumps(json.dumps(secret)),
    ]
    steps = [
        step for form in forms for step in (stderr(f"using {form}\n"), raw(f"{form}\n"), say(f"{form}, "))
    ]
    asks = permission(f"use {forms[0]}", rawInput={"command": f"curl {forms[1]}"}, kind="execute")
    recording(desk, state, *steps, asks, error(-32603, forms[0]), env={"KEY": secret})
    talk = await desk.ready()
    talk.prompt("go")
    await talk.asked()
    talk.answer("yes")
    await talk.ended(1)
    for name, text in (await told(desk, talk, state, tmp_path)).items():
        assert not any(part in text for part in ("very=secret", "very%3Dsecret")), name


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (
            {"mcp_servers": {"w": {"url": "https://x", "headers": {"Authorization": "Bearer tok-77aa"}}}},
            "tok-77aa",
        ),
        ({"mcp_servers": {"w": {"url": "https://x", "headers": {"X": "GenieKey tok-77aa"}}}}, "tok-77aa"),
        ({"mcp_servers": {"w": {"url": "https://x", "headers": {"Cookie": "a=tok-77aa; b=x"}}}}, "tok-77aa"),
        ({"env": {"HEADERS": "Authorization: Bearer tok-77aa"}}, "tok-77aa"),
        ({"env": {"DATABASE_URL": "postgres://me:tok-77aa@host/db"}}, "tok-77aa"),
    ],
)
async def test_a_secret_within_a_value_is_one(
    desk: Desk, tmp_path: Path, given: dict[str, Any], part: str
) -> None:
    state = tmp_path / "state"
    steps = (stderr(f"{part}\n"), raw(f"{part}\n"), say(part), permission(part, rawInput={"command": part}))
    recording(desk, state, *steps, **{"env": {}, "mcp_servers": {}, **given})
    talk = await desk.ready()
    talk.prompt("go")
    await talk.asked()
    talk.answer("yes")
    await talk.ended(1)
    for name, text in (await told(desk, talk, state, tmp_path)).items():
        assert part not in text, name


async def test_a_secret_of_an_earlier_configuration_is_one(desk: Desk, tmp_path: Path) -> None:
    """The agent that was started with it may run on."""
    state = tmp_path / "state"
    recording(desk, state, *STEPS)
    talk = await desk.ready()
    recording(desk, state, *STEPS, env={"API_KEY": "sk-rotated"}, mcp_servers={})
    talk.prompt(f"use {SECRET}")
    await talk.asked()
    talk.answer("yes")
    await talk.ended(1)
    for name, text in (await told(desk, talk, state, tmp_path)).items():
        assert SECRET not in text, name


async def test_a_report_on_an_agent_has_no_secret(desk: Desk, tmp_path: Path) -> None:
    agent = script(tmp_path, name="mine", start=[stderr(f"using {SECRET}\n")])
    desk.configure("mine", {"command": agent.argv[0], "args": agent.argv[1:], **SPEC})
    desk.send("doctor", agent="mine", ticket=7)
    await eventually(lambda: desk.editor.reports)
    assert desk.editor.reports[7]["stderr"] == ["using ***"]


async def test_no_message_has_a_secret(desk: Desk) -> None:
    """The editor keeps them in a log of its own."""
    desk.agent(on("session/set_mode", error(-32603, f"wrong key {SECRET}")), MODES, spec=SPEC)
    talk = await desk.ready()
    talk.send("set_mode", id="b")
    assert SECRET not in await desk.message("wrong key ***")
    assert not [text for text in desk.messages() if SECRET in text]


def open_to_others(state: Path) -> None:
    for folder in (state, state / "transcripts", state / "acp_nvim"):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o777)


def elsewhere(state: Path) -> None:
    open_to_others(state.parent / "elsewhere")
    state.symlink_to("elsewhere")


@pytest.mark.parametrize("before", [lambda state: None, open_to_others, elsewhere])
async def test_what_is_recorded_is_its_users_alone(desk: Desk, tmp_path: Path, before: Any) -> None:
    state = tmp_path / "state"
    before(state)
    mask = os.umask(0)
    try:
        recording(desk, state, *STEPS)
        await conversation(desk)
        files = await recorded(state)
    finally:
        os.umask(mask)
    for file in files:
        assert file.stat().st_mode & 0o777 == 0o600, file
        assert file.parent.stat().st_mode & 0o777 == 0o700, file.parent


async def test_a_file_that_is_a_symlink_is_not_written_through(desk: Desk, tmp_path: Path) -> None:
    state, victim = tmp_path / "state", tmp_path / "victim"
    state.mkdir()
    (state / "permissions.jsonl").symlink_to(victim)
    victim.write_text("")
    recording(desk, state, *STEPS)
    await conversation(desk)
    await desk.message("decisions are not logged")
    assert victim.read_text() == ""


def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(PermissionError, match="another user's"):
        private_files.folder(tmp_path)
