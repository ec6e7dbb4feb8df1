"""A small, complete ACP agent: no model, no network, no key; standard library only.

`python -I -m acp_nvim.demo` speaks the Agent Client Protocol, version 1, on its standard input and output. It
is what the plugin starts when no agent is configured, and it is meant to be read by people who want to write
an agent:

    wire.py      JSON-RPC: lines in, lines out, requests in both directions
    agent.py     the methods that a client may call
    session.py   what is remembered of a conversation, and its options
    prompt.py    what the user may have meant
    turn.py      what an agent can do while it answers a prompt: talk, plan, call tools, ask, be cancelled
    scenes.py    the answers: one function for each thing that this agent can show
    editing.py   the answers that change files
    files.py     files, by way of the client or else from the disk
    shell.py     commands, in a terminal of the client or else as children of ours
    texts.py     what it says

It is written with threads: the main thread reads, each turn has a thread of its own, and so a scene is plain
code from top to bottom.
"""
