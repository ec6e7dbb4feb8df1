"""Finds and ends processes of agents and commands, and matches regular expressions in a process of its own."""
