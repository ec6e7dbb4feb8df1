"""What has been said and done in a conversation, and what may happen next. No I/O, no editor."""
