"""The C interface <bankshot/bankshot.h> through ctypes. Each failure is an Error with the reason that the library gives."""

from __future__ import annotations

import ctypes
import functools
import weakref
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from typing import Any

from . import _installation
from ._errors import Error

KINDS = ("load", "store", "atomic", "increment", "cas", "copy", "ldmatrix")  # enum bankshot_kind
PATTERNS = ("linear", "stride", "block", "broadcast", "random")  # enum bankshot_pattern


class Cost(ctypes.Structure):
    _fields_ = [("wavefronts", c_uint32), ("ideal", c_uint32), ("position", c_uint32), ("pattern", c_uint32),
                ("stride_bytes", c_int32)]


class CService(ctypes.Structure):
    _fields_ = [("pass_", c_uint32), ("bank", c_uint32), ("word", c_uint32), ("lanes", c_uint64), ("phase", c_uint64)]


class CSearchOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("hash_class", c_char_p), ("in_place", c_int), ("threads", c_uint),
                ("seconds", c_double), ("plain_low_bits", c_uint)]


class CFound(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("hash", c_void_p), ("conflicts", c_uint64), ("without", c_uint64),
                ("lower_bound", c_uint64), ("is_proved", c_int), ("certificate", c_void_p)]


class CAtomicsCost(ctypes.Structure):
    _fields_ = [("cycles", c_uint64), ("rounds", c_uint32), ("lock_degree", c_uint32), ("bank_degree", c_uint32)]


_WORDS = POINTER(c_uint32)
# Name, what it returns, what it takes. Strings that the caller frees are c_void_p: ctypes would lose the address.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_char_p, []),
    "error": (c_char_p, []),
    "free": (None, [c_void_p]),
    "hash_parse": (c_void_p, [c_char_p, c_uint, c_uint]),
    "hash_free": (None, [c_void_p]),
    "hash_bank": (c_uint, [c_void_p, c_uint32]),
    "hash_is_in_place": (c_int, [c_void_p]),
    "hash_spec": (c_void_p, [c_void_p]),
    "hash_source": (c_void_p, [c_void_p]),
    "banks_of": (c_void_p, [c_char_p]),
    "banks_read": (c_void_p, [c_char_p]),
    "banks_free": (None, [c_void_p]),
    "banks_count": (c_uint, [c_void_p]),
    "banks_width": (c_uint, [c_void_p]),
    "banks_set_hash": (c_int, [c_void_p, c_void_p]),
    "access": (c_int, [c_void_p, c_int, c_uint, _WORDS, c_uint64, POINTER(Cost)]),
    "access_services": (c_int, [c_void_p, c_int, c_uint, _WORDS, c_uint64, POINTER(CService), c_size_t]),
    "patterns_new": (c_void_p, [c_void_p]),
    "patterns_read": (c_void_p, [c_char_p]),
    "patterns_free": (None, [c_void_p]),
    "patterns_add": (c_int, [c_void_p, c_int, c_uint, _WORDS, c_uint64, c_uint64]),
    "search": (c_int, [c_void_p, POINTER(CSearchOptions), POINTER(CFound)]),
    "verify": (c_void_p, [c_char_p]),
    "atomics": (c_int, [c_char_p, _WORDS, c_uint, POINTER(CAtomicsCost)]),
}


@functools.lru_cache(maxsize=None)
def _loaded() -> dict[str, Any]:
    path = _installation.library()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Error(f"{path} cannot be loaded: {error}", "bankshot doctor says what this machine lacks") from None
    functions = {}
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, "bankshot_" + name)
        except AttributeError:
            raise Error(f"{path} is older than this package: it has no bankshot_{name}", "install both anew") from None
        function.restype, function.argtypes = result, arguments
        functions[name] = function
    return functions


def call(name: str, *arguments: Any) -> Any:
    """bankshot_NAME; what it returns."""
    return _loaded()[name](*arguments)


def failure() -> Error:
    """Why the last failed call of this thread failed."""
    return Error.told(call("error").decode())


def checked(name: str, *arguments: Any) -> None:
    """Calls what returns a status."""
    if call(name, *arguments) != 0:
        raise failure()


def text(pointer: int | None) -> str:
    """A string that the library returned, which is freed."""
    if not pointer:
        raise failure()
    try:
        return ctypes.string_at(pointer).decode()
    finally:
        call("free", pointer)


def version() -> str:
    return str(call("version").decode())


class Owned:
    """An object of the library, freed with the Python object that owns it."""

    def __init__(self, pointer: int | None, free: str):
        if not pointer:
            raise failure()
        self.pointer = pointer
        weakref.finalize(self, _loaded()[free], pointer)
