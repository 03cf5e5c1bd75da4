"""A Python function in a process of its own, as the program of a run.

The process imports what the function needs as one that `multiprocessing` spawns does: the main script is imported again by
the name __mp_main__, and a function at the top level of a module is sent by its name."""

from __future__ import annotations

import pickle
import sys
import traceback
from multiprocessing import spawn
from pathlib import Path
from typing import Any, Callable

from ._errors import Error

_CALL, _VALUE = "call.pickle", "value.pickle"
#: Begins the text of a Python process below Bankshot: it imports this package, not that of the program's installation.
OWN_PACKAGE = f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[1])!r}); "
_START = OWN_PACKAGE + "from bankshot._call import main; main()"
#: The outcome of a function that ended its process.
NOT_RETURNED = (False, "the process ended before the function returned")
#: True in such a process until the function is there; then explain() would start such processes without end.
importing = False


def _is_importable(function: Callable[..., Any]) -> bool:
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "<")
    if "<" in name:  # a lambda, or local to a function
        return False
    main = sys.modules["__main__"]
    return module != "__main__" or getattr(main, "__file__", None) is not None or getattr(main, "__spec__", None) is not None


def _packed(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    name = getattr(function, "__qualname__", repr(function))
    try:
        import cloudpickle  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        cloudpickle = None
    why: object = "it is not at the top level of a module that can be imported"
    if _is_importable(function):
        try:
            return pickle.dumps((function, args, kwargs))
        except Exception as error:  # pickle raises what it likes
            why = error
    if cloudpickle is None:
        raise Error(f"{name} cannot be sent to another process: {why}",
                    "define it and what it takes at the top level of a module, or install cloudpickle")
    try:
        return bytes(cloudpickle.dumps((function, args, kwargs)))
    except Exception as error:
        raise Error(f"{name} cannot be sent to another process: {error}", "give it what can be pickled") from None


def command_of(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], folder: Path) -> list[str]:
    """The command that calls the function and leaves its value in the folder."""
    if importing:
        raise Error("the main script is imported again to call a function of it, and starts a run",
                    "put that under `if __name__ == '__main__':`")
    preparation = spawn.get_preparation_data("bankshot")
    preparation.pop("authkey", None)
    preparation.pop("dir", None)  # the process is started in the folder that it shall have
    (folder / _CALL).write_bytes(pickle.dumps(preparation) + _packed(function, args, kwargs))
    return [sys.executable, "-c", _START, str(folder)]


def outcome_of(folder: Path) -> tuple[bool, Any]:
    """Whether the function returned, and its value; or why there is none."""
    try:
        returned, value = pickle.loads((folder / _VALUE).read_bytes())
        return returned, value
    except FileNotFoundError:
        return NOT_RETURNED
    except Exception as error:
        return False, f"its value cannot be read back: {error}"


def main() -> None:
    global importing
    folder = Path(sys.argv[1])
    status = 1
    with open(folder / _CALL, "rb") as file:
        try:
            importing = True
            spawn.prepare(pickle.load(file))
            function, args, kwargs = pickle.load(file)
            importing = False
            outcome: tuple[bool, Any] = (True, function(*args, **kwargs))
            status = 0
        except Exception as error:
            traceback.print_exc()
            outcome = (False, "".join(traceback.format_exception_only(type(error), error)).strip())
    try:
        text = pickle.dumps(outcome)
    except Exception as error:
        text = pickle.dumps((False, f"its value cannot be sent back: {error}"))
    (folder / _VALUE).write_bytes(text)
    sys.exit(status)
