"""Reads text from left to right; a mistake becomes an Error with its column."""

from __future__ import annotations

import re
from typing import NoReturn

from .._errors import Error


class Scanner:
    def __init__(self, text: str):
        self.text, self.at = text, 0
        self._skip_spaces()

    def accept(self, pattern: str) -> re.Match[str] | None:
        """The match of a regular expression at this place, after which reading goes on; else None."""
        match = re.compile(pattern).match(self.text, self.at)
        if match:
            self.at = match.end()
            self._skip_spaces()
        return match

    def expect(self, pattern: str, what: str) -> re.Match[str]:
        match = self.accept(pattern)
        if not match:
            self.fail(f"expected {what}")
        return match

    def integer(self, what: str = "an integer") -> int:
        return int(self.expect(r"_?(-?\d+)", what).group(1))

    def end(self) -> None:
        if self.at < len(self.text):
            self.fail("unexpected text after the layout")

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        line_start = self.text.rfind("\n", 0, self.at if at is None else at) + 1
        line_end = self.text.find("\n", line_start)
        line = self.text[line_start : line_end if line_end >= 0 else None]
        raise Error(message, text=line, column=(self.at if at is None else at) - line_start + 1)

    def _skip_spaces(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
