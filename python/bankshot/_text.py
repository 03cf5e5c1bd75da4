"""Words that messages share."""

from __future__ import annotations

from typing import Optional


def counted(count: int, one: str, many: Optional[str] = None) -> str:
    """"1 conflict", "1,024 conflicts"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
