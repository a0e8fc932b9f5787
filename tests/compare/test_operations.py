"""Operations and modules of two engines: which pair up, and that they add up to the layer times."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.compare.profiled import chained, kernel, made, profiled, quantizer, reformat
from tests.factories import stored as weights
from trex.compare.operations import NO_MODULE, NOT_ATTRIBUTED, OperationChange, module_key
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan


def right_of(each: Any) -> str:
    """Name of the operation that it became."""
    assert each.right is not None
    return str(each.right.name)


def speedup_of(each: Any) -> float:
    assert each.speedup is not None
    return float(each.speedup)


def by_name(comparison: PlanDiff) -> dict[str, OperationChange]:
    return {each.name: each for each in comparison.operations}


def sums_are_the_layers(found: PlanDiff) -> bool:
    sides = (
        (math.fsum(each.left_ms for each in found.modules), found.left_operation_times),
        (math.fsum(each.right_ms for each in found.modules), found.right_operation_times),
    )
    return all(math.isclose(total, charges.layers_ms, rel_tol=1e-12, abs_tol=1e-15) for total, charges in sides)


def test_signs():
    (change,) = PlanDiff(chained([0.4]), chained([0.1])).operations
    assert change.difference_ms == pytest.approx(-0.3)  # negative is faster
    assert change.speedup == pytest.approx(4.0)  # above 1 is faster


def test_different_fusions_compare_by_operation():
    apart = [kernel(["/c/Conv"], "x0", "x1"), kernel(["/c/Relu"], "x1", "y", macs=False)]
    fused = [kernel(["/c/Conv", "/c/Relu"], "x0", "y")]
    found = by_name(PlanDiff(profiled(apart, [0.4, 0.1]), profiled(fused, [0.41])))
    assert found["/c/Conv"].left_ms == 0.4
    assert found["/c/Conv"].right_ms == pytest.approx(0.4, abs=0.03)
    assert found["/c/Relu"].speedup is not None and found["/c/Relu"].speedup > 3.0


def test_renumbered_operations_pair_by_operator():
    left = [kernel(["Conv_0", "Relu_1"], "x0", "x1"), kernel(["Conv_2"], "x1", "y")]
    right = [
        quantizer("QuantizeLinear_2", "x0", "q"),
        kernel(["Conv_9"], "q", "x1", type="INT8"),
        kernel(["Conv_22"], "x1", "y", type="INT8"),
    ]
    found = by_name(PlanDiff(profiled(left, [0.4, 0.3]), profiled(right, [0.1, 0.2, 0.15])))
    assert {name: each.right and right_of(each) for name, each in found.items()} == {
        "Conv_0": "Conv_9",
        "Relu_1": None,
        "Conv_2": "Conv_22",
    }
    assert found["Relu_1"].right_ms is None  # fused and not named: unknown, not zero
    assert found["Relu_1"].difference_ms is None and found["Relu_1"].speedup is None


def test_gemms_pair_by_weight_count():
    def stored(name: str, read: str, written: str, count: int):
        return replace(kernel([name], read, written), weights=(weights("weights", "FP16", count),))

    left = [stored("Conv_0", "x0", "x1", 9), stored("Conv_1", "x0", "x2", 1)]
    right = [stored("Conv_7", "x0", "x1", 1), stored("Conv_8", "x0", "x2", 9)]
    found = by_name(PlanDiff(profiled(left, [0.4, 0.1]), profiled(right, [0.1, 0.4])))
    assert {name: right_of(each) for name, each in found.items()} == {"Conv_0": "Conv_8", "Conv_1": "Conv_7"}
    assert {each.speedup for each in found.values()} == {1.0}


def test_paths_ignore_words_of_quantization_tools():
    left = [kernel(["net/conv1/Conv2D"], "x0", "x1"), kernel(["net/conv2/Conv2D"], "x1", "y")]
    right = [kernel(["net/quant_conv2/Conv2D"], "x0", "x1"), kernel(["net/quant_conv1/Conv2D"], "x1", "y")]
    found = by_name(PlanDiff(profiled(left, [0.4, 0.3]), profiled(right, [0.1, 0.2])))
    assert right_of(found["net/conv1/Conv2D"]) == "net/quant_conv1/Conv2D"
    assert module_key("/net/quant_conv1") == "net/conv1"


def test_a_module_known_on_one_side_applies_to_both():
    left = [kernel(["Conv_0"], "x0", "y")]
    right = [kernel(["Conv_9"], "x0", "y", module="/layer1/0/conv1")]
    found = PlanDiff(profiled(left, [0.4]), profiled(right, [0.1]))
    assert [each.name for each in found.modules] == ["layer1/0"]


def test_an_operation_fused_behind_a_gemm_is_in_its_parent_module():
    """The stored weights of ``conv1`` tell where its convolution is, not the pooling behind it."""
    left = [kernel(["Conv_0"], "x0", "x1"), kernel(["MaxPool_2"], "x1", "x2", macs=False)]
    right = [kernel(["Conv_9", "MaxPool_12"], "x0", "x2", module="/conv1")]
    deep = [kernel(["Conv_9", "Relu_12"], "x0", "x2", module="/layer1/0/conv1")]
    found = PlanDiff(profiled(left, [0.4, 0.1]), profiled(right, [0.2]))
    assert [(each.name, each.module) for each in found.operations] == [("Conv_0", "/conv1"), ("MaxPool_2", "")]
    assert {each.name for each in found.modules} == {"conv1", NO_MODULE}
    both = PlanDiff(profiled(deep, [0.4]), profiled(deep, [0.2]))
    assert [each.module for each in both.operations] == ["/layer1/0/conv1", "/layer1/0"]
    assert [each.name for each in both.modules] == ["layer1/0"]


@pytest.mark.parametrize("first", ["told", "untold"])
def test_the_module_in_a_name_takes_precedence(first):
    named, told = kernel(["/a/b/Conv"], "x0", "y"), kernel(["Conv_3"], "x0", "y", module="/other/block")
    untold = kernel(["Conv_3"], "x0", "y")
    plans = [profiled([each], [0.1]) for each in ((told, untold, named) if first == "told" else (untold, told, named))]
    (pair,) = PlanDiff(plans[0], plans[1]).operations
    assert pair.module == "/other/block"
    (row,) = EngineSeries(plans[0], plans[1:]).operations
    assert row.module == "/a/b"


def test_modules_contain_their_conversions():
    layers = [reformat("/b/c/Conv", "x0", "x1"), kernel(["/b/c/Conv"], "x1", "y")]
    found = PlanDiff(profiled(layers, [0.1, 0.4]), profiled(layers, [0.2, 0.4]))
    (module,) = found.modules
    assert (module.left_conversions_ms, module.right_conversions_ms) == (0.1, 0.2)
    assert (module.left_ms, module.right_ms) == (0.5, pytest.approx(0.6))
    assert module.difference_ms == pytest.approx(0.1) and module.speedup == pytest.approx(0.5 / 0.6)


def test_an_untimed_layer_is_unknown():
    layers = [kernel(["/a/Conv"], "x0", "x1"), kernel(["/b/Conv"], "x1", "y")]
    found = PlanDiff(profiled(layers, [0.1, None]), profiled(layers, [0.2, 0.3]))
    assert by_name(found)["/b/Conv"].left_ms is None
    modules = {each.name: each for each in found.modules}
    assert not modules["b"].is_known and modules["b"].speedup is None


def test_engines_of_different_models():
    found = PlanDiff(made("resnet18-fp16"), made("transformer-fp16"))
    assert sums_are_the_layers(found)
    lone = [each for each in found.operations if each.left is None or each.right is None]
    assert len(lone) > 0.95 * len(found.operations)


def test_names_of_layers_without_origins(tmp_path):
    plan = made("resnet18-int8")
    bare = [replace(each, origins=()) for each in plan.working_layers]
    found = PlanDiff(plan, EnginePlan(plan.engine.with_layers(bare), plan.layer_times))
    assert all(each.left and each.right for each in found.operations)


def a100(folder, name: str) -> EnginePlan:
    return load_plan(EnginePlan, str(folder / f"trt8.4-resnet18-a100-{name}"))


def test_the_published_resnets_by_operation(shared_engines):
    fp16, qat, residual = (a100(shared_engines, name) for name in ("fp16", "qat", "qat-residual"))
    found = PlanDiff(fp16, qat)
    named = by_name(found)
    assert right_of(named["Conv_0"]) == "Conv_9" and right_of(named["MaxPool_2"]) == "MaxPool_12"
    assert speedup_of(named["Conv_0"]) < 0.6 and speedup_of(named["MaxPool_2"]) < 0.7  # float outputs cost
    assert speedup_of(named["Conv_41"]) > 1.5
    assert found.right_operation_times.converting_ms > 0.2
    after = PlanDiff(qat, residual)
    assert after.right_operation_times.converting_ms < 0.55 * after.left_operation_times.converting_ms
    assert speedup_of(by_name(after)["MaxPool_12"]) > 10.0  # pooling drops ten-fold, fused into the convolution
    assert all(each.left and each.right for each in after.operations)
    assert right_of(named["Conv_37"]) == "Conv_206" and right_of(named["Conv_38"]) == "Conv_217"
    reordered = by_name(PlanDiff(fp16, residual))  # the addition moved from the downsampling to the other branch
    assert right_of(reordered["Conv_37"]) == "Conv_242" and right_of(reordered["Conv_38"]) == "Conv_253"
    assert {each.name for each in after.modules} - {NO_MODULE, NOT_ATTRIBUTED} >= {"conv1", "layer1/0", "fc"}
    assert sums_are_the_layers(found) and sums_are_the_layers(after)


def test_real_engines_pair_nearly_all_operations(shared_engines):
    for left, right, least in (
        ("trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals", 1.0),
        ("trt8.2-resnet50-rtx3090-fp32", "trt8.2-resnet50-rtx3090-fp16", 1.0),
        ("trt10.4-resnet18-fp16-rtx3060", "trt8.4-resnet18-a100-fp16", 1.0),
        ("trt8.2-resnet50-rtx3090-fp16", "trt8.2-resnet50-rtx3090-qat", 0.65),  # ReLUs are not named in the second
    ):
        base, new = (load_plan(EnginePlan, str(shared_engines / name)) for name in (left, right))
        found = PlanDiff(base, new)
        paired = sum(each.left is not None and each.right is not None for each in found.operations)
        assert paired >= least * len(found.operations), (left, right, paired, len(found.operations))
        assert sums_are_the_layers(found)
