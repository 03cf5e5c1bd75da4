"""Bankshot from Python: what CUDA programs lose in shared memory, without a GPU. docs/python.md is the guide."""

from ._access import Access, Accesses, Service, conflicts
from ._atomics import AtomicsCost, atomics
from ._errors import Error
from ._hash import Hash
from ._library import version as _version
from ._report import Failed, Finding, Kernel, Line, Place, Site
from ._run import Run, check, explain, simulate
from ._search import Found, search, verify
from ._swizzle import Swizzle

__all__ = ["Access", "Accesses", "AtomicsCost", "Error", "Failed", "Finding", "Found", "Hash", "Kernel", "Line", "Place",
           "Run", "Service", "Site", "Swizzle", "atomics", "check", "conflicts", "explain", "search", "simulate", "verify"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        return _version()
    raise AttributeError(f"module 'bankshot' has no attribute {name!r}")
