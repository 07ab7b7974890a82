"""Exceptions that Python does not have already."""


class UnknownNameError(KeyError):
    """A joint, frame, link or robot that does not exist; the message names the nearest that do."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which makes a sentence hard to read.
        return str(self.args[0]) if self.args else ""
