"""Too large and real, or not: what fails, what passes and what nobody can tell."""

from __future__ import annotations

from array import array
from dataclasses import replace

import numpy as np
import pytest

from tests.compare.predicted import measured, predicted
from tests.compare.profiled import chained
from tests.factories import conv, engine, t, time
from trex.compare.comparison import Comparison
from trex.compare.gate import Judged, Judgment, judge, read_condition
from trex.core.errors import TrexError
from trex.core.timings import LayerTimes, QueryTimes
from trex.plan.engine_plan import EnginePlan

NAMES = [f"conv_{place}" for place in range(12)]


def run(median: float, seed: int, count: int = 1000, slow: float = 1.0, scatter: float = 0.005) -> EnginePlan:
    """Twelve layers of the same kernels, of which ``conv_0`` takes ``slow`` times as long; a trace of ``count``."""
    generator = np.random.default_rng(seed)
    layers = [
        replace(conv(name, [t(f"x{i}", [1, 8, 4, 4])], [t(f"x{i + 1}", [1, 8, 4, 4])]), tactic="k", origins=(name,))
        for i, name in enumerate(NAMES)
    ]
    records = tuple(time(name, 0.5 * (slow if name == "conv_0" else 1.0)) for name in NAMES)
    times = array("d", (median * (1 + scatter * generator.standard_normal(count))).tolist())
    queries = QueryTimes({"computeMs": times, "latencyMs": times}) if count else None
    return EnginePlan(engine(*layers, inputs=["x0"]), LayerTimes(records), queries)


def judgments(left: EnginePlan, right: EnginePlan, *conditions: str) -> list[Judgment]:
    return [each.judgment for each in judge(Comparison(left, right), [read_condition(each) for each in conditions])]


@pytest.mark.parametrize(
    "text, metric, limit, is_percent",
    [
        ("latency>+3%", "latency", 3.0, True),
        ("compute > 0.2 ms", "compute", 0.2, False),
        ("layer:gemm*>+10%", "layer", 10.0, True),
    ],
)
def test_conditions_that_can_be_read(text, metric, limit, is_percent):
    found = read_condition(text)
    assert (found.metric, found.limit, found.is_percent) == (metric, limit, is_percent)


@pytest.mark.parametrize("text", ["", "latency", "latency>3", "latency<3%", "speed>3%", "layer:>3%", "latency>1.2.3%"])
def test_conditions_that_cannot(text):
    with pytest.raises(TrexError, match="no condition"):
        read_condition(text)


def test_larger_than_allowed_and_real_fails():
    assert judgments(run(1.0, 1), run(1.05, 2), "latency>+3%") == [Judgment.FAILED]
    assert judgments(run(1.0, 1), run(1.05, 2), "compute>+0.04ms") == [Judgment.FAILED]


def test_faster_or_within_the_limit_passes():
    assert judgments(run(1.0, 1), run(0.9, 2), "latency>+3%") == [Judgment.PASSED]
    assert judgments(run(1.0, 1), run(1.02, 2), "latency>+3%") == [Judgment.PASSED]


def test_large_but_not_supported_passes():
    noise = run(1.0, 5, 12, scatter=0.2)
    values = noise.query_times.columns["computeMs"]  # type: ignore[union-attr]
    slower = array("d", [1.04 * each for each in reversed(values)])
    other = EnginePlan(noise.engine, noise.layer_times, QueryTimes({"computeMs": slower, "latencyMs": slower}))
    assert judgments(noise, other, "latency>+3%") == [Judgment.PASSED]


def test_without_samples_nobody_can_tell():
    assert judgments(run(1.0, 1, 0), run(2.0, 2, 0), "latency>+3%") == [Judgment.CANNOT_TELL]


def test_a_layer_that_became_slower():
    left, right = run(1.0, 1), run(1.0, 2, slow=1.2)
    assert judgments(left, right, "layer:conv_0>+10%") == [Judgment.FAILED]
    assert judgments(left, right, "layer:conv_0>+30%") == [Judgment.PASSED]
    assert judgments(left, right, "layer:conv_[1-9]>+10%") == [Judgment.PASSED]
    assert judgments(right, left, "layer:*>+10%") == [Judgment.PASSED]
    assert judgments(left, right, "layer:nothing*>+10%") == [Judgment.CANNOT_TELL]


def test_samples_of_layers_go_before_the_scatter_of_others():
    left, right = run(1.0, 1), run(1.0, 2, slow=1.2)
    for plan, seed, median in ((left, 1, 0.5), (right, 2, 0.6)):
        noise = median * (1.0 + 0.5 * np.random.default_rng(seed).standard_normal(20))
        plan.times = (replace(plan.times[0], samples_ms=tuple(np.abs(noise).tolist())), *plan.times[1:])  # type: ignore[type-var]
    assert judgments(left, right, "layer:conv_0>+10%") == [Judgment.PASSED]


def slowed(plan: EnginePlan, *factors: float) -> EnginePlan:
    """The layers slower by these factors, one after another, again and again; the whole engine as before."""
    assert plan.layer_times is not None
    rows = tuple(
        replace(row, average_ms=factors[at % len(factors)] * row.average_ms)  # type: ignore[operator]
        for at, row in enumerate(plan.layer_times.records)
    )
    return EnginePlan(plan.engine, replace(plan.layer_times, records=rows), plan.query_times)


