"""Conversations that are over: transcripts on disk, replay, and export as Markdown."""
