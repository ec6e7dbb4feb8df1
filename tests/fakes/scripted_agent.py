"""An agent that does what a script tells it, and writes down what reaches it. Standard library only.

    python scripted_agent.py SCRIPT LOG

SCRIPT is one JSON object; tests write it with `tests.fakes.script`:

    {"ignore": ["eof", "term"],              what it does not react to
     "ids": "srv_",                          its own requests are then "srv_0", …; without it 0, 1, …
     "start": [step, …],                     done before anything is read (nothing to wait for there)
     "rules": [{"method": M, "text": T, "times": N, "do": [step, …]}, …]}

A message is given to the first rule of its method whose `text` occurs in its params (always, without `text`)
and which has not been used `times` times already. Its steps run in a thread of their own, so the agent goes
on reading. A request that its steps have not answered is answered at their end, as one that no rule takes:
initialize, session/new (ids "s1", "s2", …), session/prompt ("end_turn", or "cancelled" after a
session/cancel) and other methods of the standard as an agent would, anything else with -32601.

A step is a list: its verb and its arguments. `{session}`, `{id}`, `{cwd}`, `{answer}` (the last answer to a
request of the agent, as JSON), `{n}` (in a repeat) are filled in wherever they occur in its texts.

  to the client   ["update", {…}]            session/update; the session is filled in
                  ["say", text] ["think", text]          the two common ones
                  ["notify", method, params] ["request", method, params] (waits for the answer)
                  ["ask", method, params]    a request without waiting
                  ["result", value] ["error", code, message, data?]      the answer to the message itself
                  ["silence"]                this request is never answered
                  ["raw", text]              exactly this; no newline is added
                  ["bytes", latin1]          one byte a character
                  ["huge", size]             an agent_message_chunk with a text of so many characters
                  ["bytewise", bool]         from now on every byte is a write of its own
                  ["together", [step, …]]    all that these send is one write, up to a step that waits
                  ["stderr", text] ["flood", lines] ["blob", size]       to stderr; a blob has no newline
  waiting         ["wait", method]           until such a message has come since the rule's message
                  ["wait_file", path]        until it exists
                  ["think_for", seconds]     as models do between two words
                  ["wait_eof"]               until stdin has ended
  itself          ["touch", path] ["mark", name]         a file; a line in the log
                  ["write_file", path, text] ["delete_file", path]       as agents do without asking
                  ["shell", line]            a command of the agent's own, in the folder where it was started
                  ["cut_file", path, size]   or made so long with NULs: the end of a write over the old text
                    ["repeat", count, [step, …]]
                  ["obey", path]             steps that are written there as time goes by, a line each, up to ["end"]
                ["when", text, [step, …], [step, …]]   these if the last answer holds the text, else those
                  ["grandchild", {"escapes": bool}]      a child that holds all pipes, in or out of its group
                  ["stop_reading"]           stdin stays open and is read no more (from `start`: never)
                  ["close_stdout"] ["exit", status] ["die", "SIGSEGV"]

LOG gets one JSON object a line: first {"start": {"pid", "argv", "cwd", "env"}}, then {"got": message} for
every line received ({"stray": text} if it is no JSON), {"mark": name}, {"grandchild": pid}, {"eof": true}.
"""

import _json
import _signal as signal
import os
import sys
import threading
import time

ANSWERS = {
    "authenticate": {},
    "logout": {},
    "session/load": {},
    "session/resume": {},
    "session/close": {},
    "session/delete": {},
    "session/list": {"sessions": []},
    "session/set_mode": {},
    "session/set_model": {},
    "session/set_config_option": {},
}
POLL = 0.005


class Reading:
    """What `json` has its scanner do. Its own lines, and what they import, take a third of an agent's start."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_int = int
    parse_float = parse_constant = float


def unknown(value):
    raise TypeError(f"{value!r} is no JSON")


scan = _json.make_scanner(Reading)
writers = {
    is_ascii: _json.make_encoder({}, unknown, encode, None, ": ", ", ", False, False, True)
    for is_ascii, encode in ((True, _json.encode_basestring_ascii), (False, _json.encode_basestring))
}


def loads(text):
    """Raise ValueError where `json.loads` does."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogatepass")
    text = text.strip(" \t\r\n")
    try:
        value, end = scan(text, 0)
    except StopIteration:
        end = -1
    if end != len(text):
        raise ValueError(text)
    return value


def dumps(value, ensure_ascii=True):
    return "".join(writers[ensure_ascii](value, 0))


