"""pytest under Bankshot: tests that fail because of bank conflicts or races, on machines without a GPU. docs/python.md.

A test with the mark `bankshot`, or with --bankshot any test function, is replaced by an item that runs it as
`bankshot explain|check python3 -m pytest TEST`: a process of its own, so that what Bankshot reports is this test's and its
fixtures are made where its kernels run. The outcome of the test comes back through a file.
"""

from __future__ import annotations

import dataclasses
import os
import pickle
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Optional

import pytest

from . import _run
from ._errors import Error
from ._run import Run

_OUTCOMES = "BANKSHOT_PYTEST_OUTCOMES"  # the file; set in the process of one test
# Standard output of this process is Bankshot's, for its report.
_START = "import os, sys; os.dup2(os.open(os.devnull, os.O_WRONLY), 1); import pytest; sys.exit(pytest.console_main())"
_LIMITS = {"max_conflicts": "explain", "max_wavefronts": "explain", "races": "check", "errors": "check"}
_OTHERS = ("gpu", "kernel")
_MODES: dict[str, Callable[..., Run]] = {"explain": _run.explain, "check": _run.check}
_MARK = ("bankshot(max_conflicts=N, max_wavefronts=N, races=False, errors=False, gpu=NAME, kernel=NAME): run the test under Bankshot; "
         "it fails if a kernel has more, if a race or another error is found, or if not everything could be measured")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("bankshot").addoption(
        "--bankshot", metavar="explain,check", default="",
        help="run every test function under these commands of Bankshot; tests with the mark run under what it needs in any case")
    parser.addini("bankshot_options", "more options for bankshot explain and check: --source-root ../kernels", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARK)
    if os.environ.get(_OUTCOMES):
        config.pluginmanager.register(_OneTest(config, Path(os.environ[_OUTCOMES])), "bankshot-one-test")
    for mode in _modes_of_option(config):
        if mode not in _MODES:
            raise pytest.UsageError(f"--bankshot: there is no {mode!r}; choose explain, check or both")


@pytest.fixture
def bankshot(request: pytest.FixtureRequest) -> SimpleNamespace:
    """explain(), check() and simulate() of the package, whose reports are shown if the test fails."""

    def recorded(mode: str) -> Callable[..., Run]:
        def call(*args: Any, **kwargs: Any) -> Run:
            run: Run = dataclasses.replace(getattr(_run, mode)(*args, **kwargs), _shown=True)
            request.node.add_report_section("call", f"bankshot {mode}", run.text)
            return run

        return call

    return SimpleNamespace(**{mode: recorded(mode) for mode in ("explain", "check", "simulate")})


# ---- In the session that the user started


def _modes_of_option(config: pytest.Config) -> list[str]:
    return [word for word in config.getoption("--bankshot").split(",") if word]


def _limits_of(item: pytest.Item) -> Optional[dict[str, Any]]:
    """What the marks of the test and of its class and module say, the nearest first; None without a mark."""
    marks = list(item.iter_markers("bankshot"))
    limits: dict[str, Any] = {}
    for mark in reversed(marks):
        unknown = [*mark.args, *(name for name in mark.kwargs if name not in (*_LIMITS, *_OTHERS))]
        if unknown:
            raise pytest.UsageError(f"{item.nodeid}: mark bankshot: unexpected {unknown[0]!r}; it takes {', '.join([*_LIMITS, *_OTHERS])}")
        for name in ("races", "errors"):
            if mark.kwargs.get(name, False) is not False:
                raise pytest.UsageError(f"{item.nodeid}: mark bankshot: {name} can only be False")
        limits.update(mark.kwargs)
    return limits if marks else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get(_OUTCOMES):
        return
    wanted = _modes_of_option(config)
    for index, item in enumerate(items):
        limits = _limits_of(item)
        if not isinstance(item, pytest.Function) or item.parent is None or limits is None and not wanted:
            continue
        needed = {_LIMITS[name] for name in limits or {} if name in _LIMITS} or ({"explain"} if not wanted else set())
        modes = [mode for mode in _MODES if mode in needed or mode in wanted]
        items[index] = _UnderBankshot.from_parent(item.parent, name=item.name, test=item, modes=modes, limits=limits)


