"""The fastest engine per operation: choices, reformats, and engines that cannot be combined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.compare.predicted import measured, predicted
from tests.compare.profiled import chained, kernel, made, profiled, quantizer
from trex.compare.best_of_each import BestOfEach, OperationDecision, best_of_each
from trex.compare.series import EngineSeries, SeriesKind
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.timings import LayerTime
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.views.compare.series_sections.best_of_each import SECTION
from trex.views.document import Detail


def names(best: BestOfEach, decision: OperationDecision) -> tuple[str, ...]:
    """Operations with this decision, by the name in the base, else in the first engine that names them."""
    return tuple(choice.row.name for choice in best.choices if choice.decision is decision)


def chosen(found: BestOfEach) -> list[int]:
    return [each.chosen for each in found.choices]


def test_a_gain_above_the_reformats_is_included():
    half, byte = chained([0.1, 0.5, 0.1, 0.1]), chained([0.2, 0.1, 0.2, 0.2], "INT8")
    found = best_of_each(EngineSeries(half, [byte]))
    assert chosen(found) == [0, 1, 0, 0]
    assert names(found, OperationDecision.INCLUDE) == ("/c1/Conv",)
    assert names(found, OperationDecision.EXCLUDE) == ("/c0/Conv", "/c2/Conv", "/c3/Conv")
    assert found.conversions == 2
    assert found.mixed_ms == pytest.approx(0.4 + 2 * found.cost.floor_ms)
    assert found.choices[1].saving_ms == pytest.approx(0.4)
    assert found.choices[0].saved_ms == found.choices[2].saved_ms == pytest.approx(-found.cost.floor_ms)


def test_a_gain_below_the_reformats_is_excluded():
    half, byte = chained([0.01, 0.0135, 0.01]), chained([0.02, 0.0105, 0.02], "INT8")
    found = best_of_each(EngineSeries(half, [byte]))
    assert chosen(found) == [0, 0, 0]
    assert found.mixed_ms == pytest.approx(found.alone_ms[0])


def test_neighbors_are_included_to_save_reformats():
    half, byte = chained([0.1, 0.5, 0.1, 0.5, 0.1]), chained([0.3, 0.1, 0.102, 0.1, 0.3], "INT8")
    assert chosen(best_of_each(EngineSeries(half, [byte]))) == [0, 1, 1, 1, 0]


def test_equal_layouts_need_no_reformat():
    found = best_of_each(EngineSeries(chained([0.1, 0.5, 0.1]), [chained([0.2, 0.1, 0.2])]))
    assert chosen(found) == [0, 1, 0] and found.conversions == 0
    assert found.mixed_ms == pytest.approx(0.3)


def test_gains_below_the_profilers_step_are_ignored():
    found = best_of_each(EngineSeries(chained([0.1000, 0.2]), [chained([0.0995, 0.3])]))
    assert chosen(found) == [0, 0]
    assert found.mixed_ms == found.alone_ms[0]


def test_three_engines():
    plans = [chained([0.1, 0.5, 0.5]), chained([0.5, 0.1, 0.5]), chained([0.5, 0.5, 0.1])]
    found = best_of_each(EngineSeries(plans[0], plans[1:]))
    assert chosen(found) == [0, 1, 2]
    assert [found.taken_from(place) for place in range(3)] == [("/c0/Conv",), ("/c1/Conv",), ("/c2/Conv",)]


def test_fused_operations_are_chosen_together():
    apart = [kernel(["/c/Conv"], "x0", "x1"), kernel(["/c/Relu"], "x1", "y", macs=False)]
    fused = [kernel(["/c/Conv", "/c/Relu"], "x0", "y")]
    found = best_of_each(EngineSeries(profiled(apart, [0.4, 0.1]), [profiled(fused, [0.3])]))
    assert {each.group for each in found.choices} == {0}
    assert names(found, OperationDecision.INCLUDE) == ("/c/Conv", "/c/Relu")


def test_conversions_inside_an_engine_count_against_it():
    half = chained([0.3, 0.3])
    layers = [
        kernel(["/c0/Conv"], "x0", "x1", type="INT8"),
        quantizer("/q/QuantizeLinear", "x1", "q"),
        kernel(["/c1/Conv"], "q", "x2", type="INT8"),
    ]
    found = best_of_each(EngineSeries(half, [profiled(layers, [0.2, 0.5, 0.2])]))
    assert found.mixed_ms < 0.6
    assert len(set(chosen(found))) == 2  # one of them is taken from each: that avoids the slow quantizer


def test_an_engine_with_a_layer_without_a_time_is_refused():
    """Its sum, and that of the combination, would count it as 0."""
    layers = [kernel(["/a/Conv"], "x0", "x1"), kernel(["/b/Conv"], "x1", "y")]
    for base, new in (([0.1, None], [0.05, 0.1]), ([0.1, 0.1], [0.05, None])):
        with pytest.raises(TrexError, match=r"1 of 2 layers of .* have no time"):
            best_of_each(EngineSeries(profiled(layers, base), [profiled(layers, new)]))


def test_an_engine_that_lacks_operations_is_refused():
    """A backbone is no faster whole network."""
    whole, part = chained([0.1, 0.5, 0.1, 0.3]), chained([0.1, 0.5, 0.1], "INT8")
    for base, new in ((whole, part), (part, whole)):
        with pytest.raises(TrexError, match=r"lacks 1 operation with weights, first '/c3/Conv'"):
            best_of_each(EngineSeries(base, [new]))


def test_an_engine_whose_graph_lacks_a_layer_is_refused():
    whole, part = chained([0.1, 0.5, 0.1, 0.3]), chained([0.1, 0.5, 0.1, 0.2])
    assert part.layer_times is not None
    records = (*part.layer_times.records, LayerTime("lost", 0, 1.0, 0.1, 0.1, None))
    lacking = EnginePlan(part.engine, replace(part.layer_times, records=records), name="second")
    for base, new in ((whole, lacking), (lacking, whole)):
        with pytest.raises(TrexError, match="the graph of second lacks layers"):
            best_of_each(EngineSeries(base, [new]))


def test_one_engine_twice_gains_nothing():
    plan = made("resnet18-int8")
    found = best_of_each(EngineSeries(plan, [plan]))
    assert set(chosen(found)) == {0} and names(found, OperationDecision.INCLUDE) == ()
    assert found.mixed_ms == pytest.approx(found.alone_ms[0])


def test_examples():
    names = ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual")
    first, *rest = map(made, names)
    found = best_of_each(EngineSeries(first, rest))
    assert found.mixed_ms <= min(found.alone_ms) + 1e-12
    assert found.best_alone == 2
    assert sum(each.chosen == 2 for each in found.choices) > 0.9 * len(found.choices)


def test_engines_that_cannot_be_combined():
    plan = made("resnet18-fp16")
    with pytest.raises(TrexError, match="batch size"):
        best_of_each(EngineSeries(plan, [made("resnet18-b1")]))
    with pytest.raises(TrexError, match="no layer times: bare"):
        best_of_each(EngineSeries(plan, [EnginePlan(plan.engine, name="bare", metadata=plan.metadata)]))
    with pytest.raises(TrexError, match=r"batch size|few layers match"):
        best_of_each(EngineSeries(plan, [made("transformer-fp16")]))


def test_layer_times_in_doubt_choose_no_operation():
    """Contradicted, lost, or with shares of another time; of either side."""
    half, byte = (chained([0.1, 0.5, 0.1], type) for type in ("FP16", "INT8"))
    for code in ("times-contradict", "truncated", "shares-contradict"):
        note = Note(code, "wrong", "measure again", severity="problem")
        doubted = EnginePlan(byte.engine, byte.layer_times, name="second", notes=(note,))
        for base, new in ((half, doubted), (doubted, half)):
            with pytest.raises(TrexError, match=rf"layer times of second can't be trusted: wrong \({code}\)"):
                best_of_each(EngineSeries(base, [new]))
    series = EngineSeries(half, [doubted])
    assert SeriesKind.PRECISION in series.varying and SECTION.make(series, Detail()) is None
    assert SECTION.make(EngineSeries(half, [byte]), Detail()) is not None


def test_real_engines_are_never_worse_than_the_best_alone(shared_engines):
    def read(name: str) -> EnginePlan:
        return load_plan(EnginePlan, str(shared_engines / name))

    for engines in (
        [f"trt8.4-resnet18-a100-{name}" for name in ("fp16", "qat")],
        [f"trt8.4-resnet18-a100-{name}" for name in ("fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap")],
        [f"trt8.2-resnet50-rtx3090-{name}" for name in ("fp32", "fp16", "qat")],
        ["trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals"],
    ):
        plans = [read(name) for name in engines]
        found = best_of_each(EngineSeries(plans[0], plans[1:]))
        assert found.mixed_ms <= min(found.alone_ms) + 1e-9, engines
    fp16, qat = read("trt8.4-resnet18-a100-fp16"), read("trt8.4-resnet18-a100-qat")
    mixed = best_of_each(EngineSeries(fp16, [qat]))
    assert mixed.mixed_ms < 0.97 * min(mixed.alone_ms)  # the deep layers gain; the wide first ones do not
    assert "Conv_41" in names(mixed, OperationDecision.INCLUDE) and "Conv_0" in names(mixed, OperationDecision.EXCLUDE)


def test_gains_over_the_fastest_engine(shared_engines):
    def read(name: str) -> EnginePlan:
        return load_plan(EnginePlan, str(shared_engines / f"trt8.4-resnet18-a100-{name}"))

    found = best_of_each(EngineSeries(read("fp32"), [read("qat")]))
    assert found.best_alone == 1 and found.conversions == 3
    gains = {each.row.name: (each.gain_ms, each.saved_ms) for each in found.choices}
    assert gains["MaxPool_2"] == (pytest.approx(0.002048), pytest.approx(0.0, abs=1e-9))
    assert gains["Gemm_48"][0] == pytest.approx(0.0, abs=1e-9)
    assert gains["Conv_3"] == (None, None)
    groups = {each.group: each for each in found.choices if each.gain_ms is not None}.values()
    saved = sum((each.gain_ms or 0.0) + (each.saved_ms or 0.0) for each in groups)
    assert found.alone_ms[1] - found.mixed_ms == pytest.approx(saved)


def test_predicted_times():
    layers = {"a": 0.5, "b": 0.4}
    plans = [
        predicted(1.0, 0.8, 1.2, layers=layers),
        predicted(0.9, 0.7, 1.1, layers={"a": 0.2, "b": 0.6}),
    ]
    found = best_of_each(EngineSeries(plans[0], plans[1:]))
    assert found.origin == "predicted, not measured"
    mixed = best_of_each(EngineSeries(measured(1.0), [predicted(1.0, 0.8, 1.2)]))
    assert mixed.origin == "measured and predicted times mixed"
    real = best_of_each(EngineSeries(measured(1.0), [measured(0.9)]))
    assert real.origin == ""
