"""What a run says, as dataclasses. docs/json.md has the meaning of every member; `raw` of each object has them all."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any, Optional, TypeVar

from ._access import Access, access_under, banks_read

T = TypeVar("T")


def _made(of: type[T], raw: dict[str, Any], **others: Any) -> T:
    """An object of the class from the members that have the names of its fields."""
    values = {one.name: raw[one.name] for one in dataclasses.fields(of) if one.name in raw}  # type: ignore[arg-type]
    return of(**{**values, "raw": raw, **others})


def place_text(file: str, line: int, ptx_line: int = 0) -> str:
    return f"{file}:{line}" if file else f"PTX line {ptx_line}"


@dataclass(frozen=True)
class Site:
    """An instruction that accesses shared memory."""

    file: str
    line: int
    ptx_line: int
    op: str
    width: int
    kind: str
    accesses: int
    wavefronts: int
    ideal_wavefronts: int
    conflicts: int
    degree_max: int
    degree_mean: float
    pattern: str  #: the most common class of its accesses
    raw: dict[str, Any] = field(repr=False, compare=False)
    _rules: str = field(repr=False, compare=False)

    @property
    def worst(self) -> Optional[Access]:
        """The access that needs the most wavefronts, with its picture."""
        lanes = tuple(None if word is None else 4 * word for word in self.raw["pattern"]["addresses"])
        if all(address is None for address in lanes):
            return None
        return access_under(banks_read(self._rules, self.raw.get("hash")), lanes, self.width, self.kind)


@dataclass(frozen=True)
class Line:
    """A line of the source, with all its instructions."""

    file: str
    line: int
    accesses: int
    wavefronts: int
    ideal_wavefronts: int
    conflicts: int
    suppressed: int  #: of the conflicts, those that bankshot.toml accepts
    sites: list[Site] = field(repr=False)  #: most conflicts first
    raw: dict[str, Any] = field(repr=False, compare=False)
    text: str = ""  #: the source, where it could be read


@dataclass(frozen=True)
class Kernel:
    name: str  #: as in the PTX
    demangled: str
    launches: int
    grid: list[int]
    block: list[int]
    accesses: int
    wavefronts: int
    ideal_wavefronts: int
    conflicts: int
    suppressed: int  #: of the conflicts, those that bankshot.toml accepts
    sites: list[Site] = field(repr=False)  #: by place in the PTX
    lines: list[Line] = field(repr=False)  #: most conflicts first
    raw: dict[str, Any] = field(repr=False, compare=False)
    cycles: Optional[int] = None  #: of simulated kernels
    ipc: Optional[float] = None
    stalls: Optional[dict[str, int]] = field(default=None, repr=False)  #: issue slots by their use


@dataclass(frozen=True)
class Place:
    """An access of a thread, where it is in the source."""

    file: str
    line: int
    ptx_line: int
    op: str
    thread: list[int]
    raw: dict[str, Any] = field(repr=False, compare=False)
    text: str = ""

    def __str__(self) -> str:
        thread = ",".join(map(str, self.thread))
        return f"thread ({thread}) {place_text(self.file, self.line, self.ptx_line)} {self.op} {self.text}".rstrip()


@dataclass(frozen=True)
class Finding:
    """A mistake. A race has both sides: `access` and the `earlier` one."""

    check: str
    kind: str
    severity: str
    kernel: str
    demangled: str
    count: int
    variable: str
    offset: int
    bytes: int
    detail: str
    counts: bool  #: whether the check fails because of it: the baseline does not have it, and it is an error, or strict was set
    raw: dict[str, Any] = field(repr=False, compare=False)
    cta: Optional[list[int]] = None
    access: Optional[Place] = None
    earlier: Optional[Place] = None

    def __str__(self) -> str:
        parts = [f"{self.severity}: {self.kind} in {self.demangled}" if self.kernel else f"{self.severity}: {self.kind}"]
        parts += [str(self.access)] * (self.access is not None)
        parts += [f"after {self.earlier}"] * (self.earlier is not None)
        parts += [self.detail] * bool(self.detail)
        return "; ".join(parts)


@dataclass(frozen=True)
class Failed:
    """Launches that were refused or did not finish."""

    kernel: str
    demangled: str
    launches: int
    reason: str
    raw: dict[str, Any] = field(repr=False, compare=False)


def _suppressed(raw: dict[str, Any]) -> int:
    return int(raw.get("suppressed_conflicts", 0))


def kernels_of(report: dict[str, Any]) -> list[Kernel]:
    rules = json.dumps(report["scratchpad"])
    kernels = []
    for raw in report["kernels"]:
        # In JSON `pattern` is the worst access, and `class` what Python cannot call so.
        sites = [_made(Site, site, pattern=site["class"], _rules=rules) for site in raw["sites"]]
        lines = [_made(Line, line, sites=[sites[index] for index in line["sites"]], suppressed=_suppressed(line)) for line in raw["lines"]]
        kernels.append(_made(Kernel, raw, sites=sites, lines=lines, suppressed=_suppressed(raw), **raw["shared"]))
    return kernels


def findings_of(report: dict[str, Any]) -> list[Finding]:
    def place(raw: Optional[dict[str, Any]]) -> Optional[Place]:
        return None if raw is None else _made(Place, raw)

    counting = {index for limit in exceeded_limits(report) for index in limit.get("findings", [])}
    return [_made(Finding, raw, access=place(raw.get("access")), earlier=place(raw.get("earlier")), counts=index in counting)
            for index, raw in enumerate(report.get("findings", []))]


def exceeded_limits(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [limit for limit in report["verdict"]["limits"] if limit["result"] == "exceeded"]


def failed_of(report: dict[str, Any]) -> list[Failed]:
    return [_made(Failed, raw) for raw in report["failed_launches"]]