class _Failure(Exception):
    """Text that is shown as it is."""


class _UnderBankshot(pytest.Item):
    """A test function that runs in a process of its own under Bankshot."""

    def __init__(self, *, test: pytest.Function, modes: list[str], limits: Optional[dict[str, Any]], **others: Any):
        super().__init__(**others)
        self._test, self._modes, self._limits = test, modes, limits
        self.own_markers = test.own_markers
        self.keywords.update(test.keywords)

    def reportinfo(self) -> Any:
        return self._test.reportinfo()

    def runtest(self) -> None:
        for mode in self._modes:
            with tempfile.TemporaryDirectory(prefix="bankshot-pytest-") as folder:
                self._run(mode, Path(folder))

    def _run(self, mode: str, folder: Path) -> None:
        limits = dict(self._limits or {})
        others = {name: limits.pop(name) for name in _OTHERS if name in limits}
        try:
            run = _MODES[mode](self._command(folder), **others, env={_OUTCOMES: str(folder / "outcomes")},
                               options=["--top", "3", *self.config.getini("bankshot_options")],
                               cwd=self.config.invocation_params.dir)
        except Error as error:
            raise _Failure(f"bankshot {mode}: {error}") from None
        reports = self._reports(folder / "outcomes")
        self._replay(reports, run)
        self.add_report_section("call", f"bankshot {mode}", run.text)
        own = {name: value for name, value in limits.items() if _LIMITS[name] == mode}
        if self._limits is None:  # only the option: nothing is claimed of a test that launches nothing
            if not run.kernels and not run.failed_launches and not run.raw["partial"]:
                return
            own = {"errors": False} if mode == "check" else {}
        problems = run.problems(**own)
        if problems:
            raise _Failure("\n".join(problems))

    def _command(self, folder: Path) -> list[str]:
        """pytest for this test alone; options of the command line do not reach it, those of PYTEST_ADDOPTS and of files do."""
        path, separator, name = self.nodeid.partition("::")
        words = [sys.executable, "-c", _START, f"{self.config.rootpath / path}{separator}{name}", "--rootdir", str(self.config.rootpath),
                 "--runxfail", "-o", f"cache_dir={folder / 'cache'}"]
        if not self.config.pluginmanager.hasplugin("bankshot"):  # not by its entry point
            words += ["-p", __name__]
        if self.config.inipath is not None:
            words += ["-c", str(self.config.inipath)]
        if self.config.pluginmanager.hasplugin("xdist"):
            words += ["-n0"]
        return words

    def _reports(self, path: Path) -> list[Any]:
        reports: list[Any] = []
        if path.exists():
            with open(path, "rb") as file:
                for data in pickle.load(file):
                    reports.append(self.config.hook.pytest_report_from_serializable(config=self.config, data=data))
        return reports

    def _replay(self, reports: list[Any], run: Run) -> None:
        """Ends as the test ended, unless it passed."""
        for report in reports:
            if report.outcome == "passed":
                continue
            for title, text in report.sections:
                self.add_report_section(report.when, title.replace("Captured ", "").replace(f" {report.when}", ""), text)
            if report.outcome == "skipped":
                reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
                pytest.skip(reason[len("Skipped: "):] if reason.startswith("Skipped: ") else reason)
            raise _Failure(report.longreprtext)
        if not any(report.when == "teardown" for report in reports):
            raise _Failure("\n".join(["the test did not run to its end", run.text, run.errors]))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, _Failure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


# ---- In the process of one test


class _OneTest:
    """Hands in the outcomes."""

    def __init__(self, config: pytest.Config, path: Path):
        self._config, self._path = config, path
        self._outcomes: list[Any] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome != "passed":
            self._add(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._add(report)

    def _add(self, report: Any) -> None:
        self._outcomes.append(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))

    def pytest_sessionfinish(self) -> None:
        self._path.write_bytes(pickle.dumps(self._outcomes))
