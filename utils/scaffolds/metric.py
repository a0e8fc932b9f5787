"""A metric of ``trex compare --fail-on`` and of baselines."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="compare/metrics",
    plug='''\
"""One sentence: what the metric measures."""

from __future__ import annotations

from trex.compare.metric import Metric
from trex.perf.performance import Performance


def read(performance: Performance) -> float | None:
    """The value of one engine, None if unknown. Here: its number of layers."""
    return float(len(performance.plan.working_layers))


METRIC = Metric("layers", read=read, is_exact=True)
''',
    test='''\
"""The metric ``$name``."""

import pytest

from trex.cli.main import main
from trex.compare.baseline import baseline_document
from trex.engine_plan import load_example

BASE, NEW = "example:resnet18-int8-residual", "example:resnet18-int8"


@pytest.mark.parametrize(("threshold", "code"), [("+100%", 0), ("+0layers", 1)])
def test_the_gate_checks_it(threshold: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", BASE, NEW, "--fail-on", f"$name>{threshold}"]) == code
    assert "$name 41 → 42 layers" in capsys.readouterr().out


def test_a_baseline_keeps_it() -> None:
    assert baseline_document(load_example("resnet18-int8"))["metrics"]["$name"] == 42.0
''',
    related=("tests/compare/test_metric.py",),
)
