"""What a user feels in a long chat: from a key to the screen that shows what it did."""

import time

CHUNKS, SIZE, CALLS = 15_200, 80, 10  # some 50,000 lines, and tool calls to open
STROKES = {
    "typing": ("prompt", ["a"] * 200),
    "scrolling": ("chat", ["<C-u>"] * 100 + ["<C-d>"] * 50),
    "folding": ("chat", ["[t"] + ["zo", "zc"] * 40),
}
TIMEOUT = 2.0


def measure(editor):
    editor.open()
    for load in (f"chunks:{CHUNKS}:{SIZE}", f"tools:{CALLS}"):
        editor.rpc.lua("Bench.watch(...)", editor.chan)
        editor.rpc.notify("nvim_exec_lua", "Bench.send(...)", ["load:" + load])
        if not editor.rpc.wait_note("bench_done", editor.opts.timeout):
            return {"timeout": editor.opts.timeout, "why": load}
        editor.until_quiet(time.monotonic() + editor.opts.timeout)
        with editor.rpc.cond:
            editor.rpc.notes.clear()
    result = {}
    for name, (place, strokes) in STROKES.items():
        editor.rpc.lua("Bench.adapter.focus(...)", place)
        editor.until_quiet(time.monotonic() + TIMEOUT)
        waits = sorted(pressed(editor.rpc, key) * 1000 for key in strokes)
        result.update({f"{name}_p50": waits[len(waits) // 2], f"{name}_p99": waits[int(len(waits) * 0.99)]})
    result["info"] = editor.rpc.lua("return Bench.info()")
    return result


def pressed(rpc, key):
    """Seconds until the screen has changed and is at rest."""
    before, began = rpc.flushes, time.monotonic()
    rpc.notify("nvim_input", key)
    while rpc.flushes == before and time.monotonic() < began + TIMEOUT:
        time.sleep(0.0002)
    took = time.monotonic() - began
    time.sleep(0.005)  # a user's fingers are no faster
    return took
