"""A toy language server: it knows words. Standard library only.

    python language_server.py          speaks over stdin and stdout

A symbol is a word, wherever it stands in the `.py` files of the root. A line with `broken` has an error, one with
`sloppy` a warning. Formatting removes blanks at the ends of lines. Code actions: "Mend the line" (an edit), "Mend it
later" (resolved first), "Mend by command" (the server asks for the edit), "Open a menu" (a command of the editor).
"""

import json
import re
import sys
from pathlib import Path
from urllib.parse import quote, unquote

WORD = re.compile(r"\w+")


class Server:
    def __init__(self) -> None:
        self.root = Path()
        self.open: dict[str, str] = {}
        self.number = 0

    # --- the wire

    def read(self):
        length = 0
        while (line := sys.stdin.buffer.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(sys.stdin.buffer.read(length)) if length else None

    def send(self, **message) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        sys.stdout.buffer.flush()

    def run(self) -> None:
        while message := self.read():
            method = message.get("method", "")
            name = "do_" + method.replace("/", "_").replace("$", "")
            if method == "exit":
                return
            result = getattr(self, name, lambda params: None)(message.get("params") or {})
            if "id" in message and method:
                self.send(id=message["id"], result=result)

    # --- texts

    def files(self):
        found = {uri_of(path): path.read_text() for path in sorted(self.root.glob("*.py"))}
        return {**found, **self.open}

    def lines(self, params):
        return self.files()[params["textDocument"]["uri"]].split("\n")

    def word(self, params):
        place = params["position"]
        line = self.lines(params)[place["line"]]
        at = len(line.encode("utf-16-le")[: 2 * place["character"]].decode("utf-16-le"))
        return next(found[0] for found in WORD.finditer(line) if found.start() <= at <= found.end())

    def places(self, word):
        for uri, text in self.files().items():
            for row, line in enumerate(text.split("\n")):
                for found in re.finditer(rf"\b{re.escape(word)}\b", line):
                    yield uri, range_of(line, row, found.start(), found.end())

    # --- methods

    def do_initialize(self, params):
        self.root = Path(unquote(params["rootUri"].removeprefix("file://")))
        offers = ("hover", "definition", "references", "rename", "documentFormatting", "workspaceSymbol")
        return {
            "capabilities": {
                **{f"{name}Provider": True for name in offers},
                "codeActionProvider": {"resolveProvider": True},
                "executeCommandProvider": {"commands": ["mend"]},
                "textDocumentSync": 1,
            }
        }

    def do_textDocument_didOpen(self, params):
        document = params["textDocument"]
        self.open[document["uri"]] = document["text"]
        self.diagnose(document["uri"])

    def do_textDocument_didChange(self, params):
        uri = params["textDocument"]["uri"]
        self.open[uri] = params["contentChanges"][-1]["text"]
        self.diagnose(uri)

    def do_textDocument_didClose(self, params):
        self.open.pop(params["textDocument"]["uri"], None)

    def diagnose(self, uri):
        found = [
            {
                "range": range_of(line, row, 0, len(line)),
                "severity": level,
                "message": f"{word} line",
                "source": "toy",
            }
            for row, line in enumerate(self.open[uri].split("\n"))
            for word, level in (("broken", 1), ("sloppy", 2))
            if word in line
        ]
        self.send(method="textDocument/publishDiagnostics", params={"uri": uri, "diagnostics": found})

    def do_textDocument_hover(self, params):
        return {"contents": {"kind": "markdown", "value": f"**{self.word(params)}** is a word"}}

    def do_textDocument_definition(self, params):
        word = self.word(params)
        found = [place for place in self.places(word) if self.is_definition(*place)]
        return [{"uri": uri, "range": range} for uri, range in found]

    def is_definition(self, uri, range):
        line = self.files()[uri].split("\n")[range["start"]["line"]]
        return line.startswith("def ")

    def do_textDocument_references(self, params):
        return [{"uri": uri, "range": range} for uri, range in self.places(self.word(params))]

    def do_workspace_symbol(self, params):
        found = []
        for uri, text in self.files().items():
            for row, line in enumerate(text.split("\n")):
                name = re.match(r"def (\w+)", line)
                if name and params["query"] in name[1]:
                    where = {"uri": uri, "range": range_of(line, row, 4, 4 + len(name[1]))}
                    found.append({"name": name[1], "kind": 12, "location": where})
        return found

    def do_textDocument_rename(self, params):
        changes = {}
        for uri, range in self.places(self.word(params)):
            changes.setdefault(uri, []).append({"range": range, "newText": params["newName"]})
        return {"changes": changes}

    def do_textDocument_formatting(self, params):
        lines = self.lines(params)
        return [
            {"range": range_of(line, row, len(line.rstrip()), len(line)), "newText": ""}
            for row, line in enumerate(lines)
            if line != line.rstrip()
        ]

    def do_textDocument_codeAction(self, params):
        uri, row = params["textDocument"]["uri"], params["range"]["start"]["line"]
        data = {"uri": uri, "row": row}
        command = {"title": "mend", "command": "mend", "arguments": [data]}
        menu = {"title": "menu", "command": "editor.menu", "arguments": []}
        return [
            {"title": "Mend the line", "edit": self.mended(data)},
            {"title": "Mend it later", "data": data},
            {"title": "Mend by command", "command": command},
            {"title": "Open a menu", "command": menu},
        ]

    def do_codeAction_resolve(self, action):
        return {**action, "edit": self.mended(action["data"])}

    def do_workspace_executeCommand(self, params):
        self.number += 1
        edit = self.mended(params["arguments"][0])
        self.send(id=f"server-{self.number}", method="workspace/applyEdit", params={"edit": edit})

    def mended(self, data):
        uri, row = data["uri"], data["row"]
        line = self.files()[uri].split("\n")[row]
        at = line.find("broken")
        edit = {"range": range_of(line, row, at, at + len("broken")), "newText": "mended"}
        return {"documentChanges": [{"textDocument": {"uri": uri, "version": None}, "edits": [edit]}]}


def uri_of(path):
    return "file://" + quote(str(path))


def range_of(line, row, first, last):
    def units(at):
        return len(line[:at].encode("utf-16-le")) // 2

    return {"start": {"line": row, "character": units(first)}, "end": {"line": row, "character": units(last)}}


if __name__ == "__main__":
    Server().run()
