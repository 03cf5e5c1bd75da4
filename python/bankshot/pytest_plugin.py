"""pytest under Bankshot: tests that fail because of bank conflicts or races, on machines without a GPU. docs/python.md.

A test with the mark `bankshot`, or with --bankshot any test function, is run as
`bankshot explain|check python3 -m pytest TEST`: a process of its own, so that what Bankshot reports is this test's and its
fixtures are made where its kernels run. Its outcome comes back through a file, and the test ends in the user's session as it
ended there.
"""

from __future__ import annotations

import dataclasses
import os
import pickle
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Generator, Optional

import pytest

from . import _call, _run
from ._errors import Error
from ._run import Run

_OUTCOMES = "BANKSHOT_PYTEST_OUTCOMES"  # the file; set in the process of one test
# Standard output of this process is Bankshot's, for its report.
_START = _call.OWN_PACKAGE + "import os; os.dup2(os.open(os.devnull, os.O_WRONLY), 1); import pytest; sys.exit(pytest.console_main())"
_ONE_TEST = "bankshot-one-test"  # the plugin in that process
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
    outcomes = os.environ.pop(_OUTCOMES, None)  # a pytest that the test starts is another session
    if outcomes:
        config.pluginmanager.register(_OneTest(config, Path(outcomes)), _ONE_TEST)
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
    if config.pluginmanager.hasplugin(_ONE_TEST):
        return
    wanted = _modes_of_option(config)
    for item in items:
        limits = _limits_of(item)
        if not isinstance(item, pytest.Function) or limits is None and not wanted:
            continue
        needed = {_LIMITS[name] for name in limits or {} if name in _LIMITS} or ({"explain"} if not wanted else set())
        modes = [mode for mode in _MODES if mode in needed or mode in wanted]
        _UnderBankshot(item, modes, limits).take_over()


class _Failure(Exception):
    """Text that is shown as it is."""


class _UnderBankshot:
    """How a test function runs in a process of its own under Bankshot. All else of the test stays, for the marks and hooks of
    other plugins."""

    def __init__(self, test: pytest.Function, modes: list[str], limits: Optional[dict[str, Any]]):
        self._test, self._modes, self._limits = test, modes, limits
        self._repr_failure = test.repr_failure
        self.config = test.config

    def take_over(self) -> None:
        """Its fixtures are made in that process only."""
        replaced = {"setup": lambda: None, "runtest": self.runtest, "teardown": lambda: None, "repr_failure": self.repr_failure}
        for name, function in replaced.items():
            setattr(self._test, name, function)

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
        self._test.add_report_section("call", f"bankshot {mode}", run.text)
        own = {name: value for name, value in limits.items() if _LIMITS[name] == mode}
        if self._limits is None:  # only the option: nothing is claimed of a test that launches nothing
            if not run.kernels and not run.failed_launches and not run.raw["partial"]:
                return
            own = {"errors": False} if mode == "check" else {}
        problems = run.problems(**own)
        if problems:
            raise _Failure("\n".join(problems))

    def _command(self, folder: Path) -> list[str]:
        """pytest for this test alone. Options of the command line do not reach it; those of PYTEST_ADDOPTS and of files do, except
        for what chooses tests, starts processes, or judges a whole session."""
        path, separator, name = self._test.nodeid.partition("::")
        words = [sys.executable, "-c", _START, f"{self.config.rootpath / path}{separator}{name}", "--rootdir", str(self.config.rootpath),
                 "-m", "", "-k", "", "-o", f"cache_dir={folder / 'cache'}"]
        if not self.config.pluginmanager.hasplugin("bankshot"):  # not by its entry point
            words += ["-p", __name__]
        if self.config.inipath is not None:
            words += ["-c", str(self.config.inipath)]
        if self.config.option.runxfail:
            words += ["--runxfail"]
        if self.config.pluginmanager.hasplugin("xdist"):
            words += ["-n0"]
        if self.config.pluginmanager.hasplugin("pytest_cov"):
            words += ["--no-cov"]
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
                self._test.add_report_section(report.when, title.replace("Captured ", "").replace(f" {report.when}", ""), text)
            if hasattr(report, "wasxfail"):
                raise pytest.xfail.Exception(report.wasxfail.removeprefix("reason: "))
            if report.outcome == "skipped":
                reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
                pytest.skip(reason[len("Skipped: "):] if reason.startswith("Skipped: ") else reason)
            raise _Failure(report.longreprtext)
        if not any(report.when == "teardown" for report in reports):
            raise _Failure("\n".join(["the test did not run to its end", run.text, run.errors]))

    def repr_failure(self, excinfo: Any, *others: Any) -> Any:
        if isinstance(excinfo.value, _Failure):
            return str(excinfo.value)
        return self._repr_failure(excinfo, *others)


# ---- In the process of one test


class _OneTest:
    """Hands in the outcomes."""

    def __init__(self, config: pytest.Config, path: Path):
        self._config, self._path = config, path
        self._outcomes: list[Any] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome != "passed":
            self._add(report)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, None]:
        """Lets tests pass that their mark expects to fail: they may yet fail at a limit, and the user's session has the mark."""
        report = (yield).get_result()
        if str(report.longrepr).startswith("[XPASS(strict)]"):
            report.outcome, report.longrepr = "passed", None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._add(report)

    def _add(self, report: Any) -> None:
        self._outcomes.append(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))

    def pytest_sessionfinish(self) -> None:
        self._path.write_bytes(pickle.dumps(self._outcomes))
