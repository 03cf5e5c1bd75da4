"""Kernels whose text is in a Python file: reports and compilers name its lines there."""

from __future__ import annotations

import json
import os
import sys
import types


def at_its_line(source: str) -> str:
    """The same source, beginning with a #line if a file of the call stack has it word for word; else as it is."""
    seen: set[str] = set()
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        file, frame = os.path.abspath(frame.f_code.co_filename), frame.f_back
        if file in seen or not source.strip():
            continue
        seen.add(file)
        try:
            with open(file, encoding="utf-8") as opened:
                before, found, _ = opened.read().partition(source)
        except (OSError, UnicodeDecodeError):
            continue
        if found:
            return f"#line {before.count(chr(10)) + 1} {json.dumps(file)}\n{source}"
    return source
