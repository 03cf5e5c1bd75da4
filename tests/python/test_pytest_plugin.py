"""The plugin of pytest, in sessions of its own."""
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
START = f"""
import os, sys, subprocess, pytest
sys.path.insert(0, {str(HERE)!r})
import kernel
"""


@pytest.fixture
def outcomes(pytester):
    """Runs the tests of a text; the outcomes and the output."""

    def run(text, *options):
        pytester.makepyfile(START + text)
        result = pytester.runpytest_subprocess(*options)
        return result.parseoutcomes(), "\n".join(result.outlines)

    return run


def test_a_limit_fails_with_the_line_and_the_picture(outcomes):
    counts, said = outcomes("""
@pytest.mark.bankshot(max_conflicts=30)
def test_column(): assert kernel.launch(32) == 32
@pytest.mark.bankshot(max_conflicts=31, max_wavefronts=32)
def test_as_allowed(): kernel.launch(32)
""")
    assert counts == {"failed": 1, "passed": 1}
    assert "column has 31 conflicts, more than 30" in said
    assert "pass 1   0 . . ." in said and "bank 0 must deliver 32 different words" in said


def test_a_race_fails_with_both_sides(outcomes):
    counts, said = outcomes(f"""
@pytest.mark.bankshot(races=False)
def test_race(): subprocess.run([{str(HERE / "mistakes")!r}, "--no-barrier"], check=True)
""", "-o", f"bankshot_options=--source-root {(HERE / 'mistakes').resolve().parents[3]}")
    assert counts == {"failed": 1}
    assert "error: read-after-write" in said and "mistakes.cu:27" in said and "mistakes.cu:24" in said


def test_what_cannot_be_measured_fails(outcomes):
    counts, said = outcomes("""
@pytest.mark.bankshot
def test_launches_nothing(): pass
@pytest.mark.bankshot
def test_dies(): os._exit(0)
@pytest.mark.bankshot
def test_refused():
    with pytest.raises(RuntimeError): kernel.launch(1, threads=2000)
@pytest.mark.bankshot(gpu="nothing")
def test_on_no_gpu(): kernel.launch(1)
""")
    assert counts == {"failed": 4}
    for reason in ("no kernel was launched", "the test did not run to its end", "2000 threads per block", "nothing"):
        assert reason in said


def test_the_mark_leaves_out_what_the_project_accepts(outcomes, pytester):
    (pytester.path / "bankshot.toml").write_text('[[suppress]]\nkind = "bank-conflict"\nfile = "a.cu"\nreason = "known"\n')
    counts, said = outcomes("""
@pytest.mark.bankshot(max_conflicts=0)
def test_accepted(): kernel.launch_in_files("/x/a.cu")
@pytest.mark.bankshot(max_conflicts=0)
def test_one_of_two(): kernel.launch_in_files("/x/a.cu", "/x/b.cu")
""")
    assert counts == {"passed": 1, "failed": 1} and "most of them at /x/b.cu:8" in said


def test_a_module_that_cannot_be_imported_under_bankshot_fails(outcomes):
    counts, said = outcomes("""
if "BANKSHOT_PROGRAM" in os.environ: raise ImportError("not here")
@pytest.mark.bankshot
def test(): kernel.launch(1)
""")
    assert counts == {"failed": 1} and "not here" in said


def test_a_test_ends_as_it_ends(outcomes):
    counts, said = outcomes("""
@pytest.fixture(scope="module")
def stride(): return 32
@pytest.fixture
def broken(): raise ValueError("broken fixture")
@pytest.mark.bankshot
def test_fails(stride): print("printed"); assert kernel.launch(stride) == 33
@pytest.mark.bankshot
def test_breaks(broken): pass
@pytest.mark.bankshot
def test_skips(): pytest.skip("not today")
@pytest.mark.xfail(strict=True)
@pytest.mark.bankshot(max_conflicts=0)
@pytest.mark.parametrize("stride", [32, 16])
def test_known(stride): kernel.launch(stride)
class TestClass:
    @pytest.mark.bankshot(max_conflicts=0, errors=False)
    def test_method(self, tmp_path): kernel.launch(1)
def test_plain(): pass
""", "-rs")
    assert counts == {"failed": 2, "skipped": 1, "xfailed": 2, "passed": 2}
    assert "test session starts" not in said.partition("short test summary")[0].partition("FAILURES")[2]
    for text in ("assert 32 == 33", "printed", "broken fixture", "not today"):
        assert text in said


