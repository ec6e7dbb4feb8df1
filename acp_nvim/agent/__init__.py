"""Runs an agent's process: starts it, exchanges messages with it, keeps its requests, and ends it for certain."""
