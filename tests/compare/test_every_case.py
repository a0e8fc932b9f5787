"""Every readable case of the catalog: sums are exact, nothing is lost, an engine equals itself and its baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from tests.compare.profiled import made
from tests.synthetic import CASES
from trex.compare.baseline import baseline_document, key_of
from trex.compare.classic_pairs import classic_pairs
from trex.compare.fusion_groups import fusion_groups
from trex.compare.matching.match import Match
from trex.compare.operation_times import OperationTimes, operation_times_of
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.core.layer import Layer
from trex.engine_plan import load
from trex.export.baseline_file import baseline_text
from trex.ingest.baseline_json import read_baseline
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan


@pytest.fixture(params=[name for name, case in CASES.items() if not case.expect.error], scope="module")
def plan(request, tmp_path_factory) -> EnginePlan:
    case = CASES[request.param]
    return load(case.write(tmp_path_factory.mktemp("case")))


def is_whole(plan: EnginePlan, indexes: Sequence[int]) -> bool:
    return sorted(indexes) == list(range(len(plan.working_layers)))


def has_all_layers(diff: PlanDiff) -> bool:
    matches: tuple[Match, ...] = diff.alignment.matches
    left = is_whole(diff.left, [index for match in matches for index in match.left])
    return left and is_whole(diff.right, [index for match in matches for index in match.right])


def adds_up(times: Sequence[float | None], total: OperationTimes) -> bool:
    return math.isclose(math.fsum(ms or 0.0 for ms in times), total.layers_ms, rel_tol=1e-12, abs_tol=1e-15)


def test_an_engine_matches_itself(plan):
    diff = PlanDiff(plan, plan)
    assert has_all_layers(diff)
    assert all(match.left == match.right for match in diff.alignment.matches if match.is_matched)
    assert diff.waterfall.difference_ms == 0.0
    for exact in (True, False):
        assert classic_pairs(plan, plan, exact=exact) == [(index, index) for index in range(len(plan.working_layers))]


def test_a_comparison_is_complete(plan):
    for diff in (PlanDiff(plan, plan), PlanDiff(plan, made("resnet18-int8"))):
        assert has_all_layers(diff) and diff.verdict and diff.parity.differences is not None
        fall = diff.waterfall
        steps = math.fsum(step.difference_ms for step in fall.steps)
        assert math.isclose(steps, fall.difference_ms, rel_tol=1e-9, abs_tol=1e-12)
        left, right = diff.left_operation_times, diff.right_operation_times
        assert sorted(row.left.name for row in diff.operations if row.left) == sorted(left.operations)
        assert sorted(row.right.name for row in diff.operations if row.right) == sorted(right.operations)
        assert adds_up([module.left_ms for module in diff.modules], left)
        assert adds_up([module.right_ms for module in diff.modules], right)


def test_operation_times_are_exact(plan):
    times = operation_times_of(Performance(plan))
    known = [ms for ms in plan.layer_ms if ms is not None]
    assert times.total_ms == times.layers_ms == math.fsum(known)
    indexes = {share.index for share in times.shares}
    for parts in (times.conversions, times.unattributed):
        indexes |= {part.index for part in parts if part.ms is not None}
    assert len(indexes) + times.untimed == len(plan.working_layers)


def test_a_series_is_complete(plan):
    series = EngineSeries(plan, [plan, made("resnet18-int8")])
    assert series.sentence and len(series.facts) == 3
    for engine, times in enumerate(series.operation_times):
        assert times.untimed or adds_up([ms[engine] for ms in series.module_ms.values()], times)
    names = [time.name for row in series.operations if (time := row.times[0]) is not None]
    assert sorted(names) == sorted(series.operation_times[0].operations)


def test_fusion_groups_add_up(plan):
    series = EngineSeries(plan, [plan])
    groups = fusion_groups(series)
    total = series.operation_times[0]
    if not total.untimed and groups.ms:
        for engine in (0, 1):
            crossing = [t.ms for tensors in groups.crossings.values() for t in tensors if t.engine == engine]
            own = [ms[engine] or 0.0 for ms in groups.ms]
            assert math.fsum([*own, *crossing]) == pytest.approx(total.layers_ms, rel=1e-9)


def facts(layer: Layer) -> tuple[object, ...]:
    tensors = [(t.name, t.shape, t.precision, t.format.label, t.size_bytes) for t in (*layer.inputs, *layer.outputs)]
    return (layer.name, layer.type, layer.precision, layer.origins, layer.tactic, layer.module, layer.role, tensors)


def test_a_baseline_keeps_the_engine(plan):
    key, artifacts = read_baseline(baseline_text(baseline_document(plan)).encode(), "kept.json")
    kept = EnginePlan.from_artifacts(artifacts)
    assert key == key_of(plan) and kept.provenance is plan.provenance
    assert list(map(facts, kept.working_layers)) == list(map(facts, plan.working_layers))
    for time, original in zip(kept.times, plan.times, strict=True):
        average = None if original is None else original.average_ms
        assert (None if time is None else time.average_ms) == (average and pytest.approx(average, 1e-5))
    assert PlanDiff(plan, kept).alignment.matched_share in (1.0, pytest.approx(float("nan"), nan_ok=True))
