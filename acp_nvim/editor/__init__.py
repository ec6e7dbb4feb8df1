"""The editor, seen from the backend: a port of named functions. It knows nothing of ACP."""
