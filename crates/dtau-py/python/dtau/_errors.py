"""Exceptions that Python does not have."""


class UnknownNameError(KeyError):
    """A joint, frame, link or robot does not exist. The message lists the nearest names."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which is hard to read for a sentence.
        return str(self.args[0]) if self.args else ""
