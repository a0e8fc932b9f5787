"""Planters of the rules on quantization and precision."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import t
from tests.rules.inspections import conv, copy, work
from tests.rules.planted import KERNEL, Ground, Plant, Planter
from tests.rules.planters.parts import Parts, half, int8, pair, quantized, shaped, single, whole
from trex.core.data_type import DataType
from trex.core.layer import Layer, NameParts
from trex.core.tensor import Tensor
from trex.perf.device import Device


def residual(x: Tensor, bad: bool) -> Parts:
    def body(q: Tensor) -> Parts:
        kind = half if bad else int8
        parts = [
            (conv("Conv_902", [q], kind(x, "r902")), 0.05),
            (conv("Conv_903 + Add_904 + Relu_905", [q, kind(x, "r902")], kind(x, "s905")), 0.06),
        ]
        if bad:
            parts.append((copy("QuantizeLinear_906", half(x, "s905"), int8(x, "q906"), "QDQ"), 0.02))
        return [*parts, (conv("Conv_907", [int8(x, "q906" if bad else "s905")], int8(x, "c907")), 0.05)]

    return quantized(x, body)


def island(x: Tensor, bad: bool) -> Parts:
    def body(q: Tensor) -> Parts:
        first = (conv("Conv_902", [q], int8(x, "a902")), 0.05)
        if not bad:
            return [first, (conv("Conv_905", [int8(x, "a902")], int8(x, "e905")), 0.05)]
        return [
            first,
            (copy("DequantizeLinear_903", int8(x, "a902"), half(x, "b903"), "QDQ"), 0.02),
            (work("Sigmoid_904", "PointWise", [half(x, "b903")], half(x, "c904")), 0.03),
            (copy("QuantizeLinear_905", half(x, "c904"), int8(x, "d905"), "QDQ"), 0.02),
            (conv("Conv_906", [int8(x, "d905")], int8(x, "e906")), 0.05),
        ]

    return quantized(x, body)


def conversions(x: Tensor, bad: bool) -> Parts:
    """An island whose conversions take much of the time, or next to nothing."""
    cost = 0.06 if bad else 0.001
    return [(layer, cost if layer.type == "Reformat" else part) for layer, part in island(x, True)]


def standalone(x: Tensor, bad: bool) -> Parts:
    origins = ("/q901/QuantizeLinear",) if bad else ("/q901/QuantizeLinear", "/act901/Mul")
    made = work("__myl_Quan_myl9_1", "kgen", [x], int8(x, "q901"), origins=origins)
    kernel = replace(made, name_parts=NameParts((), tokens=("Quan",) if bad else ("Mul", "Quan")))
    return [(kernel, 0.05), (conv("Conv_902", [int8(x, "q901")], shaped(x, "e902")), 0.05)]


def scale(x: Tensor, bad: bool) -> Parts:
    output = int8(x, "q901") if bad else shaped(x, "q901")
    return [
        (work("QuantLinearNode__901" if bad else "Mul_901", "Scale", [x], output), 0.04),
        (conv("Conv_902", [output], shaped(x, "e902"), tactic="" if bad else KERNEL), 0.05),
    ]


def grouped(x: Tensor, bad: bool) -> Parts:
    return quantized(
        x, lambda q: [(conv("Conv_902", [q], int8(x, "a902"), kernel=(3, 3), groups=4 if bad else 1), 0.1)]
    )


def fp8(x: Tensor, bad: bool) -> Parts:
    eight = t("f901", x.shape, "FP8")
    parts = [(copy("QuantizeLinear_901", x, eight, "QDQ"), 0.02)]
    read = eight
    if bad:
        read = half(x, "g902")
        parts.append((copy("DequantizeLinear_902", eight, read, "QDQ"), 0.02))
    return [*parts, (work("MatMul_903", "gemm", [read], t("m903", x.shape)), 0.1)]


def pooled(x: Tensor, bad: bool) -> Parts:
    def body(q: Tensor) -> Parts:
        kind = half if bad else int8
        parts = [
            (conv("Conv_902", [q], kind(x, "a902")), 0.05),
            (work("MaxPool_903", "Pooling", [kind(x, "a902")], kind(x, "b903")), 0.04),
        ]
        if bad:
            parts.append((copy("QuantizeLinear_904", half(x, "b903"), int8(x, "c904"), "QDQ"), 0.02))
        return [*parts, (conv("Conv_905", [int8(x, "c904" if bad else "b903")], int8(x, "e905")), 0.05)]

    return quantized(x, body)


def single_island(x: Tensor, bad: bool) -> Parts:
    if not bad:
        return [(work("Sigmoid_902", "PointWise", [x], shaped(x, "c902")), 0.05)]
    return [
        (copy("Cast_901", x, single(x, "b901"), "CAST"), 0.03),
        (work("Softmax_902", "SoftMax", [single(x, "b901")], single(x, "c902")), 0.15),
        (copy("Cast_903", single(x, "c902"), shaped(x, "d903"), "CAST"), 0.03),
    ]


def eight_bits_and_single(bad: bool) -> Plant:
    def plant(ground: Ground) -> None:
        ground.insert(lambda x: quantized(x, lambda q: [(conv("Conv_902", [q], int8(x, "a902")), 0.05)]), bad)
        ground.insert(lambda x: single_island(x, True), bad)
        ground.build["Precision"] = "FP32+INT8" if bad else "FP32+FP16+INT8"

    return plant


def mixed(x: Tensor, bad: bool) -> Parts:
    output = shaped(x, "b901", "FP32" if bad else "FP16", "NHWC8")
    return [
        (conv("Conv_901", [x], output, tactic=KERNEL), 0.05),
        (work("Sigmoid_902", "PointWise", [output], replace(output, name="c902")), 0.03),
    ]


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


PLANTERS: dict[str, Planter] = {
    "quantized-layer-writes-float": pair(residual),
    "residual-add-in-float": pair(residual),
    "float-island": pair(island),
    "standalone-quantization": pair(standalone),
    "unfused-scale": pair(scale),
    "quantized-grouped-convolution": pair(grouped),
    "fp8-without-gain": pair(fp8),
    "pooling-in-float": pair(pooled),
    "conversions-of-quantization": pair(conversions),
    "int8-without-half": Planter(eight_bits_and_single(True), eight_bits_and_single(False)),
    "single-in-half-build": pair(single_island),
    "built-for-fp32": Planter(whole(built_for_single), not_for_single),
    "mixed-precision-convolution": pair(mixed),
}
