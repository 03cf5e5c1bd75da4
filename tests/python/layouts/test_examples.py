"""The examples in the code."""
import doctest
import importlib
import pkgutil

import pytest

import bankshot
import bankshot.layouts


@pytest.mark.parametrize("module", ["_swizzle", *(f"layouts.{m.name}" for m in pkgutil.iter_modules(bankshot.layouts.__path__))])
def test_examples_in_the_code(module):
    result = doctest.testmod(importlib.import_module(f"bankshot.{module}"))
    assert result.failed == 0
