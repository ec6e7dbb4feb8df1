"""Runs one agent process with its sessions: how they begin, and how a prompt becomes a turn."""
