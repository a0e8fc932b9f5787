"""The section that reconciles, as people read it."""

from __future__ import annotations

from typing import Any

from tests.perf.test_reconciliation import QUIET, plan, steady
from trex.perf.performance import Performance
from trex.views.document import Detail
from trex.views.perf.sections.reconciliation import SECTION


def section(*arguments: Any, **options: Any) -> Any:
    return SECTION.make(Performance(plan(*arguments, **options)), Detail())


def test_the_verdict_comes_first():
    result = section(steady(0.9), (0.3, 0.3, 0.319), throughput=1100.0)
    assert result.statements[0].startswith("Comparisons of medians above 1 % are supported by these samples")
    assert result.statements[-1].startswith("The layers' medians add up to 0.919 ms, 2 % more than GPU compute")
    facts = {fact.label: fact.text for fact in result.facts}
    assert facts["Verdict"] == "fine"
    assert facts["The run"] == "CUDA graph on, spin wait on, data transfers off, separate profiling on"


def test_from_the_host_to_the_layers():
    table, causes = section(steady(), (0.5, 0.6), QUIET, throughput=500.0).tables
    labels = [row[0] for row in table.rows]
    assert labels[0] == "host wall time per inference" and labels[-1] == "sum of the layers"
    wall = table.rows[0]
    assert wall[1] is None and wall[2] == 2.0 and round(wall[3]) == 200  # of means, as no median is known
    assert all(len(row) == 3 and row[2] for row in causes.rows)


def test_unknown_says_why():
    table = section(None, (1.0, 2.0)).tables[0]
    unknown = {row[0]: row[-1] for row in table.rows if row[1] is None and row[2] is None}
    assert unknown["GPU compute"] == "no per-query times and no summary of a run"
    assert unknown["host wall time per inference"] == "no trtexec summary"


def test_nothing():
    assert section() is None
