"""The error of a call that cannot be answered, in words for the model."""


class Failed(Exception):
    """A call has no answer. The text says why, and what to do instead."""
