"""Processes that agents and commands have started: how they are found and ended."""