def test_marks_and_hooks_of_others_see_the_test(outcomes, pytester):
    pytester.makeconftest("def pytest_runtest_setup(item): assert 'tmp_path' not in item.fixturenames or item.function and item.obj")
    counts, said = outcomes("""
import unittest
FLAG = True
@pytest.mark.skipif("FLAG", reason="by a text")
@pytest.mark.bankshot
def test_skipped(): pass
@pytest.mark.xfail(raises=ValueError)
@pytest.mark.bankshot
def test_raises(tmp_path): raise ValueError
@pytest.mark.xfail(raises=ValueError)
@pytest.mark.bankshot
def test_raises_another(): raise KeyError("unexpected")
@pytest.mark.bankshot
def test_says_that_it_fails(): pytest.xfail("known"); assert False, "went on"
@pytest.mark.xfail(strict=True)
@pytest.mark.bankshot(max_conflicts=0)
def test_passes_unexpectedly(): kernel.launch(1)
@pytest.mark.xfail
@pytest.mark.bankshot(max_conflicts=0)
def test_may_pass(): kernel.launch(1)
class TestUnit(unittest.TestCase):
    def setUp(self): self.stride = 32
    @pytest.mark.bankshot(max_conflicts=31)
    def test_unit(self): self.assertEqual(kernel.launch(self.stride), 32)
""", "-rxs")
    assert counts == {"skipped": 1, "xfailed": 2, "failed": 2, "xpassed": 1, "passed": 1}
    for text in ("by a text", "known", "KeyError: 'unexpected'", "[XPASS(strict)]"):
        assert text in said
    assert "went on" not in said


def test_runxfail_runs_to_the_failure(outcomes):
    assert outcomes("""
@pytest.mark.bankshot
def test(): pytest.xfail("known"); assert False, "went on"
""", "--runxfail")[0] == {"failed": 1}


def test_configured_options_that_choose_tests_or_judge_sessions_do_not_reach_the_test(outcomes, pytester):
    pytester.makeini("[pytest]\nmarkers = slow\naddopts = -m 'not slow' -k nothing")
    assert outcomes("""
@pytest.mark.slow
@pytest.mark.bankshot(max_conflicts=0)
def test(): kernel.launch(1)
""", "-m", "slow", "-k", "test")[0] == {"passed": 1}


def test_coverage_is_not_judged_for_one_test(outcomes, pytester):
    pytest.importorskip("pytest_cov")
    pytester.makepyfile(covered="def one():\n  return 1\ndef two():\n  return 2\n")
    pytester.makeini("[pytest]\naddopts = --cov=covered --cov-fail-under=90")
    assert outcomes("""
import covered
@pytest.mark.bankshot(max_conflicts=0)
def test_one(): kernel.launch(covered.one())
def test_both(): assert covered.one() + covered.two() == 3
""")[0] == {"passed": 2}


def test_a_pytest_that_a_test_starts_is_another_session(outcomes, pytester):
    inner = pytester.path / "inner/cases.py"
    inner.parent.mkdir()
    inner.write_text("import os\ndef test_one(): assert 'BANKSHOT_PYTEST_OUTCOMES' not in os.environ\ndef test_two(): assert False\n")
    counts, said = outcomes(f"""
@pytest.mark.bankshot
def test():
    kernel.launch(1)
    done = subprocess.run([sys.executable, "-m", "pytest", {str(inner)!r}], capture_output=True, text=True)
    assert "1 failed, 1 passed" in done.stdout
    assert False, "the outer test"
""")
    assert counts == {"failed": 1} and "the outer test" in said


def test_the_option_runs_tests_without_the_mark(outcomes):
    text = f"""
def test_race(): subprocess.run([{str(HERE / "mistakes")!r}, "--no-barrier"], check=True)
def test_plain(): assert "BANKSHOT_PROGRAM" in os.environ
def test_conflicts(): kernel.launch(32)
"""
    assert outcomes(text, "--bankshot=explain,check")[0] == {"failed": 1, "passed": 2}
    assert outcomes(text, "--bankshot=explain")[0] == {"passed": 3}


def test_the_fixture_shows_reports(outcomes):
    counts, said = outcomes("""
def test_column(bankshot):
    run = bankshot.explain(kernel.launch, 32)
    assert run.conflicts == 31
    run.assert_clean()
""")
    assert counts == {"failed": 1} and said.count("bank 0 must deliver 32 different words") == 1


@pytest.mark.parametrize("mark, option, reason", [
    ("max_conflict=0", "", "unexpected 'max_conflict'"),
    ("races=True", "", "races can only be False"),
    ("0", "", "unexpected 0"),
    ("", "--bankshot=simulate", "there is no 'simulate'"),
])
def test_rejects_marks_and_options(pytester, mark, option, reason):
    pytester.makepyfile(f"import pytest\n@pytest.mark.bankshot({mark})\ndef test(): pass\n")
    result = pytester.runpytest_subprocess(*[option] * bool(option))
    assert result.ret == 4 and reason in "\n".join(result.outlines + result.errlines)
