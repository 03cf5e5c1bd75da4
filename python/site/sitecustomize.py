"""Runs at the start of every Python process below Bankshot, which puts this folder on PYTHONPATH.

When Triton loads its NVIDIA driver, `bankshot.triton` puts itself in place. Nothing else is touched, and a
sitecustomize of the user's own runs as it would without this one.
"""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_TRITON_DRIVER = "triton.backends.nvidia.driver"


class _AfterImport:
    """A finder that leaves the finding to the others and does something once the module has been executed."""

    def __init__(self, name, then):
        self.name, self.then = name, then

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        execute, then = spec.loader.exec_module, self.then

        def exec_module(module):
            execute(module)
            then(module)

        spec.loader.exec_module = exec_module
        return spec


def _triton_driver_is_there(module):
    import bankshot.triton

    bankshot.triton.put_in_place(module)


sys.meta_path.insert(0, _AfterImport(_TRITON_DRIVER, _triton_driver_is_there))


def _run_next_sitecustomize():
    others = [folder for folder in sys.path if os.path.abspath(folder or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_run_next_sitecustomize()
