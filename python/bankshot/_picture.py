"""The picture of one access as inline SVG: a row a lane, a column a bank, the pass in which the bank serves the lane."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ._text import counted

if TYPE_CHECKING:
    from ._access import Access

_CELL, _LEFT, _TOP = 14, 34, 30


def _colour(rank: int, most: int) -> str:
    """What a phase serves first is green; the longer the others wait, the darker is their red."""
    return "#0b7a70" if rank == 0 else f"hsl({30 - 22 * rank / most:.0f},85%,{42 - 14 * rank / most:.0f}%)"


def svg(access: Access) -> str:
    rows, banks = len(access.addresses), access.bank_count
    first: dict[tuple[int, ...], int] = {}  # the first pass of each phase
    for service in access.services:
        first.setdefault(service.phase, service.pass_)
    most = max((service.pass_ - first[service.phase] for service in access.services), default=0)
    width, height = _LEFT + banks * _CELL + 2, _TOP + rows * _CELL + 4
    title = f"{counted(access.wavefronts, 'wavefront')}, {access.ideal} without conflicts"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
             f'role="img" aria-label="{escape(title)}" font-family="monospace" font-size="8" fill="#7a8290" '
             'text-anchor="middle" dominant-baseline="central">',
             f'<text x="{_LEFT + banks * _CELL / 2:g}" y="7">bank</text>']
    for bank in range(banks):
        x = _LEFT + bank * _CELL
        if bank % 4 == 0 or bank + 1 == banks:
            parts.append(f'<text x="{x + _CELL / 2:g}" y="{_TOP - 8}">{bank}</text>')
        parts.append(f'<rect x="{x + 0.75}" y="{_TOP}" width="{_CELL - 1.5}" height="{rows * _CELL}" fill="#8884" rx="2"/>')
    for lane in range(rows):
        parts.append(f'<text x="{_LEFT - 12}" y="{_TOP + (lane + 0.5) * _CELL:g}">{lane}</text>')
    for service in access.services:
        colour = _colour(service.pass_ - first[service.phase], max(1, most))
        x = _LEFT + service.bank * _CELL
        for lane in service.lanes:
            y = _TOP + lane * _CELL
            parts.append(f'<g><title>lane {lane}: word {service.word}, bank {service.bank}, pass {service.pass_ + 1} of '
                         f'{access.wavefronts}</title><rect x="{x + 0.75}" y="{y + 0.75}" width="{_CELL - 1.5}" '
                         f'height="{_CELL - 1.5}" rx="3" fill="{colour}"/><text x="{x + _CELL / 2:g}" '
                         f'y="{y + _CELL / 2:g}" fill="#fff" font-size="7">{service.pass_ + 1}</text></g>')
    return "".join([*parts, "</svg>"])


def figure(access: Access, says: str) -> str:
    return f"<figure>{svg(access)}<figcaption>{escape(says)}</figcaption></figure>"
