"""Keeps conversations: transcripts on disk, replay, and export as Markdown."""
