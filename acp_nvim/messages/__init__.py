"""Every message between the two halves, one class each, a module for each subject.

In each stand the parts that messages hold, what Lua tells (`Command`), and what Lua is asked to do (`Call`);
`base_classes` says what these are. Lua has the same as types, made from these classes by `tests/tools/messages.py`.
"""
