"""What a prompt waits for in a repository: from `:Acp prompt` to the agent, while somebody types in the prompt."""

import os
import subprocess
import time

from keys import TIMEOUT, pressed

PROMPTS = 40


def make(root, files, changed):
    """Commit so many files below the root, and change some of them."""
    places = [os.path.join(root, f"part{number % 50}", f"module{number}.py") for number in range(files)]
    for place in places:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w") as file:
            file.writelines(f"def function_{line}():\n    return {line}\n\n" for line in range(40))
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", root]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True, stdin=subprocess.DEVNULL)
    for place in places[:changed]:
        with open(place, "a") as file:
            file.write("changed = True\n")


def measure(editor):
    make(editor.root, *map(int, editor.load.split(":")[1:]))
    editor.open()
    editor.rpc.lua("Bench.adapter.focus(...)", "prompt")
    departures, waits = [], []
    for number in range(1, PROMPTS + 1):
        editor.until_quiet(time.monotonic() + TIMEOUT)
        began = time.monotonic()
        editor.rpc.notify("nvim_exec_lua", "Bench.send(...)", ["load:noop"])
        deadline = began + editor.opts.timeout
        while len(arrived := editor.arrivals()) < number:
            waits.append(pressed(editor.rpc, "a") * 1000)
            if time.monotonic() > deadline:
                return {"timeout": editor.opts.timeout}
        departures.append((arrived[-1] - began) * 1000)
    departures, waits = sorted(departures), sorted(waits)
    return {
        "departure_median": departures[len(departures) // 2],
        "departure_p99": departures[int(len(departures) * 0.99)],
        "typing_p99": waits[int(len(waits) * 0.99)],
    }
