"""Finds and ends processes of agents and commands, prepares their pipes, and matches regular expressions in a process
of its own."""
