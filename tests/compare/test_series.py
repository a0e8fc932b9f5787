"""Series of engines: what varies, times side by side, signs, causes that add up."""

from __future__ import annotations

import math

import pytest

from tests.compare.predicted import predicted
from tests.compare.profiled import chained, made
from tests.factories import engine
from trex.compare.scaling import LINEAR
from trex.compare.series import WHOLE, EngineSeries, SeriesKind
from trex.compare.significance import SpeedOutcome
from trex.core.errors import TrexError
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan


@pytest.fixture(scope="module")
def batches() -> EngineSeries:
    """ResNet18 in half precision at four batch sizes, out of order."""
    first, *others = (made(f"resnet18-b{batch}") for batch in (8, 1, 64, 32))
    return EngineSeries(first, others)


def test_one_engine_alone():
    with pytest.raises(TrexError, match="only one engine"):
        EngineSeries(chained([0.1]), [])


def test_a_series_of_batch_sizes(batches):
    assert batches.kind is SeriesKind.BATCH
    assert batches.sentence == "A series over batch size: 8, 1, 64, 32."
    assert [each.batch for each in batches.facts] == [8, 1, 64, 32]
    whole = batches.scaling[0]
    assert (whole.name, whole.batches) == (WHOLE, (1, 8, 32, 64))
    assert 0.0 < whole.exponent < 1.0
    assert whole.efficiency[-1] > 1.0
    names = {each.name for each in batches.scaling}
    assert {"conv1", "layer1/0", "layer4/1"} <= names
    for curve in batches.scaling:
        steps = [
            exponent for first, _, exponent in curve.exponents if curve.saturates_at and first >= curve.saturates_at
        ]
        assert all(exponent >= LINEAR for exponent in steps)


def test_speedups_per_item(batches):
    raw = batches.comparisons[1].main.speedup  # batch 64 against 8
    per_item, outcome = batches.per_item(1)
    assert raw < 1.0 < per_item == pytest.approx(8.0 * raw)
    assert outcome is SpeedOutcome.FASTER
    slower, outcome = batches.per_item(0)  # batch 1 against 8
    assert slower < 1.0 and outcome is SpeedOutcome.SLOWER


def test_a_series_of_precisions():
    found = EngineSeries(made("resnet18-fp16"), [made("resnet18-int8")])
    assert found.kind is SeriesKind.PRECISION and found.sentence == "A series over precision: FP16, INT8."
    assert found.scaling == ()


def test_equal_engines():
    plan = made("resnet18-fp16")
    found = EngineSeries(plan, [plan, made("resnet18-fp16")])
    assert found.varying == () and found.kind is SeriesKind.SEVERAL
    assert "with the same batch, precision" in found.sentence
    assert len(set(found.names)) == 3
    assert all(len({time and time.ms for time in row.times}) == 1 for row in found.operations)
    assert all(value == 0.0 for _, values in found.steps for value in values)
    assert found.per_item(0) == (1.0, SpeedOutcome.SAME)


def test_engines_of_different_models():
    found = EngineSeries(made("resnet18-fp16"), [made("transformer-fp16"), made("resnet18-int8")])
    assert found.other_models == ("transformer-fp16",)
    assert found.kind is SeriesKind.SEVERAL and "another model" in found.sentence
    assert any(note.message.startswith("transformer-fp16: ") for note in found.notes)


def test_empty_engines():
    nothing = EnginePlan(engine())
    found = EngineSeries(nothing, [nothing, nothing])
    assert (found.operations, found.module_ms, found.scaling, found.varying) == ((), {}, (), ())
    assert found.per_item(0) == (None, SpeedOutcome.UNKNOWN)
    assert "engines" in found.sentence


def test_causes_add_up_for_each_engine(batches):
    for place, comparison in enumerate(batches.comparisons):
        total = math.fsum(values[place] for _, values in batches.steps)
        assert total == pytest.approx(comparison.waterfall.difference_ms, abs=1e-12)
        assert total == pytest.approx(comparison.waterfall.right_ms - comparison.waterfall.left_ms, abs=1e-12)


def test_operations_keep_the_base_first(batches):
    assert [row.name for row in batches.operations] == list(batches.operation_times[0].operations)
    assert all(len(row.ms) == 4 and None not in row.ms for row in batches.operations)


def test_the_five_engines_of_the_published_story(shared_engines):
    names = ("fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap")
    plans = [load_plan(EnginePlan, str(shared_engines / f"trt8.4-resnet18-a100-{name}")) for name in names]
    found = EngineSeries(plans[0], plans[1:])
    assert found.kind is SeriesKind.PRECISION
    assert [each.main.outcome for each in found.comparisons] == [SpeedOutcome.FASTER] * 4
    speedups = [each.main.speedup for each in found.comparisons]
    assert speedups == pytest.approx([2.31, 2.26, 3.65, 3.98], abs=0.01)
    rows = {row.name: [math.nan if ms is None else ms for ms in row.ms] for row in found.operations}
    pooling = rows["MaxPool_2"]
    assert pooling[2] > pooling[1] and pooling[2] > 10.0 * pooling[3]
    assert [round(each.converting_ms, 3) for each in found.operation_times] == [0.0, 0.0, 0.232, 0.116, 0.095]


def test_predictions_per_item_have_error_bars():
    base = predicted(1.0, 0.8, 1.2)
    series = EngineSeries(base, [predicted(2.0, 1.6, 2.4, batch=8)])
    assert series.per_item(0) == (pytest.approx(4.0), SpeedOutcome.PREDICTED_FASTER)
    assert EngineSeries(base, [predicted(1.9, 1.6, 2.4, batch=2)]).per_item(0)[1] is SpeedOutcome.SAME


def test_the_type_of_most_macs_is_that_of_the_same_work_or_computed():
    int8, same, half = made("resnet18-int8"), made("resnet18-int8"), made("resnet18-b8")
    series = EngineSeries(int8, [same, half])
    assert [diff.has_same_work for diff in series.comparisons] == [True, False]
    assert [facts.precision for facts in series.facts] == ["INT8", "INT8", "FP16"]


def test_one_curve_is_of_one_quantity():
    one, eight, large = predicted(1.0), predicted(2.0, samples=0, batch=8), predicted(4.0, batch=32)
    series = EngineSeries(one, [eight, large])
    assert series.main_times == ("GPU compute", (1.0, None, 4.0))
    assert series.scaling[0].ms == (1.0, None, 4.0) and series.item_ms == (1.0, None, 4.0 / 32)
    series = EngineSeries(one, [eight])
    assert series.main_times == ("sum of layer times", (0.9, 1.8)) and series.scaling[0].ms == (0.9, 1.8)
