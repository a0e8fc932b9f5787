"""The suite itself: what a fast run leaves out, time limits, and independence from files above the checkout."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from tests.checkout import ROOT, copy_checkout, run_pytest
from tests.conftest import PARTS

CASES = """
import pytest

@pytest.mark.parametrize("number", range(9))
def test_many(number): pass

@pytest.mark.slow
def test_slow(): pass

def test_real(shared_engines): pass
"""
ALL_SLOW = """
import pytest

pytestmark = pytest.mark.slow
raise ImportError("a fast run doesn't import this file")
"""
HANGS = """
import time

def test_hangs(): time.sleep(60)

def test_next(): pass
"""
READS_SETTINGS = (
    "tests/cli/commands/test_baseline.py",
    "tests/cli/commands/test_compare.py",
    "tests/cli/commands/test_draw.py",
    "tests/cli/commands/test_lint.py",
    "tests/cli/commands/test_report.py",
)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder with the settings and the conftest.py of this repository, and no tests yet."""
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    return tmp_path


@pytest.mark.slow
def test_a_fast_run_takes_three_cases_and_no_slow_test(suite: Path) -> None:
    (suite / "tests" / "test_cases.py").write_text(CASES, encoding="utf-8")
    (suite / "tests" / "test_all_slow.py").write_text(ALL_SLOW, encoding="utf-8")
    ended = run_pytest(suite, "--fast", "-vv")
    assert ended.returncode == 0, ended.stdout
    assert [number for number in range(9) if f"test_many[{number}]" in ended.stdout] == [0, 4, 8]
    assert "3 passed, 8 deselected" in ended.stdout


@pytest.mark.slow
def test_every_test_is_in_one_part(suite: Path) -> None:
    (suite / "tests" / "test_cases.py").write_text(CASES, encoding="utf-8")
    chosen = []
    for part in range(PARTS):
        ended = run_pytest(suite, "--part", str(part), "-vv")
        assert ended.returncode == 0, ended.stdout
        chosen.append({line.split()[0] for line in ended.stdout.splitlines() if line.startswith("tests/")})
    fast = set.intersection(*chosen)
    assert [number for number in range(9) if any(f"test_many[{number}]" in test for test in fast)] == [0, 4, 8]
    assert len(set.union(*chosen)) == 11 and sum(len(tests - fast) for tests in chosen) == 8


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="elsewhere the limit ends the process")
def test_a_test_that_hangs_ends_where_ctrl_c_is_ignored(suite: Path) -> None:
    (suite / "tests" / "test_hangs.py").write_text(HANGS, encoding="utf-8")
    start = time.monotonic()
    ended = run_pytest(suite, "-o", "timeout=1", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    assert time.monotonic() - start < 55
    assert "1 failed, 1 passed" in ended.stdout
    assert "Timeout" in ended.stdout


def test_every_test_has_a_time_limit(request: pytest.FixtureRequest) -> None:
    assert float(request.config.getini("timeout")) == 120
    for item in request.session.items:
        if marker := item.get_closest_marker("timeout"):
            assert 0 < marker.args[0] <= 600, item.nodeid


@pytest.mark.slow
def test_settings_above_the_checkout_and_at_home_change_no_test(tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path)
    (tmp_path / "trex.toml").write_text("not TOML [", encoding="utf-8")
    temporary = tmp_path / "temporary"
    ended = run_pytest(checkout, "--fast", f"--basetemp={temporary}", *READS_SETTINGS, env={"HOME": str(tmp_path)})
    assert ended.returncode == 0, ended.stdout
