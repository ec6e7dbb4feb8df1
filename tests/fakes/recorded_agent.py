"""An agent that says again what a real one has said: `python recorded_agent.py SCENARIO LOG`. Standard library only.

SCENARIO is a saved wire. Its lines to us are waited for, by their method or by the request that they answer, and
those from the agent are sent, with the ids that our side has given meanwhile and in the folder it works in. What our
side says besides is left alone. LOG gets the number of each line that is waited for, and what has come for it.
"""

import json
import sys

PROJECT = "/project"


class Agent:
    def __init__(self, scenario, log):
        with open(scenario, encoding="utf-8") as lines:
            self.entries = [json.loads(line) for line in lines]
        self.log_file = open(log, "a", buffering=1)  # noqa: SIM115  it stays open to the end
        self.waiting = []  # what has come and was not waited for yet
        self.ids = {}  # of requests to the agent: recorded, now
        self.names = {}  # of terminals and the project: recorded, now

    def log(self, **entry):
        self.log_file.write(json.dumps(entry) + "\n")

    def run(self):
        for number, entry in enumerate(self.entries):
            if entry["dir"] == "->":
                self.log(waits=number)
                self.await_like(entry["msg"])
            elif entry["dir"] == "<-":
                self.say(entry["msg"])
        self.log(over=True)
        while self.read():
            pass

    def read(self):
        line = sys.stdin.buffer.readline()
        return json.loads(line) if line else None

    def await_like(self, wanted):
        """Until a message comes that takes the place of the recorded one."""
        while not (found := next((each for each in self.waiting if like(each, wanted)), None)):
            message = self.read()
            if message is None:
                sys.exit(0)
            self.waiting.append(message)
        self.waiting.remove(found)
        self.log(got=found)
        if "method" in wanted:
            if "id" in wanted:
                self.ids[json.dumps(wanted["id"])] = found["id"]
            if "cwd" in wanted.get("params", {}):
                self.names[PROJECT] = found["params"]["cwd"]
        elif isinstance(wanted.get("result"), dict) and "terminalId" in wanted["result"]:
            self.names[wanted["result"]["terminalId"]] = found["result"]["terminalId"]

    def say(self, message):
        if "method" not in message:
            message = {**message, "id": self.ids[json.dumps(message["id"])]}
        text = json.dumps(message, ensure_ascii=False)
        for name, now in self.names.items():
            text = text.replace(name, now)
        sys.stdout.buffer.write(text.encode() + b"\n")
        sys.stdout.buffer.flush()


def like(message, wanted):
    if "method" in wanted:
        return message.get("method") == wanted["method"]
    return "method" not in message and message.get("id") == wanted["id"]


if __name__ == "__main__":
    Agent(sys.argv[1], sys.argv[2]).run()