class Agent:
    def __init__(self, script, log):
        self.script = script
        self.log_file = open(log, "a", buffering=1)  # noqa: SIM115  it stays open to the end
        self.changed = threading.Condition()  # guards all below, and the order of what is written
        self.received = []
        self.eof = self.deaf = False
        self.answers = {}
        self.used = {}
        self.requests = self.sessions = 0
        self.bytewise = False
        self.held = None  # what is to be one write

    def log(self, **entry):
        with self.changed:
            self.log_file.write(dumps(entry) + "\n")

    def write(self, data):
        with self.changed:
            if self.held is not None:
                self.held += data
                return
            pieces = (data[at : at + 1] for at in range(len(data))) if self.bytewise else (data,)
            for piece in pieces:
                while piece:
                    piece = piece[os.write(1, piece) :]

    def send(self, **message):
        text = dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False)
        self.write(text.encode("utf-8", "surrogatepass") + b"\n")

    def number(self):
        with self.changed:
            number, self.requests = self.requests, self.requests + 1
        return self.script["ids"] + str(number) if "ids" in self.script else number

    def release(self):
        with self.changed:
            data, self.held = self.held, None
            self.write(data or b"")

    def until(self, true):
        with self.changed:
            if self.held is not None:
                self.release()
                self.held = b""
            self.changed.wait_for(true)

    # --- reading

    def run(self):
        start = {"pid": os.getpid(), "argv": sys.argv, "cwd": os.getcwd(), "env": dict(os.environ)}
        self.log(start=start)
        Course(self, {}, 0).run(self.script.get("start", []))
        while not self.deaf and (line := sys.stdin.buffer.readline()):
            self.take(line)
        if self.deaf:
            threading.Event().wait()
        with self.changed:
            self.eof = True
            self.changed.notify_all()
        self.log(eof=True)
        if "eof" in self.script.get("ignore", []):
            threading.Event().wait()
        # The steps of rules are daemon threads: they end with the process.

    def take(self, line):
        try:
            message = loads(line)
        except ValueError:
            return self.log(stray=line.decode(errors="replace"))
        self.log(got=message)
        with self.changed:
            self.received.append(message)
            course = Course(self, message, len(self.received))
            if "method" not in message:
                self.answers[message.get("id")] = message.get("result", message.get("error"))
            self.changed.notify_all()
        if "method" not in message:
            return None
        rule = self.rule_for(message)
        if rule is None:
            return course.finish()
        threading.Thread(target=course.follow, args=(rule["do"],), daemon=True).start()
        return None

    def rule_for(self, message):
        params = dumps(message.get("params"), ensure_ascii=False)
        for place, rule in enumerate(self.script.get("rules", [])):
            fits = rule["method"] == message["method"] and rule.get("text", "") in params
            if fits and self.used.get(place, 0) < rule.get("times", float("inf")):
                self.used[place] = self.used.get(place, 0) + 1
                return rule
        return None


