"""The commands that the editor sends, one module for each subject."""
