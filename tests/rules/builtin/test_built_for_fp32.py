"""Engines built for FP32 alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import trex
from tests.capture.backends.test_tensorrt_rtx import NEEDS_WHEELS
from tests.factories import t
from tests.perf.round_device import FP16, FP32, round_device
from tests.rules.cases import analyzed, conv, copy, findings, half, int8, of_engine, single, work
from tests.rules.planting import Ground, Planter, whole
from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.examples.network import write_network
from trex.perf.arithmetic import Arithmetic, Rate
from trex.perf.device import Device
from trex.perf.known_devices import find_device
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Finding
from trex.rules.lint import lint

NAME = "built-for-fp32"
TF32 = "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x64x16_stage4_g1_tensor16x8x8"
SIBLINGS = ("trt8.4-resnet18-a100", "trt8.2-resnet50-rtx3090")
BIG = (32, 64, 64, 64)
LAYERS = (
    conv("Conv_0", [single("x", BIG)], single("a", BIG), kernel=(3, 3), tactic=TF32),
    work("Sigmoid_1", "PointWise", [single("a", BIG)], single("b", BIG)),
    conv(
        "Conv_2", [single("b", BIG)], single("y", BIG), kernel=(3, 3), tactic="ampere_scudnn_128x64_relu_medium_nn_v1"
    ),
)
MS = (1.0, 0.5, 2.5)


def on(device: Device | None, engine: AnalyzedEngine) -> AnalyzedEngine:
    return AnalyzedEngine(Performance(engine.plan, device))


def found_in(*layers: Any, device: Device | None = None, **options: Any) -> Finding:
    (found,) = findings(NAME, on(device, analyzed(*(layers or LAYERS), **{"ms": MS, "Precision": "FP32"} | options)))
    return found


def test_it_is_reported_once_for_the_engine_with_every_layer_the_slowest_first() -> None:
    found = found_in()
    assert (
        "Built for FP32 only: all 2 convolutions and GEMMs run in FP32 or TF32, 3.5 ms (87.5 % of time)"
        in found.message
    )
    assert found.layers == (2, 0, 1)
    evidence = {each.what: each.value for each in found.evidence}
    assert evidence["GEMMs in FP32"] == 2 and evidence["as TF32, on tensor cores"] == 1


def test_without_a_device_the_savings_are_a_part_of_the_time() -> None:
    found = found_in()
    assert found.savings == pytest.approx({0: 1.0 * 3 / 4, 1: 0.5 / 2, 2: 2.5 * 15 / 16})
    assert not any(item.what.startswith("savings if") for item in found.evidence)


def test_a_gemm_that_waits_for_its_weights_saves_half() -> None:
    vector, result = (1, 4096, 1, 1), (1, 1024, 1, 1)
    fully_connected = conv("Gemm_0", [single("x", vector)], single("y", result))  # half an operation per byte
    assert found_in(fully_connected, ms=[1.0]).savings == pytest.approx({0: 0.5})


def test_a_known_device_bounds_the_savings_layer_by_layer() -> None:
    found = found_in(device=round_device())
    products_ms = 2 * 32 * 64**3 * 64 * 9 / 200e12 * 1e3  # in FP16 on the tensor cores, summed in FP16
    moved_ms = 2 * (32 * 64**3 * 4 - 8 * 2**20) / 2 / 500e9 * 1e3  # half of what a cache of twice 4 MiB cannot hold
    longest = max(products_ms, moved_ms)
    assert found.savings == pytest.approx({0: 1 - longest, 1: 0.5 - moved_ms, 2: 2.5 - longest}, rel=0.01)
    # In FP16 the memory bounds all, at 0.0671 ms. Now: TF32's 0.193 ms, the memory's 0.134, the CUDA cores' 0.966.
    expected = 1.0 * (1 - 0.0671 / 0.1933) + 0.5 / 2 + 2.5 * (1 - 0.0671 / 0.966)
    (forecast,) = (item.value for item in found.evidence if item.what.startswith("savings if"))
    assert forecast == pytest.approx(expected, rel=1e-3)


def test_no_layer_is_counted_below_a_launch() -> None:
    small = conv("Conv_0", [single("x")], single("y"))
    found = found_in(small, ms=[0.01], device=round_device())
    assert found.savings == pytest.approx({0: 0.008})


@pytest.mark.parametrize("stem", SIBLINGS)
def test_real_siblings_in_fp16_stay_within_the_bound(shared_engines: Path, stem: str) -> None:
    slow, fast = (of_engine(shared_engines / f"{stem}-{kind}") for kind in ("fp32", "fp16"))
    (found,) = findings(NAME, slow)
    saved = slow.total_ms - fast.total_ms
    assert saved <= sum(found.savings.values()) <= 0.9 * slow.total_ms
    fast_ms = {layer.name: time for layer, time in zip(fast.layers, fast.times)}
    matched = [place for place, layer in enumerate(slow.layers) if layer.name in fast_ms]
    assert len(matched) > 0.7 * len(slow.layers)
    for place in matched:
        layer = slow.layers[place]
        assert slow.times[place] - fast_ms[layer.name] <= found.savings.get(layer.index, 0.0), layer.name
    (expected,) = (each.value for each in found.evidence if each.what.startswith("savings if"))
    assert expected == pytest.approx(saved, rel=0.2)
    assert not findings(NAME, fast)


@pytest.mark.parametrize("stem", SIBLINGS)
def test_it_is_the_first_and_no_time_counts_twice(shared_engines: Path, stem: str) -> None:
    result = lint(of_engine(shared_engines / f"{stem}-fp32").performance)
    priced = [each for each in result.findings if not each.is_first]
    assert priced[0].code == "PREC004" and priced[0].savings_ms == priced[0].savings_alone_ms
    savings_ms = [finding.savings_ms or 0.0 for finding in priced]
    assert result.savings_ms == pytest.approx(sum(savings_ms))
    assert result.total_ms is not None and sum(savings_ms) < result.total_ms
    assert [each.code for each in priced].count("PREC004") == 1
    assert {"PREC001", "PREC002"}.isdisjoint(each.code for each in priced)


def test_devices_that_are_slow_in_fp16_are_no_finding() -> None:
    engine = analyzed(*LAYERS, ms=MS, Precision="FP32")
    for device in (find_device("P40"), find_device("P4"), Device("Maxwell", (5, 2))):
        assert not findings(NAME, on(device, engine))
    rates = {Arithmetic(FP32, tensor_core=False): Rate(9e12, "told", "measured")}
    slow = rates | {Arithmetic(FP16, tensor_core=False): Rate(9e12, "told", "measured")}
    assert not findings(NAME, on(Device("Told", rates=slow), engine))
    assert findings(NAME, on(Device("Told", rates=rates), engine))  # FP16's rate is not known
    assert findings(NAME, on(find_device("T4"), engine))


def test_builds_that_allow_more_are_for_other_rules() -> None:
    for told in ("FP32+FP16", "FP32+INT8", "FP32+BF16", "FP32+FP8"):
        assert not findings(NAME, analyzed(*LAYERS, ms=MS, Precision=told))


def test_without_the_options_of_the_build_the_types_decide() -> None:
    found = found_in(Precision="")
    assert found.message.startswith("Nothing runs in FP16: all 2 convolutions and GEMMs") and found.confidence == 0.7
    for other in (half("q"), int8("q")):
        assert not findings(NAME, analyzed(*LAYERS, work("Mul_3", "PointWise", [other], other), ms=(*MS, 0.1)))
        # A copy alone, as for inputs and outputs of that type, runs nothing in it.
        assert findings(NAME, analyzed(*LAYERS, copy("Cast_3", single("p"), other), ms=(*MS, 0.1)))
    assert not findings(NAME, analyzed(work("a", "PointWise", [single("x")], single("y")), ms=[1.0]))


def test_a_kernel_that_multiplies_in_half_is_not_in_single() -> None:
    named = conv(
        "Conv_0", [single("x", BIG)], single("y", BIG), tactic=TF32.replace("f32f32_tf32f32_f32", "f16f16_f16f16_f16")
    )
    assert not findings(NAME, analyzed(named, ms=[1.0], Precision="FP32"))


def test_integers_and_little_time_are_no_finding() -> None:
    whole = work("Gather_0", "Gather", [t("x", BIG, "INT32")], t("a", BIG, "INT32"))
    assert not findings(NAME, analyzed(whole, ms=[1.0], Precision="FP32"))
    one = work("Sigmoid_1", "PointWise", [single("b", BIG)], single("y", BIG))
    assert not findings(NAME, analyzed(whole, one, ms=[1.0, 0.05], Precision="FP32"))
    assert "its layer runs in FP32" in found_in(one, ms=[1.0]).message
    assert not findings(NAME, analyzed(*LAYERS, ms=MS, Precision="FP32"), gain=95.0)


def test_without_times_it_is_reported_without_savings() -> None:
    found = found_in(ms=())
    assert (
        found.savings == {} and found.message == "Built for FP32 only: all 2 convolutions and GEMMs run in FP32 or TF32"
    )


def test_a_strongly_typed_network_has_no_flag() -> None:
    typed, other = found_in(Precision="Strongly Typed").fix, found_in().fix
    assert "trtexec --fp16" in other[0] and "export the model in FP16" in other[1]
    assert not any("--fp16" in text or "--precision" in text for text in typed)
    assert "export the model in FP16" in typed[0] and any("polygraphy run" in each for each in typed)


# ---- The defect that tests plant into engines, and its sound twin


SINGLE_KERNEL = (
    "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x64x16_stage4_g1_tensor16x8x8"
)


def in_single(ground: Ground, part: float = 1.0) -> None:
    """Turns the first layers of the engine, or all, to FP32, data and kernels."""
    count = round(part * len(ground.layers))
    turned = {tensor.name for layer in ground.layers[:count] for tensor in (*layer.inputs, *layer.outputs)}

    def turn(tensor: Tensor) -> Tensor:
        is_half = tensor.name in turned and tensor.data_type.kind == "float"
        return t(tensor.name, tensor.shape, "FP32", "NHWC") if is_half else tensor

    def turned_layer(layer: Layer, is_turned: bool) -> Layer:
        changed = replace(layer, inputs=tuple(map(turn, layer.inputs)), outputs=tuple(map(turn, layer.outputs)))
        if not is_turned:
            return changed
        compute = replace(layer.compute, data_type=DataType.FP32)
        return replace(changed, compute=compute, tactic=SINGLE_KERNEL if layer.type == "Convolution" else "")

    ground.layers = [turned_layer(layer, place < count) for place, layer in enumerate(ground.layers)]


def built_for_single(ground: Ground) -> None:
    in_single(ground)
    ground.build["Precision"] = ground.random.choice(("FP32", "FP32+TF32", "Strongly Typed"))


def not_for_single(ground: Ground) -> None:
    """A slow FP16, a build that allows more, or an engine of which half is in FP16 already."""
    why = ground.random.choice(("device", "built", "half"))
    in_single(ground, 0.5 if why == "half" else 1.0)
    ground.build["Precision"] = {"device": "FP32", "built": "FP32+FP16", "half": "Strongly Typed"}[why]
    if why == "device":
        ground.device = Device("Slow half", (6, 1), 20, 1.5, bandwidth_gb_per_s=300.0, l2_mib=2.0)


PLANTER = Planter(whole(built_for_single), not_for_single)


@pytest.mark.slow
@NEEDS_WHEELS
def test_the_likely_savings_of_a_small_batch_are_about_those_of_its_half_build(tmp_path: Path) -> None:
    """At batch 1 launches bound most layers: the bound alone is four times what the FP16 build saves."""
    results = []
    for name in ("resnet18", "resnet18-fp16"):
        model = write_network(name, tmp_path / f"{name}.onnx", weights="random")
        plan = trex.simulation.process(model, tmp_path / name, backend="tensorrt-rtx", device="RTX 4090")
        results.append(trex.lint_engine(plan))
    single, half = results
    (found,) = [item for item in single.findings if item.code == "PREC004"]
    assert single.total_kind == "GPU compute" and single.total_ms and half.total_ms
    assert found.likely_savings_ms == pytest.approx(single.total_ms - half.total_ms, rel=0.3)
