"""Works on texts without I/O: diffs, patches, and text of strangers made printable and bounded."""
