"""Serves terminal/*: commands that agents run through us and the user watches."""
