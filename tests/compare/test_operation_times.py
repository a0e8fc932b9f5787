"""Operation times: shares add up exactly, by which rule they are split, and unknown is not zero."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.compare.profiled import kernel, made, profiled, quantizer, reformat
from tests.factories import gemm, layer, t
from tests.onnx_models import Net
from trex.compare.operation_times import VIEW, OperationTimes, operation_times_of, split_exactly
from trex.compare.operation_weights import ALONE, BY_NAME, BY_WORK, EQUAL
from trex.core.layer import NameParts, Role
from trex.ingest.spelling.layer_names import parse_name
from trex.perf.performance import Performance
from trex.perf.recognize import find_device
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan


def charged(plan: EnginePlan, device: str = "A100-SXM4-40GB") -> OperationTimes:
    return operation_times_of(Performance(plan, find_device(device) if device else None))


def test_splits_are_exact():
    for ms in (0.1, 1 / 3, 1e-9, 123456.789, 5e-324, 1e15):
        for weights in ((1.0, 1.0, 1.0), (1e-30, 1.0), (0.3, 0.3, 0.4, 7e9), (0.0, 0.0), (float("nan"), 1.0)):
            parts = split_exactly(ms, weights)
            assert math.fsum(parts) == ms
            assert min(parts) >= 0.0
    assert split_exactly(0.0, (1.0, 2.0)) == [0.0, 0.0]


def test_splits_are_proportional():
    assert split_exactly(1.0, (1.0, 3.0)) == pytest.approx([0.25, 0.75])


@pytest.mark.parametrize("first", ["Conv", "Mul"])
def test_very_many_operations_in_one_layer(first: str) -> None:
    """In time that grows with them, not with their square: that would take minutes."""
    names = [f"{first}_{number}" for number in range(40_000)]
    plan = profiled([layer(" + ".join(names), "Convolution", origins=names)], [1.0])
    assert len(charged(plan).operations) == 40_000


def test_a_single_operation_gets_everything():
    found = charged(profiled([kernel(["/c/Conv"], "x0", "y")], [0.7]))
    assert found.operations["/c/Conv"].ms == 0.7
    assert found.operations["/c/Conv"].rule == ALONE
    assert found.total_ms == found.layers_ms == 0.7


def test_a_fused_gemm_gets_nearly_everything():
    found = charged(profiled([kernel(["/c/Conv", "/c/Add", "/c/Relu"], "x0", "y")], [0.5]))
    parts = {name: each.ms for name, each in found.operations.items()}
    assert 0.3 < parts["/c/Conv"] < 0.5
    assert parts["/c/Add"] == pytest.approx(parts["/c/Relu"])
    assert 0.0 < parts["/c/Add"] < 0.1
    assert {each.rule for each in found.operations.values()} == {BY_NAME}
    assert math.fsum(parts.values()) == pytest.approx(0.5, abs=1e-16)


def test_without_a_gpu_all_operations_count_equally():
    plan = profiled([kernel(["/c/Conv", "/c/Relu"], "x0", "y")], [1.0])
    found = charged(plan, "")
    macs, written = 2 * 8 * 8 * 9 * 256, 8 * 256
    assert found.operations["/c/Relu"].ms == pytest.approx(written / (macs + written))


def test_without_known_work_shares_are_equal():
    found = charged(profiled([kernel(["/n/Sub", "/n/Pow", "/n/Sqrt"], "x0", "y", macs=False)], [0.3]))
    assert [each.ms for each in found.operations.values()] == pytest.approx([0.1] * 3)
    assert {each.rule for each in found.operations.values()} == {EQUAL}


def test_fused_views_cost_nothing():
    fused = charged(profiled([kernel(["/a/Reshape", "/a/Add"], "x0", "y", macs=False)], [0.3]))
    assert fused.operations["/a/Reshape"].ms == 0.0
    assert fused.operations["/a/Reshape"].rule == VIEW
    assert fused.operations["/a/Add"].ms == 0.3
    alone = charged(profiled([kernel(["/a/Transpose"], "x0", "y", macs=False)], [0.3]))
    assert alone.operations["/a/Transpose"].ms == 0.3
    as_reformat = kernel(["/a/Transpose"], "x0", "y", macs=False, type="FP16")
    found = charged(profiled([replace(as_reformat, type="Reformat")], [0.3]))
    assert found.operations["/a/Transpose"].ms == 0.3


def test_conversions_are_listed_separately():
    layers = [
        reformat("/c/Conv", "x0", "x1"),
        kernel(["/c/Conv"], "x1", "x2"),
        quantizer("/q/QuantizeLinear", "x2", "x3"),
        kernel(["/d/Conv"], "x3", "x4", type="INT8"),
    ]
    found = charged(profiled(layers, [0.1, 1.0, 0.2, 0.5]))
    assert set(found.operations) == {"/c/Conv", "/d/Conv"}
    assert (found.inserted_ms, found.converting_ms) == (0.1, 0.2)
    assert [(each.serves, each.is_inserted) for each in found.conversions] == [("/c/Conv", True), ("/d/Conv", False)]
    assert found.total_ms == found.layers_ms


def test_a_fused_quantizer_is_not_listed():
    found = charged(profiled([kernel(["/q/QuantizeLinear", "/c/Conv"], "x0", "y")], [0.4]))
    assert {name: each.ms for name, each in found.operations.items()} == {"/c/Conv": 0.4}


def test_a_layer_without_operations_is_not_attributed():
    made = replace(
        layer("__myl_Foo_myl0_1", "kgen", ["x0"], ["y"]), name_parts=NameParts((), "myelin", tokens=("Foo",))
    )
    signal = layer("sync", "signal", [], [], role=Role.SYNC)
    found = charged(profiled([made, signal], [0.2, 0.1]))
    assert not found.operations
    assert [each.ms for each in found.unattributed] == [0.2, 0.1]
    assert found.unattributed[1].why == "not a kernel: sync"
    assert found.total_ms == found.layers_ms == pytest.approx(0.3)


def test_an_untimed_layer_has_no_time():
    found = charged(profiled([kernel(["/c/Conv"], "x0", "x1"), kernel(["/d/Conv"], "x1", "y")], [0.2, None]))
    assert found.operations["/c/Conv"].is_known
    assert not found.operations["/d/Conv"].is_known
    assert (found.untimed, found.layers_ms) == (1, 0.2)


@pytest.mark.parametrize("ms", [float("nan"), float("inf"), -1.0])
def test_numbers_that_are_no_times(ms):
    found = charged(profiled([kernel(["/c/Conv"], "x0", "y")], [ms]))
    assert (found.untimed, found.layers_ms, found.total_ms) == (1, 0.0, 0.0)


def test_an_operation_in_two_layers():
    layers = [kernel(["/m/MatMul", "/m/Add"], "x0", "x1", macs=False), kernel(["/m/Add"], "x1", "y", macs=False)]
    found = charged(profiled(layers, [0.2, 0.1]))
    assert found.operations["/m/Add"].ms == pytest.approx(0.2)
    assert found.operations["/m/Add"].indexes == (0, 1)
    assert found.operations["/m/Add"].rule == EQUAL  # the least sure of both


def test_a_region_needs_the_model(tmp_path):
    net = Net()
    x = net.input("x0", (1, 64, 64))
    product = net.node("MatMul", x, net.weight(64, 64), name="/a/MatMul")
    y = net.node("Relu", net.node("Add", product, net.weight(64), name="/a/Add"), name="/a/Relu")
    net.output(y)
    name = "{ForeignNode[/a/MatMul.../a/Relu]}"
    made = gemm(name, t("x0", [1, 64, 64]), t("w", [64, 64]), t(y, [1, 64, 64]))
    plan = profiled([replace(made, name_parts=parse_name(name))], [1.0])
    bare = charged(plan)
    assert not bare.operations and "two ends" in bare.unattributed[0].why
    assert bare.unattributed_ms == bare.total_ms == 1.0
    found = charged(plan.with_model(net.save(tmp_path / "net.onnx")))
    assert set(found.operations) == {"/a/MatMul", "/a/Add", "/a/Relu"}
    assert {each.rule for each in found.operations.values()} == {BY_WORK}
    assert found.operations["/a/MatMul"].ms > 0.5
    assert found.total_ms == 1.0


def test_the_model_weighs_two_gemms(tmp_path):
    net = Net()
    x = net.input("x0", (1, 64, 64))
    small = net.node("MatMul", x, net.weight(64, 8), name="/a/MatMul")
    large = net.node("MatMul", small, net.weight(8, 512), name="/b/MatMul")
    net.output(large)
    made = replace(
        gemm("both", t("x0", [1, 64, 64]), t("w", [64, 512]), t(large, [1, 64, 512])),
        origins=("/a/MatMul", "/b/MatMul"),
    )
    found = charged(profiled([made], [0.9]).with_model(net.save(tmp_path / "net.onnx")))
    ratio = found.operations["/b/MatMul"].ms / found.operations["/a/MatMul"].ms
    assert ratio == pytest.approx(8 * 512 / (64 * 8))


@pytest.mark.parametrize("name", ["resnet18-fp16", "resnet18-int8", "resnet18-int8-residual", "transformer-fp16"])
def test_examples_are_nearly_fully_attributed(name):
    found = operation_times_of(Performance(made(name)))
    assert found.unattributed_ms < 0.01 * found.layers_ms
    assert found.total_ms == found.layers_ms


def test_real_engines_are_attributed_exactly(shared_engines):
    for folder in sorted(each for each in shared_engines.iterdir() if each.is_dir()):
        found = operation_times_of(Performance(load_plan(EnginePlan, str(folder))))
        assert found.total_ms == found.layers_ms, folder.name
        names_only = ("controlnet", "names-only")  # regions named by their two ends
        if found.layers_ms and not any(word in folder.name for word in names_only):
            assert found.unattributed_ms < 0.02 * found.layers_ms, folder.name
