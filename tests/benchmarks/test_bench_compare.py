"""The benchmark of comparisons runs from end to end at a tiny size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.test_benchmarks_run import figures


@pytest.mark.slow
def test_comparisons_are_judged_by_the_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "compare", "--sizes", "40")
    assert lines["every change: both with ONNX origins"]["verdict"] == "met"
    assert {"false alarms, white, 1 %", "  power at +3 %", "align 40 layers without names"} <= set(lines)
    assert "could not be measured" not in capsys.readouterr().out
