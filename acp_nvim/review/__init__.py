"""Pure: texts and what became of them."""
