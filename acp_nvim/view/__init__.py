"""Pure: from what has been said and done to the edits of a buffer that shows it."""
