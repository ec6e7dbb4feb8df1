"""Serves the files that agents read and write: the boundary of a session, the disk, and git."""
