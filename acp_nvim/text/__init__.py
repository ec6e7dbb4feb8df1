"""Pure functions on text: diffs, patches, and text of strangers made printable and bounded."""
