"""What goes along with a prompt, as the agent gets it: files, pictures, sounds, texts; and what is left out."""

import os
from typing import Any

import pytest

from acp_nvim import limits
from acp_nvim.host.attachments import media_type
from tests.client.conftest import Desk
from tests.fakes.script import on_initialize, on_prompt, say, wait

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
EVERYTHING = {"embeddedContext": True, "image": True, "audio": True}


async def sent(desk: Desk, *context: dict[str, Any], takes: dict[str, bool] | None = None) -> list[Any]:
    """The blocks that have reached an agent beside the text."""
    agent = desk.agent(on_initialize(promptCapabilities=EVERYTHING if takes is None else takes))
    talk = await desk.ready()
    await talk.turn("look", context=list(context))
    blocks = agent.got("session/prompt")[0]["params"]["prompt"]
    assert blocks[0] == {"type": "text", "text": "look"}
    return list(blocks[1:])


def place(desk: Desk, name: str, data: bytes) -> str:
    path = desk.folder / name
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0" + bytes(12), "image/jpeg"),
        (b"GIF89a" + bytes(10), "image/gif"),
        (b"GIF87a" + bytes(10), "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"OggS" + bytes(12), "audio/ogg"),
        (b"fLaC" + bytes(12), "audio/flac"),
        (b"ID3\x04" + bytes(12), "audio/mpeg"),
        (b"RIFF\0\0\0\0AVI LIST", None),
        (b"<svg></svg>", None),
        (b"", None),
    ],
)
def test_a_medium_is_what_its_first_bytes_say(data: bytes, mime: str | None) -> None:
    assert media_type(data) == mime


@pytest.mark.statement(52)
@pytest.mark.parametrize("kind", ["image", "audio"])
@pytest.mark.parametrize("takes", [True, False])
async def test_pictures_and_sounds_are_gated(desk: Desk, kind: str, takes: bool) -> None:
    data = PNG if kind == "image" else b"OggS" + bytes(12)
    item = {kind: place(desk, "named.txt", data)}
    blocks = await sent(desk, item, takes={kind: takes})
    assert [(block["type"], block["mimeType"]) for block in blocks] == (
        [(kind, media_type(data))] if takes else []
    )
    if not takes:
        await desk.message("left out of the prompt", f"takes no {kind}", "named.txt")


@pytest.mark.statement(51, 52, 53)
@pytest.mark.parametrize("takes", [True, False])
async def test_a_file_that_is_a_picture_is_shown_or_linked(desk: Desk, takes: bool) -> None:
    (block,) = await sent(desk, {"file": place(desk, "a b.png", PNG)}, takes={"image": takes})
    if takes:
        assert (block["type"], block["mimeType"]) == ("image", "image/png")
    else:
        assert (block["type"], block["uri"]) == ("resource_link", f"file://{desk.folder}/a%20b.png")
    assert desk.messages("warn") == []


@pytest.mark.statement(51)
async def test_what_is_no_text_or_too_long_is_linked(desk: Desk) -> None:
    (desk.folder / "folder").mkdir()
    names = {"nul": b"a\0b", "latin": b"\xe4\n", "long.txt": b"x" * (limits.ATTACHED_TEXT_BYTES + 1)}
    files = [place(desk, name, data) for name, data in names.items()] + [str(desk.folder / "folder")]
    blocks = await sent(desk, *({"file": file} for file in files))
    assert [(block["type"], block["uri"]) for block in blocks] == [
        ("resource_link", f"file://{file}") for file in files
    ]
    await desk.message("long.txt is 1.0 MB: linked, not embedded")


async def test_lines_of_a_file_that_is_not_loaded(desk: Desk) -> None:
    file = place(desk, "a.txt", "\ufeffone\r\ntwo\nthree".encode())
    parts = ({"first": 1, "last": 1}, {"first": 2, "last": 99}, {"first": 3}, {"first": 4, "last": 5})
    blocks = await sent(desk, *({"file": file, **part} for part in parts))
    told = [(block["resource"]["uri"].partition("#")[2], block["resource"]["text"]) for block in blocks]
    assert told == [("L1", "one\r\n"), ("L2-99", "two\nthree"), ("L3", "three")]
    await desk.message("a.txt has no line 4")


