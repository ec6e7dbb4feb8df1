"""Serves the commands that the editor sends, one module for each subject."""
