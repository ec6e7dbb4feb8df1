"""The queue: order, hold and release."""

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.queue import Prompt, Queue


def sent(queue: Queue) -> list[str]:
    texts = []
    while prompt := queue.take():
        texts.append(prompt.text)
    return texts


def queue_of(*texts: str) -> Queue:
    queue = Queue()
    for text in texts:
        queue.add(Prompt(text))
    return queue


def test_prompts_leave_in_their_order() -> None:
    assert sent(queue_of("a", "b", "c")) == ["a", "b", "c"]


def test_a_held_queue_gives_nothing() -> None:
    queue = queue_of("a", "b")
    queue.hold()
    assert queue.held
    assert sent(queue) == []
    assert len(queue) == 2


def test_an_empty_queue_is_not_held() -> None:
    queue = Queue()
    queue.hold()
    assert not queue.held


def test_the_next_send_goes_first_and_releases_what_waits_behind_it() -> None:
    queue = queue_of("a", "b")
    queue.hold()
    queue.add(Prompt("now"))
    queue.add(Prompt("then"))
    assert not queue.held
    assert sent(queue) == ["now", "then", "a", "b"]


def test_release_lets_it_go_on() -> None:
    queue = queue_of("a")
    queue.hold()
    queue.release()
    assert sent(queue) == ["a"]


def test_first_goes_before_what_waits() -> None:
    queue = queue_of("a", "b")
    queue.add(Prompt("urgent"), first=True)
    assert sent(queue) == ["urgent", "a", "b"]


def test_after_first_has_gone_the_order_is_as_usual() -> None:
    queue = queue_of("a")
    queue.add(Prompt("urgent"), first=True)
    assert queue.take() == Prompt("urgent")
    queue.add(Prompt("b"))
    assert sent(queue) == ["a", "b"]


def test_clearing_gives_the_texts_back() -> None:
    queue = queue_of("a", "b")
    assert queue.clear() == ["a", "b"]
    assert sent(queue) == []


@given(st.lists(st.sampled_from(["add", "first", "hold", "release", "take", "clear"]), max_size=30))
def test_nothing_is_lost_or_doubled(steps: list[str]) -> None:
    queue, put, got = Queue(), [], []
    for number, step in enumerate(steps):
        if step in ("add", "first"):
            queue.add(Prompt(str(number)), first=step == "first")
            put.append(str(number))
        elif step == "take" and (prompt := queue.take()):
            got.append(prompt.text)
        elif step == "clear":
            got += queue.clear()
        elif step in ("hold", "release"):
            getattr(queue, step)()
    assert sorted(got + queue.texts) == sorted(put)


def test_what_goes_along_is_named_in_a_few_words() -> None:
    prompt = Prompt(
        "x",
        [
            {"file": "/a/parse.py", "first": 10, "last": 24},
            {"file": "/a/parse.py", "first": 3, "last": 3},
            {"file": "/a/src/"},
            {"image": "/a/shot.png"},
            {"audio": "/a/word.ogg"},
            {"title": "diagnostics of a.py", "text": "…"},
            {"missing": "it is gone"},
        ],
    )
    assert prompt.attached == [
        "parse.py 10-24",
        "parse.py 3",
        "src",
        "image shot.png",
        "audio word.ogg",
        "diagnostics of a.py",
    ]