async def test_what_cannot_be_read_is_told_under_the_prompt(desk: Desk) -> None:
    os.mkfifo(desk.folder / "pipe")
    huge = desk.folder / "huge.png"
    with huge.open("wb") as file:
        file.write(PNG)
        file.truncate(limits.ATTACHED_MEDIA_BYTES + 1)
    (desk.folder / "folder").mkdir()
    items = [
        {"file": str(desk.folder / "pipe")},
        {"image": str(huge)},
        {"image": str(desk.folder / "folder")},
        {"image": place(desk, "a.png", b"no picture")},
        {"file": "/nowhere/gone"},
        {"missing": "the buffer of (a 1-2) is gone"},
    ]
    assert await sent(desk, *items) == []
    lines = desk.editor.chat(1).lines
    whys = (
        "pipe is not a regular file",
        "10.0 MB",
        "is a folder",
        "a.png is not PNG",
        "gone: No such",
        "is gone",
    )
    for why in whys:
        assert [line for line in lines if why in line and line.startswith("left out of the prompt")], why
    assert not [line for line in lines if line.startswith("with ")]
    await desk.message("6 attachments were changed or left out")


async def test_a_prompt_is_bounded_as_a_whole(desk: Desk) -> None:
    file = place(desk, "large.txt", b"x" * limits.ATTACHED_TEXT_BYTES)
    count = limits.PROMPT_CHARS // limits.ATTACHED_TEXT_BYTES
    blocks = await sent(desk, *({"file": file} for _ in range(count + 1)), {"title": "t", "text": "x"})
    assert len(blocks) == count
    await desk.message("attachments were changed or left out")


@pytest.mark.statement(51)
@pytest.mark.parametrize("embeds", [True, False])
async def test_unsaved_text_reaches_an_agent_that_only_takes_links(desk: Desk, embeds: bool) -> None:
    item = {"file": place(desk, "a.txt", b"saved\n"), "lines": ["un\udce4saved\0"], "unsaved": True}
    blocks = await sent(desk, item, takes={"embeddedContext": embeds})
    if embeds:
        assert [block["resource"]["text"] for block in blocks] == ["un\ufffdsaved\0\n"]
    else:
        assert [block["type"] for block in blocks] == ["resource_link", "text"]
        assert "un\ufffdsaved" in blocks[1]["text"]


async def test_texts_go_along_under_their_title_and_are_named_in_the_chat(desk: Desk) -> None:
    texts = [
        {"title": "diagnostics of a.py", "text": "1:1 error: no"},
        {"text": "x" * (limits.ATTACHED_TEXT_BYTES + 5)},
    ]
    first, second = await sent(desk, *texts)
    assert first == {"type": "text", "text": "diagnostics of a.py:\n1:1 error: no"}
    assert second["text"].endswith("x\n… cut here")
    assert desk.editor.chat(1).lines[2:4] == ["with diagnostics of a.py", "with text"]


async def test_an_edit_in_the_queue_keeps_what_goes_along(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt("busy", wait("session/cancel")), on_initialize(promptCapabilities=EVERYTHING)
    )
    talk = await desk.ready()
    talk.prompt("busy")
    for text, name in (("same", "a"), ("same", "b"), ("other", "c")):
        talk.prompt(text, context=[{"file": place(desk, name, name.encode())}])
    talk.send("queue_open")
    await talk.until("running")
    items = [(2, "same", False), (3, "same", False), (4, "edited", True)]
    talk.edit_queue(items, shown=[2, 3, 4])
    await desk.message("3 prompts queued")
    assert [each["attached"] for each in desk.editor.queues[talk.number]] == [["a"], ["b"], ["c"]]
    talk.send("cancel")
    await talk.ended(1)
    talk.send("queue_release")
    await talk.ended(4)
    prompts = [message["params"]["prompt"] for message in agent.got("session/prompt")[1:]]
    assert [(blocks[0]["text"], blocks[1]["resource"]["text"]) for blocks in prompts] == [
        ("same", "a"),
        ("same", "b"),
        ("edited", "c"),
    ]


async def test_only_what_the_user_said_is_recalled(desk: Desk) -> None:
    desk.agent(on_prompt("", say("Hi")))
    talk = await desk.ready()
    await talk.turn("hello\n\nthere ")
    keys = {mark["kind"]: mark["key"] for mark in reversed(desk.editor.chat(1).marks) if "key" in mark}
    talk.send("recall", key=keys["agent"])
    talk.send("recall", key=999)
    talk.send("recall", key=keys["user"])
    await talk.turn("again")
    assert desk.editor.recalled == {1: "hello\n\nthere "}
