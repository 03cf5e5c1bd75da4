"""The one error of this package."""

from __future__ import annotations


class LayoutError(ValueError):
    """What is wrong with a layout, a table of addresses or an access: where, why, and what to do.

    For text that does not parse, `column` is the 1-based position in `text`; the message shows it with a caret.
    """

    def __init__(self, message: str, text: str | None = None, column: int | None = None):
        self.text, self.column = text, column
        if text is not None and column is not None:
            message = f"column {column}: {message}\n  {text}\n  {' ' * (column - 1)}^"
        super().__init__(message)


LayoutError.__module__ = "bankshot.layouts"  # where users import it from
