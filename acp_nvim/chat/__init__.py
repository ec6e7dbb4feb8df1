"""Turns a transcript into the edits of the buffer that shows it, the chat. No I/O, no editor."""
