"""What a user feels in a file with very many pending hunks: a key to the screen, an undo to the screen."""

import time

from keys import TIMEOUT, pressed

UNDO = "<F5>"
PREPARE = f"""vim.cmd.stopinsert()
vim.fn.win_gotoid(vim.fn.bufwinid("large.txt"))
vim.keymap.set("n", "{UNDO}", "<Cmd>Acp undo<CR>")
vim.cmd("normal! gg")
return #require("acp_nvim").changes({{ all = true }})"""


CHANGED = """local count = 0
for _, file in ipairs(require("acp_nvim").changes({ all = true })) do count = count + #file.hunks end
return require("acp_nvim").status().state ~= "running" and count"""


def measure(editor):
    editor.open()
    editor.rpc.lua("Bench.watch(...)", editor.chan)
    editor.rpc.notify("nvim_exec_lua", "Bench.send(...)", ["load:" + editor.load])
    if not editor.rpc.wait_note("bench_done", editor.opts.timeout):
        return {"timeout": editor.opts.timeout}
    editor.until_quiet(time.monotonic() + editor.opts.timeout)
    if not editor.rpc.lua(PREPARE):
        return {"fail": "nothing is in review"}
    editor.until_quiet(time.monotonic() + TIMEOUT)
    undone = []
    for _ in range(20):
        editor.rpc.notify("nvim_input", "]h")
        editor.until_quiet(time.monotonic() + TIMEOUT)
        undone.append(pressed(editor.rpc, UNDO) * 1000)
    editor.rpc.notify("nvim_input", "]ho")
    editor.until_quiet(time.monotonic() + TIMEOUT)
    typed = [pressed(editor.rpc, "a") * 1000 for _ in range(200)]
    return {
        "undo": sorted(undone)[len(undone) // 2],
        "typing_p99": sorted(typed)[int(len(typed) * 0.99)],
        "info": editor.rpc.lua("return Bench.info()"),
    }


def measure_memory(editor):
    """What Neovim has grown by once each of several turns has changed other lines of one file."""
    editor.open()
    before = memory_of(editor)
    _, lines, turns = editor.load.split(":")
    for turn in range(1, int(turns) + 1):
        editor.rpc.notify("nvim_exec_lua", "Bench.send(...)", ["load:" + editor.load])
        deadline = time.monotonic() + editor.opts.timeout
        while editor.rpc.lua(CHANGED) != int(lines) // 2 // int(turns) * turn:
            if time.monotonic() > deadline:
                return {"timeout": editor.opts.timeout}
            time.sleep(0.05)
        editor.until_quiet(deadline)
    return {"rss_grown": memory_of(editor) - before, "info": editor.rpc.lua("return Bench.info()")}


def memory_of(editor):
    """MB that are resident, without garbage."""
    editor.rpc.lua("collectgarbage() collectgarbage()")
    with open(f"/proc/{editor.proc.pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))
