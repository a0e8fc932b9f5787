"""Real engines side by side: the published story of quantizing ResNet-18 step by step, and pairs of other engines.

What NVIDIA's walk-through tells must be read off the tables and the waterfall, with its reasons; times are those of the
files. Which layers correspond in the other pairs was looked at by eye.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.compare.causes import Cause, Change
from trex.compare.inventory import LayerCategory, layer_categories
from trex.compare.matching.name_evidence import is_conversion
from trex.compare.plan_diff import PlanDiff
from trex.compare.significance import SpeedOutcome
from trex.compare.waterfall import Waterfall
from trex.core.layer import Layer
from trex.engine_plan import load
from trex.views.compare.sections.inventory import make as inventory
from trex.views.document import Detail

STORY = ("fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap")


def contribution(fall: Waterfall, cause: Cause) -> float:
    """Of one cause in ms, 0.0 if it did not occur."""
    return sum(step.difference_ms for step in fall.steps if step.name == cause.value)


@pytest.fixture(scope="module")
def steps(shared_engines: Path) -> dict[str, PlanDiff]:
    """{new engine: compared with the one before it}."""
    plans = [load(shared_engines / f"trt8.4-resnet18-a100-{name}") for name in STORY]
    return {name: PlanDiff(plans[place], plans[place + 1]) for place, name in enumerate(STORY[1:])}


def kinds(found: PlanDiff, of: str) -> dict[str, LayerCategory]:
    def kind_of(layer: Layer) -> str:
        return getattr(layer, of)

    return {kind.name: kind for kind in layer_categories(found.left, found.right, found.changes, kind_of)}


def only(found: PlanDiff, cause: Cause) -> list[Change]:
    return [change for change in found.changes if change.cause is cause]


def test_half_precision_halves_the_time(steps: dict[str, PlanDiff]) -> None:
    found = steps["fp16"]
    assert found.main.outcome is SpeedOutcome.FASTER
    assert found.main.speedup == pytest.approx(2.31, abs=0.01)
    fall = found.waterfall
    assert fall.layers_left_ms / fall.layers_right_ms == pytest.approx(2.09, abs=0.01)
    assert contribution(fall, Cause.PRECISION) == pytest.approx(fall.difference_ms, rel=0.05)
    assert all(change.words == "FP32 → FP16" for change in only(found, Cause.PRECISION))
    assert {change.match.why for change in found.changes if change.match.is_matched} == {"same ONNX nodes"}


def test_reformats_cancel_the_gain_of_int8(steps: dict[str, PlanDiff]) -> None:
    found = steps["qat"]
    assert found.main.outcome is SpeedOutcome.SLOWER
    gained, paid = contribution(found.waterfall, Cause.PRECISION), contribution(found.waterfall, Cause.REFORMATS)
    assert gained == pytest.approx(-0.133, abs=0.002) and paid == pytest.approx(0.210, abs=0.002)
    added = {
        found.right.working_layers[change.match.right[0]].name: change.right_ms
        for change in only(found, Cause.REFORMATS)
        if change.match.right
    }
    assert len(added) == 11 and sum(added.values()) == pytest.approx(0.2171, abs=1e-3)
    assert added["Reformatting CopyNode for Output Tensor 0 to MaxPool_12"] == pytest.approx(0.0369, abs=1e-4)
    assert added["QuantizeLinear_15"] == pytest.approx(0.0276, abs=1e-4)
    dear = [change for change in only(found, Cause.PRECISION) if change.difference_ms > 0.01]
    words = {found.right.working_layers[change.match.right[0]].name: change.words for change in dear}
    assert words == {
        "conv1.weight + QuantizeLinear_7 + Conv_9": "FP16 → INT8 to FP32",
        "MaxPool_12": "FP16 → FP32",
    }


def test_residual_quantizers_remove_the_fp16_layers(steps: dict[str, PlanDiff]) -> None:
    found = steps["qat-residual"]
    assert found.main.outcome is SpeedOutcome.FASTER
    precisions = kinds(found, "precision")
    assert (precisions["FP16"].left_count, precisions["FP16"].right_count) == (11, 0)
    assert (precisions["INT8"].left_count, precisions["INT8"].right_count) == (21, 22)
    reformats = kinds(found, "type")["Reformat"]
    assert (reformats.left_count, reformats.right_count) == (12, 3)
    assert contribution(found.waterfall, Cause.REFORMATS) == pytest.approx(-0.197, abs=0.002)


def test_quantizing_the_average_pooling_removes_two_more(steps: dict[str, PlanDiff]) -> None:
    found = steps["qat-residual-qgap"]
    floats = kinds(found, "precision")["FP32"]
    assert (floats.left_count, floats.right_count) == (3, 1)
    removed = [change for change in found.changes if not change.match.right]
    assert [found.left.working_layers[change.match.left[0]].name for change in removed] == [
        "DequantizeLinear_291",
        "QuantizeLinear_298",
    ]
    assert {change.cause for change in removed} == {Cause.REFORMATS}
    assert len(only(found, Cause.SAME_KERNEL)) == 21


def test_pooling_drops_tenfold_and_rises_again(steps: dict[str, PlanDiff]) -> None:
    before, after = (kinds(steps[name], "type")["Pooling"] for name in ("qat-residual", "qat-residual-qgap"))
    assert before.left_ms and before.right_ms and after.left_ms and after.right_ms
    assert before.left_ms / before.right_ms == pytest.approx(11.6, abs=0.1)
    assert before.reasons[0].words.startswith("MaxPool_12: fused into ") and "(ConvActPool)" in before.reasons[0].words
    assert before.reasons[0].difference_ms == pytest.approx(-0.0952, abs=1e-4)
    assert after.left_ms == before.right_ms and after.right_ms > 1.6 * after.left_ms
    assert [reason.words for reason in after.reasons] == ["GlobalAveragePool_300: FP32 → INT8"]


def test_the_inventory_section(steps: dict[str, PlanDiff]) -> None:
    content = inventory(steps["qat-residual"], Detail())
    assert content is not None
    assert content.statements == ("35 layers → 25; FP16: 11 layers → 0, INT8: 21 layers → 22.",)
    rows = {row[0]: row for row in content.tables[0].rows}
    assert rows["Pooling"][1:3] == (2, 1) and "fused into" in str(rows["Pooling"][-1])


def pairs(found: PlanDiff) -> list[tuple[list[str], list[str]]]:
    return [
        (
            [found.left.working_layers[place].name for place in change.match.left],
            [found.right.working_layers[place].name for place in change.match.right],
        )
        for change in found.changes
    ]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("trt8.2-resnet50-rtx3090-fp32", "trt8.2-resnet50-rtx3090-fp16"),
        ("trt8.2-resnet50-rtx3090-fp16", "trt8.2-resnet50-rtx3090-qat"),
        ("trt8.2-resnet50-rtx3090-fp32", "trt8.2-resnet50-rtx3090-qat"),
        ("trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals"),
        ("trt10.1-alexnet-onnx", "trt10.4-alexnet-fp16-rtx3060"),
        ("trt8.4-resnet18-a100-fp16", "trt10.4-resnet18-fp16-rtx3060"),
        ("trt10.1-resnet18-torchtrt", "trt10.4-resnet18-fp16-rtx3060"),
        ("trt8.4-resnet18-a100-qat", "trt10.1-resnet18-torchtrt"),
    ],
)
def test_gemms_match_across_releases_and_gpus(shared_engines: Path, left: str, right: str) -> None:
    found = PlanDiff(load(shared_engines / left), load(shared_engines / right))
    assert not [note for note in found.notes if note.code == "unlike-engines"]
    for change in found.changes:
        sides = [
            [layer for layer in side if layer.type in ("Convolution", "ConvActPool", "gemm")]
            for side in found.layers_of(change)
        ]
        assert bool(sides[0]) == bool(sides[1]) or "kgen" in {
            layer.type for side in found.layers_of(change) for layer in side
        }
        shapes = [{layer.outputs[-1].shape[1:2] for layer in side if layer.outputs[-1].shape} for side in sides]
        if len(sides[0]) == len(sides[1]) == 1:
            assert shapes[0] == shapes[1], (change.match.why, pairs(found))


def test_a_generated_gemm_matches_a_native_one(shared_engines: Path) -> None:
    names = ("trt8.4-resnet18-a100-fp16", "trt10.4-resnet18-fp16-rtx3060")
    found = pairs(PlanDiff(load(shared_engines / names[0]), load(shared_engines / names[1])))
    assert (["Gemm_48"], ["__myl_MulSumAdd_myl24_1"]) in found
    assert tuple(
        left
        for left, right in found
        if right
        == ["/layer3/layer3.0/downsample/downsample.0/Conv + /layer3/layer3.0/Add + /layer3/layer3.0/relu_1/Relu"]
    ) == (["Conv_27 + Add_28 + Relu_29"],)


def test_conversions_only_match_conversions(shared_engines: Path) -> None:
    names = ("trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals")
    found = PlanDiff(load(shared_engines / names[0]), load(shared_engines / names[1]))
    for change in found.changes:
        left, right = found.layers_of(change)
        if len(left) == len(right) == 1:
            assert is_conversion(left[0]) == is_conversion(right[0]), change.match


def test_a_swapped_add_keeps_both_branches_together(shared_engines: Path) -> None:
    names = ("trt8.2-resnet50-rtx3090-fp16", "trt8.2-resnet50-rtx3090-qat")
    found = PlanDiff(load(shared_engines / names[0]), load(shared_engines / names[1]))
    moved = [each for each in pairs(found) if len(each[0]) == len(each[1]) == 2]
    assert len(moved) == 4
    for left, right in moved:
        assert [("_3_conv/" in name, "add" in name) for name in left] == [(True, False), (False, True)]
        assert [("_3_conv/" in name, "add" in name) for name in right] == [(False, False), (True, True)]


def test_a_run_that_begins_at_another_level_still_shows_a_quarter_saved(shared_engines: Path) -> None:
    """A tenth of the new run is slow, so that its samples are worth few independent ones."""
    names = ("trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals")
    found = PlanDiff(load(shared_engines / names[0]), load(shared_engines / names[1]))
    assert found.verdict.startswith("New is 1.36× faster within these two runs")


def test_pairs_of_different_networks_have_no_causes(shared_engines: Path) -> None:
    names = ("trt8.4-resnet18-a100-fp16", "trt8.4-mobilenetv2-qat")
    found = PlanDiff(load(shared_engines / names[0]), load(shared_engines / names[1]))
    assert found.verdict == "Different models: only 6 % of the layers match."
    assert {change.cause for change in found.changes} == {Cause.WITHHELD}
