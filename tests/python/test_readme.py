"""The page of the package."""
import re
from fnmatch import fnmatch
from pathlib import Path

import bankshot


def test_the_table_has_every_module():
    page = (Path(__file__).parent / "README.md").read_text()
    names = {name for row in page.splitlines() if row.startswith("| `") for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    modules = {path.name for path in Path(bankshot.__file__).parent.iterdir()} - {
        "__init__.py", "__pycache__", "_installed", "py.typed"}
    assert {module for module in modules if not any(fnmatch(module, name) for name in names)} == set()
    assert {name for name in names if "/" not in name and not any(fnmatch(module, name) for module in modules)} == set()
