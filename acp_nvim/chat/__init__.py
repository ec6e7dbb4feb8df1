"""The chat: turns a transcript into the edits of the buffer that shows it. No I/O, no editor."""
