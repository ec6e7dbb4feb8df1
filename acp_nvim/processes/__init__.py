"""Processes of agents and commands, found and ended; and one of ours that matches regular expressions."""
