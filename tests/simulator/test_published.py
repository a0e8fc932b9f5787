"""Published inference times: the data, the arithmetic of its table, and whether the shipped figures are fresh."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from trex.core.release import Release
from trex.examples.network import network_names
from trex.simulator.published import (
    EARLIEST,
    PublishedInference,
    PublishedPair,
    constants_without_family,
    family_goal_lines,
    family_rows,
    is_inside,
    judge_published,
    judged_sums,
    published_inferences,
    published_pairs,
    source_lines,
    sources,
)
from trex.simulator.real_engines import FAMILIES, family_of
from trex.simulator.timing.constants import fitted
from trex.simulator.validation import kept_figures

pytest.importorskip("onnx")
PAIRS = published_pairs()
INPUTS = ("family", "network", "batch", "device", "precision", "source", "ms")


def entry(ms: float, **changes: Any) -> dict[str, Any]:
    plain = {"family": "A", "precision": "FP16", "device": "T4", "predicted_ms": 1.0}
    return {**plain, "all_ms": 1.1, "low_ms": 0.8, "high_ms": 1.3, "ms": ms, "unjudged": 0.5, **changes}


def test_every_pair_is_a_network_on_a_known_gpu_with_its_source() -> None:
    assert {pair.network for pair in PAIRS} <= set(network_names())
    assert {pair.source for pair in PAIRS} == set(sources()) and len(source_lines()) == len(sources())
    assert all(family_of(pair.network) == pair.family in FAMILIES for pair in PAIRS)
    assert all(pair.ms > 0 and pair.target.device.bandwidth_gb_per_s for pair in PAIRS)
    assert len(set(PAIRS)) == len(PAIRS) > 100


def test_releases_before_the_earliest_are_predicted_in_its_form() -> None:
    pair = PublishedPair("ResNet", "resnet18", 1, "T4", "INT8", 1.0, "x", release="7.2")
    assert pair.target.release == EARLIEST
    assert {kind.label for kind in pair.target.allowed} == {"FP16", "INT8"}
    assert PublishedPair("A", "b", 1, "T4", "FP32", 1.0, "x", release="10.9").target.release == Release(10, 9)


def test_rows_of_families() -> None:
    rows = family_rows([entry(1.0), entry(2.0), entry(0.8, device="A30"), entry(1.0, family="B")])
    assert rows[0] == {
        "family": "A", "precision": "FP16", "devices": ["T4", "A30"], "figures": 3, "inside": 2, "ratio": 1.0,
        "all_ratio": 1.1, "unjudged": 0.5,
    }  # fmt: skip
    assert [row["family"] for row in rows] == ["A", "B"]
    assert is_inside(entry(0.8)) and not is_inside(entry(1.31))


def test_goals_say_what_is_missed() -> None:
    lines = family_goal_lines([entry(1.0), entry(0.5), entry(0.5), entry(1.0, family="B")])
    assert lines[0].endswith("family left out: 2 of 4 (50 %)")
    assert lines[1].endswith("family left out: 1 of 2; missed by A (2.00)")
    assert lines[2] == "the same by all measured engines: 1 of 2; missed by A (2.20)"


@pytest.fixture(scope="module")
def small() -> list[PublishedInference]:
    """One of judged work, one of a GPU that is held near its base clock, one of work that no engine judged."""
    wanted = (("resnet18", "RTX 3060", "FP16"), ("resnet50-v1.5", "T4", "FP16"), ("bert-base", "A30", "FP16"))
    return published_inferences(
        [next(pair for pair in PAIRS if (pair.network, pair.device, pair.precision) == key) for key in wanted]
    )


def test_only_sums_of_judged_work_at_a_known_clock_count(small: list[PublishedInference]) -> None:
    judged = judged_sums(small, [], fitted().document)
    assert [one.engine for one in judged] == [
        "resnet18 FP16, batch 32, RTX 3060", "resnet50-v1.5 FP16, batch 1, T4"
    ]  # fmt: skip
    assert {one.family for one in judged} == {"ResNet"}


def test_without_any_engine_nothing_is_judged(small: list[PublishedInference]) -> None:
    document = constants_without_family("ResNet", [], small).document
    assert document == {"engines": [], "judged": {}, "intervals": {"compute": {}, "unknown work": {}}}


def test_figures_of_a_family_have_no_influence_on_its_own_prediction(small: list[PublishedInference]) -> None:
    slower = [replace(one, pair=replace(one.pair, ms=3 * one.pair.ms)) for one in small if one.pair.family == "ResNet"]
    before, after = judge_published([], small), judge_published([], [*slower, small[2]])
    assert [entry["predicted_ms"] for entry in before[:2]] == [entry["predicted_ms"] for entry in after[:2]]
    assert before[2]["predicted_ms"] < after[2]["predicted_ms"]


def test_a_fit_takes_the_sum_of_the_kernels(small: list[PublishedInference]) -> None:
    bert = small[2]
    observed = bert.observed
    assert observed.group == ("BERT", "NVIDIA A30", "FP16") and observed.ms == bert.pair.ms
    assert sum(observed.demands.values()) == bert.predicted(fitted()).kernel_count
    assert len(observed.demands) < sum(observed.demands.values()) / 3  # its layers repeat


def test_the_kept_figures_are_those_of_the_pairs_and_of_this_builder(small: list[PublishedInference]) -> None:
    kept = kept_figures()["published"]
    assert [tuple(row[key] for key in INPUTS) for row in kept] == [
        tuple(getattr(pair, key) for key in INPUTS) for pair in PAIRS
    ]
    for one in small:
        kernels = one.predicted(fitted()).kernel_count
        assert kernels == kept[PAIRS.index(one.pair)]["kernels"], "stale: trex validate FOLDER --save validated.json"
