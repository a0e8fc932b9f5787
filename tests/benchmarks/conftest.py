"""Measurements in a test's own process where a process of their own would change nothing but the test's time."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from tests.benchmarks import (
    bench_compare,
    bench_draw,
    bench_logs,
    bench_perf,
    bench_report,
    bench_rtx,
    bench_rules,
    bench_simulated,
)
from tests.benchmarks.child import MEASURES
from tests.benchmarks.table import child
from trex.cli.main import main
from trex.core import collector

_MODULES = (
    bench_compare,
    bench_draw,
    bench_logs,
    bench_perf,
    bench_report,
    bench_rtx,
    bench_rules,
    bench_simulated,
)
"""Not ``bench_load`` and ``bench_loads``: what they measure is a process."""
_OWN_PROCESS = ("page", "report-page")
"""Playwright runs once in a process."""


def _near(what: str, *arguments: str) -> dict[str, Any]:
    return child(what, *arguments) if what in _OWN_PROCESS else MEASURES[what](*arguments)


def _written(graph: str, path: Path) -> float:
    start = perf_counter()
    assert main(["report", graph, "-o", str(path)]) == 0
    return perf_counter() - start


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in _MODULES:
        monkeypatch.setattr(module, "child", _near)
    monkeypatch.setattr(bench_report, "_written", _written)
    monkeypatch.setattr(collector, "_is_own_process", False)  # measurements set it: it is put back
