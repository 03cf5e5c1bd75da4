"""The one exception of the package."""

from __future__ import annotations

from typing import Optional


class Error(Exception):
    """Something cannot be done. `reason` says what and why, `remedy` what to do about it, or is empty.

    If text does not parse, `text` is the line and `column` the 1-based position in it, which str() shows with a caret."""

    def __init__(self, reason: str, remedy: str = "", text: Optional[str] = None, column: Optional[int] = None):
        super().__init__(reason, remedy, text, column)
        self.reason = reason
        self.remedy = remedy
        self.text = text
        self.column = column

    @classmethod
    def told(cls, message: str) -> Error:
        """A message of the program or the library: a sentence has its remedy after the semicolon."""
        return cls(message) if "\n" in message else cls(*message.split("; ", 1))

    def __str__(self) -> str:
        message = f"{self.reason}; {self.remedy}" if self.remedy else self.reason
        if self.text is None or self.column is None:
            return message
        return f"column {self.column}: {message}\n  {self.text}\n  {' ' * (self.column - 1)}^"


Error.__module__ = "bankshot"  # where users import it from
