"""What we send: initialize, prompts, file URIs."""

import json

import pytest

from acp_nvim.protocol import encode
from acp_nvim.protocol.methods import client_capabilities
from acp_nvim.protocol.schema import Initialized

ALL = {"promptCapabilities": {"embeddedContext": True, "image": True, "audio": True}}


@pytest.mark.statement(24)
def test_initialize_has_the_fields_of_the_standard() -> None:
    assert encode.initialize("0.1.0", client_capabilities(read=True)) == {
        "protocolVersion": 1,
        "clientInfo": {"name": "acp_nvim", "title": "Neovim", "version": "0.1.0"},
        "clientCapabilities": client_capabilities(read=True),
    }


def test_a_session_is_created_or_opened_by_its_id() -> None:
    place = {"cwd": "/p", "mcpServers": []}
    assert encode.session("/p", []) == place
    assert encode.session("/p", [], ("/q",), "s1") == {
        **place,
        "additionalDirectories": ["/q"],
        "sessionId": "s1",
    }


@pytest.mark.statement(50)
def test_a_prompt_is_an_array_of_text() -> None:
    assert encode.fit([encode.text("say hello")], Initialized()) == (
        [{"type": "text", "text": "say hello"}],
        [],
    )


@pytest.mark.statement(51)
def test_a_file_is_embedded_where_the_agent_takes_it() -> None:
    block = encode.file("/p/a.py", "x = 1\n")
    assert encode.fit([block], Initialized(capabilities=ALL)) == (
        [
            {
                "type": "resource",
                "resource": {"uri": "file:///p/a.py", "text": "x = 1\n", "mimeType": "text/plain"},
            }
        ],
        [],
    )


@pytest.mark.statement(51)
def test_a_file_is_a_link_elsewhere() -> None:
    [link], refused = encode.fit([encode.file("/p/a b.py", "x = 1\n")], Initialized())
    assert link == encode.link("/p/a b.py")
    assert link == {"type": "resource_link", "uri": "file:///p/a%20b.py", "name": "a b.py"}
    assert refused == []


@pytest.mark.statement(51)
def test_lines_of_a_file_go_along_as_text_beside_the_link() -> None:
    blocks, _ = encode.fit([encode.file("/p/a.py", "x = 1\n", 10, 24)], Initialized())
    assert blocks == [
        {"type": "resource_link", "uri": "file:///p/a.py#L10-24", "name": "a.py"},
        {"type": "text", "text": "x = 1\n"},
    ]


@pytest.mark.statement(52)
def test_images_and_audio_go_only_where_they_are_taken_and_are_named_elsewhere() -> None:
    blocks = [encode.image(b"\x89PNG", "image/png"), encode.text("?"), encode.audio(b"RIFF", "audio/wav")]
    assert encode.fit(blocks, Initialized(capabilities=ALL)) == (blocks, [])
    assert encode.fit(blocks, Initialized()) == ([blocks[1]], ["image", "audio"])
    assert blocks[0] == {"type": "image", "mimeType": "image/png", "data": "iVBORw=="}


@pytest.mark.statement(53)
@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/a b/é#?%.py", "file:///a%20b/%C3%A9%23%3F%25.py"),
        ("/plain-name_1.~x/y.py", "file:///plain-name_1.~x/y.py"),
        ("/caf\udce9", "file:///caf%E9"),
        ("/漢\n", "file:///%E6%BC%A2%0A"),
    ],
)
def test_file_uris_are_percent_encoded(path: str, uri: str) -> None:
    assert encode.file_uri(path) == uri
    assert json.dumps(uri).isascii()


@pytest.mark.statement(53)
def test_file_uris_name_lines() -> None:
    assert encode.file_uri("/a", 10, 24) == "file:///a#L10-24"
    assert encode.file_uri("/a", 10, 10) == "file:///a#L10"
    assert encode.file_uri("/a", 10) == "file:///a#L10"


@pytest.mark.statement(53)
@pytest.mark.parametrize("path", ["a.py", "./a.py", ""])
def test_a_relative_path_has_no_uri(path: str) -> None:
    with pytest.raises(ValueError, match="absolute"):
        encode.file_uri(path)
