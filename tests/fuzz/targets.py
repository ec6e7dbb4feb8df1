"""What the inputs are thrown at, and what must hold whatever they are. One call is one input."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgpack

from acp_nvim.chat.chat_view import ChatView
from acp_nvim.permissions import elicitation, request
from acp_nvim.proposals import agent_change
from acp_nvim.protocol import decode, dialects
from acp_nvim.protocol.dialects import DIALECTS
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.errors import RpcError
from acp_nvim.protocol.framing import LineSplitter
from acp_nvim.protocol.jsonrpc import Failure, Notification, Peer, Request, Response, Stray
from acp_nvim.session.asker import Asker
from acp_nvim.session.permission_scope import scope
from acp_nvim.session.session import Session
from acp_nvim.session.status import StatusChanges
from acp_nvim.text import diff_view, line_diff
from acp_nvim.text import unified_patch as patch
from tests.fakes.editor import ChatBuffer
from tests.fuzz.inputs import bent, data, nearby, pieces, text


def framing(rng: random.Random) -> None:
    """Bytes give the same lines however they are cut; none is longer than the limit, none holds a line's end."""
    whole = data(rng)
    limit = rng.choice((20, 200, 10**6))
    at_once, cut = LineSplitter(limit), LineSplitter(limit)
    lines = at_once.feed(whole) + at_once.finish()
    assert lines == [line for piece in pieces(rng, whole) for line in cut.feed(piece)] + cut.finish()
    assert len(at_once.dropped) == len(cut.dropped)
    assert not any(b"\n" in line or len(line) > limit or not line.strip() for line in lines)


def peer(rng: random.Random) -> None:
    """Every request can be answered with the id that it came with; nothing is lost without a word."""
    mine = Peer(rng.choice((300, 10**6)))
    asked = {mine.request("x", {})[0] for _ in range(rng.randint(0, 3))}
    events = [event for piece in pieces(rng, data(rng)) for event in mine.receive(piece)] + mine.finish()
    answered = [event.id for event in events if isinstance(event, Response | Failure)]
    assert len(answered) == len(set(answered))
    assert asked >= set(answered)
    assert set(mine.pending) == asked - set(answered)
    for event in events:
        assert isinstance(event, Request | Notification | Response | Failure | Stray)
        repr(event).encode()
        if isinstance(event, Request):
            sent = json.loads(mine.respond(event.id, event.params))
            assert sent["id"] == event.id or event.id != event.id


DECODERS: list[Callable[[Any], object]] = [
    decode.initialized,
    decode.new_session,
    decode.saved_sessions,
    decode.prompt_answer,
    decode.elicitation,
    lambda raw: decode.ask(raw) if isinstance(raw, dict) else None,
    *(lambda raw, dialect=dialect: decode.update(raw, dialect) for dialect in DIALECTS.values()),
    *(lambda raw, dialect=dialect: decode.permission(raw, dialect) for dialect in DIALECTS.values()),
]


def normaliser(rng: random.Random) -> None:
    """Every method in every dialect takes what the peer lets through."""
    [event] = Peer().receive(json.dumps(bent(rng)).encode(errors="replace") + b"\n")
    for raw in (getattr(event, "params", None), getattr(event, "result", None)):
        for decoder in rng.sample(DECODERS, 3):
            decoder(raw)


def asked(event: Request, session: Session, dialect: Dialect, step: int) -> None:
    """What it asks the user, and what rules would see of it."""
    if event.method == "elicitation/create":
        with suppress(RpcError):  # what is no form is refused
            question = elicitation.posed(decode.elicitation(event.params), session)
            session.questions.ask(question, None, step)
            if question.form:
                question.form.check({name: each.default for name, each in question.form.fields.items()})
    elif dialects.asks(event.method):
        dialect = dialects.of_permission(event.method, event.params, dialect)
        asker = Asker(session, "child", "child") if step % 2 else Asker(session)
        question, call = request.posed(decode.permission(event.params, dialect), asker, event.id, dialect)
        session.questions.ask(question, call, step)
        if known := session.transcript.calls.find(call.id):
            scope(known, "fuzz", "/w", str, ("/w",))


def view(rng: random.Random) -> None:
    """What an agent says becomes a chat, and edits of its buffer add up to the chat drawn anew."""
    dialect = rng.choice(list(DIALECTS.values()))
    session = Session(1, "fuzz", "/w")
    session.ready("s")
    shown, buffer = ChatView(session.transcript, lambda: "Agent", "/w", lambda _: "out\n"), ChatBuffer()
    for step in range(rng.randint(1, 5)):
        message = bent(rng)
        [event] = Peer().receive(json.dumps(message).encode(errors="replace") + b"\n")
        if isinstance(event, Notification):
            for update in decode.update(event.params, dialect)[1]:
                session.apply(update, step)
        elif isinstance(event, Request):
            asked(event, session, dialect, step)
        if rng.random() < 0.6:
            buffer.apply(shown.flush(rng.randint(1, 9), rng.randint(1, 90))[0], shown.total)
    place = session.follow.take(float(10**9), lambda path: True)
    told = [
        shown.total,
        StatusChanges(session).take(),
        session.events.take(),
        [each.shape() for each in session.questions],
    ]
    msgpack.packb(
        [*told, session.commands.shapes, place], unicode_errors="surrogateescape"
    )  # which has 64 bits
    while True:
        ops, more = shown.flush(10**6, 10**9, True)
        buffer.apply(ops, shown.total)
        if not more and not shown.waiting:
            break
    fresh, anew = ChatView(session.transcript, lambda: "Agent", "/w", lambda _: "out\n"), ChatBuffer()
    anew.apply(fresh.flush(10**6, 10**9)[0], fresh.total)
    assert (buffer.lines, buffer.marks) == (anew.lines, anew.marks)


def hunks(rng: random.Random) -> None:
    """Edits make one text of the other, and counts are those of the view; no patch or proposal is too odd."""
    old = text(rng).split("\n")
    new = nearby(rng, old)
    assert line_diff.apply(old, line_diff.edits(old, new)) == new
    one, other = "\n".join(old), "\n".join(new)
    signs = [sign for sign, _ in diff_view.unified(one, other)]
    assert (signs.count("+"), signs.count("-")) == diff_view.counts(one, other)
    patch.parse_patch("\n".join(nearby(rng, ["--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", " a", "-b", "+c"])))
    maybe = [None, "\n".join(old), "\n".join(new), text(rng, 3)]
    changes = [
        agent_change.Change(rng.choice(maybe), rng.choice(maybe), rng.random() < 0.5)
        for _ in range(rng.randint(1, 3))
    ]
    agent_change.find_place(rng.choice(maybe), rng.choice(maybe), changes)


TARGETS: dict[str, Callable[[random.Random], None]] = {
    target.__name__: target for target in (framing, peer, normaliser, view, hunks)
}
