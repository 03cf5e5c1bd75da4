"""Reads any layout that CuTe or Triton prints."""

from __future__ import annotations

from typing import Any, Mapping

from . import cute_text, encoding_text, linear_text


def parse(text: str, aliases: Mapping[str, object] | None = None) -> Any:
    """A layout from text: CuTe's, a linear layout as Triton prints it, or an attribute of TTGIR (#ttg.…).

    @param aliases  of attributes: layouts by alias, such as "#mma", that the text names
    Raises Error with the column of the mistake.

    >>> parse("(4,8):(8,1)")(3, 1)
    25
    >>> parse("- lane=1 -> (2)")(lane=1)
    {'dim0': 2}
    >>> parse("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>").max_phase
    4
    """
    if text.lstrip().startswith("#"):
        return encoding_text.parse(text, aliases or {})
    if "->" in text or "size 1 dimension" in text or "where out dims" in text:
        return linear_text.parse(text)
    return cute_text.parse(text)
