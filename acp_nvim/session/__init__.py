"""Models one conversation: what has been said and done in it, and what may happen next. No I/O, no editor."""
