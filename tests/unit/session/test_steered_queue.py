"""Prompts that steer, in the queue: whatever happens in whatever order, each is delivered once or still waits."""

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.queue import Prompt, Queue

STEPS = st.lists(
    st.sampled_from(
        ["add", "first", "steer", "move", "begin", "taken", "back", "turn ends", "hold", "release", "take"]
    ),
    max_size=60,
)


class World:
    """A queue, and where its prompts have gone."""

    def __init__(self) -> None:
        self.queue = Queue()
        self.made: list[str] = []
        self.sent: list[str] = []
        self.steered: list[str] = []
        self.in_flight: Prompt | None = None

    def new(self) -> Prompt:
        self.made.append(f"prompt {len(self.made)}")
        return Prompt(self.made[-1], seq=len(self.made))

    def play(self, step: str) -> None:
        queue = self.queue
        match step:
            case "add":
                queue.add(self.new())
            case "first":
                queue.add(self.new(), first=True)
            case "steer":
                queue.steer(self.new())
            case "move" if queue.texts:
                queue.steer_waiting(queue.prompts[-1].seq)
            case "begin" if self.in_flight is None:
                self.in_flight = queue.begin_steering()
            case "taken" if self.in_flight:
                queue.steered()
                self.steered.append(self.in_flight.text)
                self.in_flight = None
            case "back" if self.in_flight:
                queue.stop_steering(sent=True)
                assert queue.texts[0] == self.in_flight.text
                self.in_flight = None
            case "turn ends":
                queue.stop_steering()
            case "hold":
                queue.hold()
            case "release":
                queue.release()
            case "take" if found := queue.take():
                self.sent.append(found.text)


def numbers(waiting: list[int]) -> list[str]:
    return [f"prompt {seq - 1}" for seq in waiting]


@given(STEPS)
def test_no_prompt_is_lost_or_delivered_twice(steps: list[str]) -> None:
    world = World()
    for step in steps:
        world.play(step)
        queue = world.queue
        flying = [world.in_flight.text] if world.in_flight else []
        everywhere = [*world.sent, *world.steered, *flying, *queue.texts]
        assert sorted(everywhere) == sorted(world.made)
        assert numbers(queue.waiting) == [*flying, *queue.texts], "the editor keeps what may still be sent"
        assert len(queue) == len(queue.texts)


def test_what_came_back_goes_first_and_the_rest_keeps_its_order() -> None:
    queue = Queue()
    queue.add(Prompt("a", seq=1))
    queue.add(Prompt("b", seq=2))
    for text in ("1", "2", "3"):
        queue.steer(Prompt(text))
    assert queue.texts == ["1", "2", "3", "a", "b"]
    assert queue.steer_waiting(2)
    assert not queue.steer_waiting(2)
    queue.begin_steering()
    assert [prompt.text for prompt in queue.stop_steering(sent=True)] == ["1", "2", "3", "b"]
    assert queue.texts == ["1", "2", "3", "b", "a"]