class Course:
    """The steps that answer one message."""

    def __init__(self, agent, message, since):
        self.agent = agent
        self.message = message
        self.since = since
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        self.answered = "id" not in message
        self.fill = {
            "{session}": str(params.get("sessionId", f"s{agent.sessions or 1}")),
            "{id}": str(message.get("id")),
            "{cwd}": str(params.get("cwd", os.getcwd())),
            "{answer}": "null",
            "{n}": "",
        }
        if message.get("method") == "session/new":
            agent.sessions += 1
            self.fill["{session}"] = f"s{agent.sessions}"
        elif message.get("method") in ("session/load", "session/resume"):
            number = self.fill["{session}"].removeprefix("s")
            if number.isdecimal():  # one of an earlier process: its id is not another's
                agent.sessions = max(agent.sessions, int(number))

    def follow(self, steps):
        self.run(steps)
        self.finish()

    def run(self, steps):
        for verb, *arguments in steps:
            if verb == "repeat":
                count, inner = arguments
                for number in range(count):
                    self.fill["{n}"] = str(number)
                    self.run(inner)
            elif verb == "together":
                self.agent.held = b""
                self.run(*arguments)
                self.agent.release()
            elif verb == "when":
                text, inner, other = arguments
                self.run(inner if text in self.fill["{answer}"] else other)
            else:
                getattr(self, "do_" + verb)(*self.filled(arguments))

    def filled(self, value):
        if isinstance(value, str):
            for name, text in self.fill.items():
                value = value.replace(name, text)
            return value
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if isinstance(value, dict):
            return {self.filled(key): self.filled(item) for key, item in value.items()}
        return value

    def finish(self):
        method = self.message.get("method")
        if self.answered:
            return
        if method == "initialize":
            info = {"name": "scripted", "title": "Scripted", "version": "1.0"}
            self.do_result({"protocolVersion": 1, "agentInfo": info, "agentCapabilities": {}})
        elif method == "session/new":
            self.do_result({"sessionId": self.fill["{session}"]})
        elif method == "session/prompt":
            self.do_result({"stopReason": "cancelled" if self.has_come("session/cancel") else "end_turn"})
        elif method in ANSWERS:
            self.do_result(ANSWERS[method])
        else:
            self.do_error(-32601, f"unknown method {method}")

    def has_come(self, method):
        with self.agent.changed:
            return any(message.get("method") == method for message in self.agent.received[self.since :])

    # --- to the client

    def do_update(self, update):
        params = {"sessionId": self.fill["{session}"], "update": update}
        self.agent.send(method="session/update", params=params)

    def do_say(self, text):
        content = {"type": "text", "text": text}
        self.do_update({"sessionUpdate": "agent_message_chunk", "content": content})

    def do_think(self, text):
        content = {"type": "text", "text": text}
        self.do_update({"sessionUpdate": "agent_thought_chunk", "content": content})

    def do_huge(self, size):
        self.do_say("x" * size)

    def do_notify(self, method, params):
        self.agent.send(method=method, params=params)

    def do_ask(self, method, params):
        number = self.agent.number()
        self.agent.send(id=number, method=method, params=params)
        return number

    def do_request(self, method, params):
        number = self.do_ask(method, params)
        self.agent.until(lambda: number in self.agent.answers)
        self.fill["{answer}"] = dumps(self.agent.answers[number])

    def do_result(self, value):
        self.answered = True
        self.agent.send(id=self.message["id"], result=value)

    def do_error(self, code, message, data=None):
        self.answered = True
        error = {"code": code, "message": message}
        self.agent.send(id=self.message["id"], error=error if data is None else {**error, "data": data})

    def do_silence(self):
        self.answered = True

    def do_raw(self, text):
        self.agent.write(text.encode("utf-8", "surrogatepass"))

    def do_bytes(self, text):
        self.agent.write(text.encode("latin-1"))

    def do_bytewise(self, on):
        self.agent.bytewise = on

    def do_stderr(self, text):
        os.write(2, text.encode())

    def do_flood(self, lines):
        for number in range(lines):
            os.write(2, b"noise %d of the agent, as some write it without being asked\n" % number)

    def do_blob(self, size):
        data = b"x" * size
        while data:
            data = data[os.write(2, data) :]

    # --- waiting

    def do_wait(self, method):
        self.agent.until(lambda: self.has_come(method))

    def do_think_for(self, seconds):
        time.sleep(seconds)

    def do_wait_file(self, path):
        while not os.path.exists(path):
            time.sleep(POLL)

    def do_obey(self, path):
        self.do_wait_file(path)
        with open(path) as file:
            line = ""
            while line != '["end"]\n':
                if line.endswith("\n"):
                    self.run([loads(line)])
                    self.do_mark("obeyed")
                    line = ""
                line += file.readline()
                if not line.endswith("\n"):
                    time.sleep(POLL)

    def do_wait_eof(self):
        self.agent.until(lambda: self.agent.eof)

    # --- itself

    def do_touch(self, path):
        with open(path, "w"):
            pass

    def do_write_file(self, path, text):
        with open(path, "w", newline="") as file:
            file.write(text)

    def do_cut_file(self, path, size):
        os.truncate(path, size)

    def do_delete_file(self, path):
        os.unlink(path)

    def do_shell(self, command):
        import subprocess

        subprocess.run(["sh", "-c", command], check=True, cwd=self.fill["{cwd}"], stdin=subprocess.DEVNULL)

    def do_mark(self, name):
        self.agent.log(mark=name)

    def do_grandchild(self, how):
        import subprocess  # a fifth of the start, in thousands of tests

        escapes = how.get("escapes", False)
        child = subprocess.Popen(["sleep", "600"], start_new_session=escapes)
        self.agent.log(grandchild=child.pid)

    def do_stop_reading(self):
        self.agent.deaf = True

    def do_close_stdout(self):
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)

    def do_exit(self, status):
        os._exit(status)

    def do_die(self, name):
        os.kill(os.getpid(), getattr(signal, name))
        threading.Event().wait()


def broken(fault):
    """A step that fails must not look like an agent that is silent."""
    sys.__excepthook__(fault.exc_type, fault.exc_value, fault.exc_traceback)
    os._exit(70)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        script = loads(file.read())
    if "term" in script.get("ignore", []):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    threading.excepthook = broken
    Agent(script, sys.argv[2]).run()
    os._exit(0)  # freeing every object takes a tenth of its time


if __name__ == "__main__":
    main()
