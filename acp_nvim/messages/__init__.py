"""Every message between the two halves, one class each: `commands` from Lua to Python, `calls` from Python to Lua.

Lua has the same as types, made from these classes by `tests/tools/messages.py`.
"""
