"""Runs that stream weights from the host: which layers wait for them, and that no roofline judges these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.factories import conv, engine, layer, stored, t, time
from tests.perf.round_device import round_device
from trex.core.layer import Layer
from trex.core.metadata import LatencySummary, Metadata
from trex.core.timings import LayerTimes
from trex.engine_plan import load
from trex.perf.achievable import Bound
from trex.perf.performance import Performance
from trex.perf.weight_streaming import WEIGHTS_STREAMED, may_stream, weights_on_device
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_notes import TIMES_CONTRADICT
from trex.rules.lint import lint
from trex.views.perf.document import performance_document

COUNT = 6
SHAPE = (1, 512, 7, 7)
OFF: dict[str, Any] = {"Weight Streaming": "Disabled"}


def layers(type_: str = "FP16") -> list[Layer]:
    """Convolutions of 4.7 MB of weights in FP16, and a pooling without any."""
    convolutions = [
        conv(f"Conv_{index}", [t(f"x{index}", SHAPE, type_)], [t(f"x{index + 1}", SHAPE, type_)], kernel=(3, 3))
        for index in range(COUNT)
    ]
    return [*convolutions, layer("pool", "Pooling", [t(f"x{COUNT}", SHAPE, type_)], [t("y", SHAPE, type_)])]


def performance(
    budget: str | None, build: dict[str, Any] | None = None, ms: float | None = 0.4, type_: str = "FP16", **keys: Any
) -> Performance:
    whole = engine(*layers(type_), inputs=["x0"], outputs=["y"])
    records = tuple(time(one.name, ms if one.weights else 0.008) for one in whole.layers)
    run = Metadata(
        inference_options={} if budget is None else {"Weight Streaming Budget": budget},
        latency={"GPU Compute Time": LatencySummary(*[COUNT * (ms or 0.4)] * 4)},
        **keys,
    )
    times = None if ms is None else LayerTimes(records)
    plan = EnginePlan(whole, times, metadata=run, build_metadata=Metadata(build_options=build or {}))
    return Performance(plan, round_device())


@pytest.mark.parametrize(
    ("budget", "build", "is_streaming"),
    [
        ("10.000000%", {"Weight Streaming": "Enabled"}, True),
        ("0%", {}, True),
        ("1000000 bytes", {}, True),
        ("1000000", {}, True),
        ("99999999999 bytes", {}, False),
        ("100.000000%", {"Weight Streaming": "Enabled"}, False),
        ("10.000000%", OFF, False),
        ("Disabled", {}, False),
        ("-2", {}, False),
        ("Automatic", {"Weight Streaming": "Enabled"}, False),
        ("much", {}, False),
        (None, {"Weight Streaming": "Enabled"}, False),
    ],
)
def test_the_layers_that_wait_for_weights(budget: str | None, build: dict[str, Any], is_streaming: bool) -> None:
    of = performance(budget, build)
    assert of.streamed == (set(range(COUNT)) if is_streaming else set())
    assert [note.code for note in of.notes] == [WEIGHTS_STREAMED] * is_streaming


def test_a_budget_of_all_weights_streams_none() -> None:
    """Whatever the sizes of the weights are, which a names-only engine does not have."""
    assert not may_stream(performance("100.000000%").plan) and may_stream(performance("99%").plan)


def test_small_weights_change_no_time() -> None:
    whole = engine(layer("scale", "Scale", [t("x")], [t("y")], weights=[stored("weights", "FP32", 64)]))
    run = Metadata(inference_options={"Weight Streaming Budget": "10%"})
    assert Performance(EnginePlan(whole, LayerTimes((time("scale", 0.1),)), metadata=run)).streamed == set()


def test_predicted_times_contain_no_copying() -> None:
    assert performance("10%", simulated=True).streamed == set()


def test_the_note_says_how_much_of_the_time_it_is() -> None:
    (note,) = performance("10.000000%").notes
    assert note.severity == "warning" and "--weightStreamingBudget" in note.hint
    assert "budget 10%): the times of 6 layers with weights (100 % of the time) contain copying" in note.message
    (note,) = performance("10.000000%", ms=None).notes
    assert "of the time" not in note.message


def test_no_roofline_judges_them() -> None:
    of, before = performance("10%"), performance("100%")
    assert before.headroom_ms.sum() > 2.0
    assert {of.roofline.bounds[position] for position in of.streamed} == {Bound.UNKNOWN}
    assert np.nansum(of.headroom_ms) < 0.01 and np.isnan(of.roofline.achieved_gb_per_s[0])
    result, unstreamed = lint(of), lint(before)
    assert "ROOF001" in {finding.code for finding in unstreamed.findings}
    assert result.failed == () and not result.savings_ms
    (unchecked,) = [one for one in result.unchecked if one.code == "ROOF001"]
    assert unchecked.layers == tuple(range(COUNT)) and "--weightStreamingBudget" in unchecked.hint
    assert result.diagnosis is not None and result.diagnosis.state == "streaming-weights"
    assert "A larger --weightStreamingBudget".lower() in result.diagnosis.text.lower()
    statements = " ".join(text for one in performance_document(of).sections for text in one.statements)
    assert "Left out, as layer time contains copying weights from the host: 6 layers (100 % of the time)" in statements


def test_half_precision_halves_what_is_copied() -> None:
    """No bandwidth of the device bounds the gain."""
    of = performance("10%", type_="FP32", build={"Precision": "FP32", "Weight Streaming": "Enabled"})
    savings = [finding.savings_ms or 0.0 for finding in lint(of).findings]
    assert sum(savings) <= COUNT * 0.4 / 2 + 0.01


@pytest.mark.parametrize("ms", [4.0, None])
def test_weights_from_the_host_are_no_other_unit(ms: float | None) -> None:
    """Layers that take 400 times what the memory needs: PCIe is that slow next to the memory of a large GPU."""
    keys: dict[str, Any] = {} if ms else {"latency": {"GPU Compute Time": LatencySummary(*[40.0] * 4)}}
    whole = engine(*layers(), inputs=["x0"], outputs=["y"])
    records = tuple(time(one.name, 8.0 if one.weights else 0.008) for one in whole.layers)
    for budget, codes in (("10%", [WEIGHTS_STREAMED]), ("100%", [TIMES_CONTRADICT])):
        run = Metadata(inference_options={"Weight Streaming Budget": budget}, **keys)
        plan = EnginePlan(whole, LayerTimes(records) if ms else None, metadata=run)
        assert [note.code for note in Performance(plan, round_device()).notes] == codes


@pytest.mark.parametrize(
    ("budget", "expected"), [("50%", 500), ("300 bytes", 300), ("Automatic", None), ("-2", 1000), (None, 1000)]
)
def test_the_weights_on_the_device(budget: str | None, expected: int | None) -> None:
    assert weights_on_device(performance(budget).plan, 1000) == expected


def test_no_real_engine_streams_weights(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        assert Performance(load(folder)).streamed == set(), folder.name