def test_what_all_layers_share_is_no_scatter():
    """All a tenth slower: each of them fails, and the words tell that all are."""
    left = run(1.0, 1)
    found = judge(Comparison(left, slowed(left, 1.1)), [read_condition("layer:*>+5%")])
    assert [each.judgment for each in found] == [Judgment.FAILED] * len(left.layers)
    assert "layers of the same kernels take +10 % as a whole" in found[0].words
    (within,) = judge(Comparison(left, slowed(left, 1.1)), [read_condition("layer:*>+15%")])
    assert within.judgment is Judgment.PASSED and within.words.endswith("passed")


@pytest.mark.parametrize(
    ("slow", "judgment", "why"),
    [
        (1.5, Judgment.FAILED, "more than allowed, and real: no profile scatters by 16 %"),
        (1.12, Judgment.CANNOT_TELL, "fewer than 10 layers kept their kernels"),
        (1.05, Judgment.PASSED, "passed"),
    ],
)
def test_where_no_kernel_stayed_only_what_is_beyond_any_scatter_is_real(slow, judgment, why):
    sides = chained([1.0, 2.0]), chained([1.0, 2.0 * slow])
    (found,) = judge(Comparison(*sides), [read_condition("layer:/c1/Conv>+10%")])
    assert found.judgment is judgment
    assert why in found.words


def test_what_grew_by_more_and_passed_is_told():
    """Some a tenth slower, some a tenth faster: so do these profiles scatter. Who reads that all passed must know."""
    left = run(1.0, 1)
    (found,) = judge(Comparison(left, slowed(left, 1.1, 0.9)), [read_condition("layer:*>+5%")])
    assert found.judgment is Judgment.PASSED
    assert "of them grew by more, which is not shown to be real (layers of the same" in found.words


def of_prediction(left: EnginePlan, right: EnginePlan, condition: str) -> Judged:
    (found,) = judge(Comparison(left, right), [read_condition(condition)])
    return found


@pytest.mark.parametrize("condition", ["latency>+3%", "compute>+0.03ms", "enqueue>+3%"])
def test_predictions_are_judged_by_their_size_and_called_predictions(condition):
    base, slower = predicted(1.0, 0.8, 1.2), predicted(1.05, 0.84, 1.26)
    failed, passed = of_prediction(base, slower, condition), of_prediction(slower, base, condition)
    assert (failed.judgment, passed.judgment) == (Judgment.FAILED, Judgment.PASSED)
    for each in (failed, passed):
        assert "predicted, not measured (" in each.words and "real" not in each.words and "±" not in each.words
    assert failed.words.endswith(": more than allowed") and passed.words.endswith(": within the limit")


def test_the_words_tell_what_the_error_bars_hold():
    found = of_prediction(predicted(1.0, 0.8, 1.25), predicted(2.0, 1.5, 2.4), "compute>+3%")
    assert found.words == (
        "compute 1 → 2 ms (+100.0 %), predicted, not measured (+20 to +200 % by the predictions' error bars): "
        "more than allowed"
    )
    unknown = of_prediction(predicted(1.0), predicted(2.0), "compute>+3%")
    assert "predicted, not measured (the files of the base tell no error bars; the files of the new" in unknown.words
    assert unknown.judgment is Judgment.FAILED


@pytest.mark.parametrize(
    "condition, judgment",
    [
        ("compute>+10%", Judgment.FAILED),
        ("compute>+0.1ms", Judgment.FAILED),
        ("compute>+50%", Judgment.CANNOT_TELL),
        ("compute>+0.5ms", Judgment.CANNOT_TELL),
        ("compute>+70%", Judgment.CANNOT_TELL),
        ("compute>+100%", Judgment.PASSED),
        ("latency>+50%", Judgment.CANNOT_TELL),
        ("enqueue>+900%", Judgment.CANNOT_TELL),
    ],
)
def test_measured_against_predicted_is_judged_where_the_error_bars_leave_no_doubt(condition, judgment):
    found = of_prediction(measured(1.0), predicted(1.6, 1.2, 1.9), condition)
    assert found.judgment is judgment
    assert "measured against predicted, not like with like (" in found.words


def test_layers_of_predictions_are_judged_by_their_size():
    base = predicted(1.0, 0.8, 1.2, layers={"a": 0.5, "b": 0.4})
    slower = predicted(1.1, 0.9, 1.3, layers={"a": 0.6, "b": 0.4})
    failed, passed = judge(Comparison(base, slower), [read_condition("layer:*>+10%")])
    assert (failed.judgment, failed.words) == (
        Judgment.FAILED,
        "a 0.5 → 0.6 ms (+20.0 %), predicted, not measured: more than allowed",
    )
    assert (passed.judgment, passed.words) == (
        Judgment.PASSED,
        "1 of 2 layer groups called '*' passed (predicted, not measured)",
    )


def test_layers_that_were_measured_and_predicted_cannot_be_compared():
    found = of_prediction(measured(1.0), predicted(1.0, 0.8, 1.2), "layer:*>+10%")
    assert found.judgment is Judgment.CANNOT_TELL
    assert found.words.endswith("not like with like: the base was measured, the new engine predicted")
