"""Calls named functions in the editor. This room knows nothing of ACP."""
