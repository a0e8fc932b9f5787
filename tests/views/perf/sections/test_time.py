"""The section about time, as people read it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.perf.test_reconciliation import plan, steady
from tests.simulated_engine import write_built_on_cpu
from trex.core.metadata import LatencySummary
from trex.core.timings import QueryTimes
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.views.document import Detail
from trex.views.perf.sections.reconciliation import SECTION as RECONCILIATION
from trex.views.perf.sections.roofline import SECTION as ROOFLINE
from trex.views.perf.sections.time import SECTION


def section(*arguments: Any, **options: Any) -> Any:
    return SECTION.make(Performance(plan(*arguments, **options)), Detail())


def test_the_headline_comes_first():
    result = section(steady())
    assert (
        result.statements[0]
        == "GPU compute: median 0.9999 ms, 98 % of 3,000 inferences between 0.9954 and 1.004 ms; steady."
    )
    assert result.statements[1].startswith("The median lies between 0.9998 and 1.0000 ms (95 % sure).")
    table = result.tables[0]
    assert [row[0] for row in table.rows] == ["latency", "GPU compute", "enqueue", "host to device", "device to host"]
    assert table.rows[3][1] == 0 and table.rows[3][-1] == "every sample is 0 ms"


def test_a_prediction_without_scatter_is_one_sentence(tmp_path):
    performance = Performance(load(write_built_on_cpu(tmp_path)))
    time, roofline = SECTION.make(performance, Detail()), ROOFLINE.make(performance, Detail())
    assert time is not None and roofline is not None
    (words,) = time.statements
    assert words.startswith("GPU compute is predicted: ") and words.endswith(" ms. Nothing was measured.")
    assert "a real run is expected between" in words
    assert RECONCILIATION.make(performance, Detail()) is None
    assert "could be saved" not in roofline.statements[0]


def test_what_is_not_steady_is_told():
    compute = steady()
    compute[2000:] *= 1.05
    compute[50::100] += 0.5
    text = section(compute).statements
    assert text[0].endswith("; not steady.")
    assert "1 change of level, between" in text[1]
    assert any("one every 100 samples (about" in statement for statement in text)
    assert any(statement.startswith("The coefficient of variation is 5.") for statement in text)


def test_a_summary_alone():
    summary = {"GPU Compute Time": LatencySummary(0.9, 1.4, 1.01, 1.0, {90.0: 1.1, 99.0: 1.2})}
    result = section(summary=summary)
    assert result.statements[0].startswith("Median 1 ms, 99 % within 1.2 ms, by trtexec's summary")
    assert result.statements[1].startswith("No per-query times (--exportTimes): steadiness")
    assert result.tables == () and result.facts == ()


def test_nothing():
    assert section() is None and section(None, (1.0, 2.0)) is None


@pytest.mark.parametrize("compute", [np.zeros(40), np.full(40, np.nan), np.ones(3), np.full(300, 2.0), np.array([1.0])])
def test_odd_samples(compute: np.ndarray):
    result = section(compute)
    assert result.statements and json.dumps(result.data, allow_nan=False)


def test_an_empty_trace():
    untimed = plan(summary={"Latency": LatencySummary(None, None, None, None)})
    untimed.query_times = QueryTimes({})
    result: Any = SECTION.make(Performance(untimed), Detail())
    assert result.statements == (
        "The file of per-query times is empty: steadiness and detectable differences are unknown.",
    )
