"""Validation: figures of a prediction against a real engine, and whether the shipped figures are fresh."""

from __future__ import annotations

import json
from dataclasses import replace
from math import nan
from types import SimpleNamespace
from typing import Any

import pytest

from tests.simulator.models import small_cnn
from trex.core.layer import Layer
from trex.core.metadata import Metadata
from trex.core.release import Release
from trex.examples.network import network_names
from trex.ingest.graph_json import engine_from_documents
from trex.simulator.builder import build
from trex.simulator.engine_json import engine_document
from trex.simulator.kernel_times import kernel_times
from trex.simulator.real_engines import REFERENCE_ENGINES, ReferenceEngine, compute_ms
from trex.simulator.timing.constants import fitted
from trex.simulator.timing.prediction import inference_of
from trex.simulator.validation import (
    GOALS,
    RealEngine,
    Validation,
    constants_digest,
    constants_unseen,
    figures,
    goal_lines,
    kept_figures,
    matched_times,
    reached,
    type_distance,
    validation_of,
)

TWIN = ReferenceEngine("made", "small", 1, "A100", Release(10, 4))


def predicted_layers(twin: ReferenceEngine = TWIN) -> tuple[Layer, ...]:
    document = engine_document(build(small_cnn(), twin.target), "")
    return engine_from_documents([json.loads(json.dumps(document))]).layers


def judged(real: RealEngine, twin: ReferenceEngine = TWIN) -> Validation:
    return validation_of(twin, small_cnn(), real, [])


def own_times(twin: ReferenceEngine = TWIN) -> tuple[list[float], float]:
    """(times of the prediction's layers, of its inference), by the constants before any fit."""
    times = kernel_times(build(small_cnn(), twin.target), constants_unseen("made", []))
    return list(times.layer_ms), inference_of(times.kernels).compute_ms


def test_a_prediction_beside_itself_is_equal_in_everything() -> None:
    times, compute = own_times()
    result = judged(RealEngine(predicted_layers(), times, compute))
    assert result.layers[0] == result.layers[1] > 3
    assert (result.type_distance, result.groups_equal, result.copies_equal) == (0.0, 1.0, 1.0)
    assert result.spearman == pytest.approx(1.0)
    assert result.total_ratio == pytest.approx(1.0)
    assert result.compute_ratio == pytest.approx(1.0)
    assert result.is_expected


def test_what_only_one_side_has_is_told() -> None:
    times, _ = own_times()
    layers = predicted_layers()
    index = next(index for index, layer in enumerate(layers) if layer.type == "Convolution")
    fewer = (*layers[:index], *layers[index + 1 :])
    result = judged(RealEngine(fewer, [*times[:index], *times[index + 1 :]]))
    assert result.layers == (result.layers[1] + 1, result.layers[1])
    assert result.groups_equal < 1 and 0 < result.type_distance < 1
    assert result.total_ratio is not None and result.total_ratio > 1
    assert result.compute_ratio is None and result.is_expected is None


def test_a_time_far_off_is_not_as_expected() -> None:
    times, compute = own_times()
    result = judged(RealEngine(predicted_layers(), [3 * ms for ms in times], 3 * compute))
    assert result.is_expected is False
    assert result.total_ratio == pytest.approx(1 / 3)


def test_no_ratio_to_a_sum_that_lacks_a_layer() -> None:
    times, _ = own_times()
    result = judged(RealEngine(predicted_layers(), [None, *times[1:]]))
    assert result.total_ratio is None and result.spearman == pytest.approx(1.0)


def test_times_are_not_judged_without_times_or_gpu() -> None:
    layers = predicted_layers()
    assert judged(RealEngine(layers, [None] * len(layers))).spearman is None
    times, compute = own_times()
    result = judged(RealEngine(layers, times, compute), replace(TWIN, knows_device=False))
    assert result.total_ratio is None and result.compute_ratio is None
    assert result.groups_equal == 1.0


def test_layers_that_share_operations_are_compared_as_one() -> None:
    own = [(frozenset({"a", "b"}), 1.0), (frozenset({"c"}), 2.0), (frozenset({"d"}), 5.0)]
    real = [(frozenset({"a"}), 1.0), (frozenset({"b", "c"}), 3.0), (frozenset({"e"}), 7.0)]
    assert sorted(matched_times(own, real)) == [(0.0, 7.0), (3.0, 4.0), (5.0, 0.0)]


def test_distance_of_types() -> None:
    layers = predicted_layers()
    assert type_distance(layers, layers) == 0.0
    assert type_distance(layers, ()) == 1.0
    assert type_distance((), ()) == 0.0


def test_the_engine_itself_is_in_none_of_its_constants() -> None:
    assert constants_unseen("made", []).document == {}


def test_goals_say_by_how_much_they_are_missed() -> None:
    entry: dict[str, Any] = {
        "engine": REFERENCE_ENGINES[0].engine, "groups_equal": 0.9, "copies": [2, 1], "spearman": 0.95,
        "total_ratio": None,
    }  # fmt: skip
    assert [reached(goal, entry) for goal in GOALS] == [(False, 0.9), (True, 0.9), (False, 1), (True, 0.95), None]
    lines = goal_lines({"engines": [entry]})
    assert "missed by trt8.4-resnet18-a100-fp32 (0.9)" in lines[0]
    assert ": 1 of 1" in lines[3]


def test_every_twin_is_a_network_that_can_be_written() -> None:
    known = network_names()
    assert all(item.network in known for item in REFERENCE_ENGINES)


def test_the_kept_figures_belong_to_the_constants_of_this_version() -> None:
    assert kept_figures()["constants"] == constants_digest(), (
        "constants were fitted anew: trex validate ../shared/engines -o trex/simulator/validated.json"
    )
    assert [item["engine"] for item in kept_figures()["engines"]] == [item.engine for item in REFERENCE_ENGINES]
    assert len(fitted().document["engines"]) > 10


def test_figures_of_one_engine_in_json() -> None:
    times, compute = own_times()
    result = judged(RealEngine(predicted_layers(), times, compute))
    (entry,) = figures([result], "2026-01-31")["engines"]
    assert json.loads(json.dumps(entry))["layers"] == list(result.layers)


TIMES = {"computeMs": [9.0, nan, 2.0, 0.0, 4.0]}


@pytest.mark.parametrize(("columns", "streams", "expected"), [({}, "1", None), (TIMES, "1", 3.0), (TIMES, "4", None)])
def test_only_known_times_of_queries_that_ran_alone_count(
    columns: dict[str, list[float]], streams: str, expected: float | None
) -> None:
    metadata = Metadata(inference_options={"Inference Streams": streams})
    plan: Any = SimpleNamespace(query_times=SimpleNamespace(columns=columns, warm_up_rows=1), metadata=metadata)
    assert compute_ms(plan) == expected
