"""Work of layers that list their stored operands, as TensorRT for RTX and TensorRT 11 do.

Synthetic records in the spelling of engines that TensorRT for RTX 1.7.1 built; MACs written out by hand.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from trex.core.layer import Layer
from trex.ingest.graph_json import read_graph
from trex.perf.work.plan_works import work_of
from trex.perf.work.work import Work
from trex.plan.attributes import rows_of_type
from trex.plan.gemm import Gemm, gemm_of, gemm_of_record, groups_of
from trex.plan.listed_operands import filter_of, product_type, source_of
from trex.simulator.timing.time_kinds import DEPTHWISE, GENERATED, POOLING, time_kind
from trex.simulator.timing.time_kinds import GEMM as GEMM_TIME

Dims = Sequence[int]
SCALAR = (1,)


def tensor(name: str, dims: Dims, word: str = "Half") -> dict[str, Any]:
    return {
        "Name": name,
        "Dimensions": list(dims),
        "Datatype": word,
        "Format": "(NHWC) Channel major format" if len(dims) == 4 else "(Linear) Row major linear format",
    }


def record(
    type: str, inputs: Sequence[Dims], constants: Sequence[Dims], output: Dims, name: str = "", **more: Any
) -> Layer:
    """A layer of one output. word: the type of all tensors; names, weights: of the inputs, of the constants' type."""
    word, weights = more.pop("word", "Half"), more.pop("weights", None)
    names = more.pop("names", [f"x{index}" for index in range(len(inputs))])
    metadata = "\x1f".join(f"[ONNX Layer: {origin}]" for origin in more.pop("origins", ()))
    layer = {
        "Name": f"{name or 'layer'}_myl0_1",
        "LayerType": type,
        "Inputs": [tensor(called, dims, word) for called, dims in zip(names, inputs)],
        "Outputs": [tensor("y", output, more.pop("output_word", word))],
        "Constants": [tensor(f"c{index}", dims, weights or word) for index, dims in enumerate(constants)],
        "TacticName": "__myelin_CASK_STUB",
        "StreamId": 0,
        "Metadata": metadata,
        **more,
    }
    (read,) = read_graph(json.dumps({"Layers": [layer], "Bindings": []}).encode()).layers
    return read


def work(*arguments: Any, **more: Any) -> Work:
    return work_of(record(*arguments, **more))


@pytest.mark.parametrize(
    ("inputs", "filters", "output", "macs"),
    [
        ([(1, 64, 56, 56)], (64, 64, 3, 3), (1, 64, 56, 56), 56 * 56 * 64 * 64 * 9),
        ([(8, 64, 56, 56)], (128, 64, 1, 1), (8, 128, 28, 28), 8 * 28 * 28 * 128 * 64),
        ([(1, 32, 112, 112)], (32, 1, 3, 3), (1, 32, 112, 112), 112 * 112 * 32 * 9),
        ([(2, 128, 100, 1)], (64, 32, 3, 1), (2, 64, 50, 1), 2 * 50 * 64 * 32 * 3),
        ([(1, 16, 8, 20, 20)], (32, 16, 3, 3, 3), (1, 32, 8, 20, 20), 8 * 20 * 20 * 32 * 16 * 27),
        ([(2, 32, 20, 24)], (1, 32, 3, 3), (2, 1, 20, 24), 2 * 20 * 24 * 32 * 9),
        ([(1, 64, 56, 56), (1, 64, 56, 56)], (64, 64, 3, 3), (1, 64, 56, 56), 56 * 56 * 64 * 64 * 9),
    ],
)
def test_a_correlation_multiplies_every_value_of_its_filter_at_every_output_position(
    inputs: list[Dims], filters: Dims, output: Dims, macs: int
) -> None:
    bias = (1, output[1], *[1] * (len(output) - 2))
    layer = record("correlation", inputs, [filters, SCALAR, SCALAR, bias], output)
    done = work_of(layer)
    assert (done.kind, done.macs) == ("convolution", macs)
    assert done.gemm is not None and (done.gemm.macs, done.gemm.batch) == (macs, 1)
    assert groups_of(layer) == inputs[0][1] // filters[1]
    written, bytes_each = macs // (filters[1] * _product(filters[2:])), 2
    assert done.bytes_written == written * bytes_each
    maps = output[1] if output[1] > 1 else 0  # a single bias value is listed like a scale and counts as none
    distinct = {f"x{index}": _product(dims) for index, dims in enumerate(inputs)}
    assert done.bytes_read == (sum(distinct.values()) + _product(filters) + maps) * bytes_each


def test_operations_after_a_convolution_come_from_operands_and_names() -> None:
    shape = (1, 64, 56, 56)
    constants = [(64, 64, 3, 3), SCALAR, (1, 64, 1, 1)]
    plain = work("correlation", [shape], constants, shape)
    assert (plain.other_ops, plain.confidence, plain.reason) == (_product(shape), 1.0, "")
    residual = work("correlation", [shape, shape], constants, shape, origins=["/conv2/Conv", "/Add", "/act/Relu"])
    assert residual.other_ops == 3 * _product(shape)
    assert residual.confidence == 0.8 and "names of the ONNX nodes" in residual.reason


@pytest.mark.parametrize(
    ("source", "filters", "output", "macs"),
    [
        ((2, 64, 20, 24), (64, 32, 4, 4), (2, 32, 40, 48), 2 * 64 * 20 * 24 * 32 * 16),
        ((2, 32, 40, 48), (32, 16, 3, 3), (2, 32, 40, 48), 2 * 32 * 40 * 48 * 16 * 9),
        ((1, 32, 8, 20, 20), (32, 16, 2, 2, 2), (1, 16, 16, 40, 40), 32 * 8 * 20 * 20 * 16 * 8),
    ],
)
def test_a_deconvolution_multiplies_every_value_of_its_filter_at_every_input_position(
    source: Dims, filters: Dims, output: Dims, macs: int
) -> None:
    done = work("deconv", [source], [filters, SCALAR, SCALAR], output)
    assert (done.kind, done.macs) == ("deconvolution", macs)


def test_a_filter_that_the_model_computes_is_an_input() -> None:
    done = work("correlation", [(1, 64, 20, 20), (64, 32, 3, 3)], [SCALAR], (1, 64, 20, 20))
    assert done.macs == 20 * 20 * 64 * 32 * 9
    either = work("correlation", [(64, 64, 8, 8), (64, 64, 3, 3), (64, 64, 8, 8)], [SCALAR], (64, 64, 8, 8))
    assert either.macs is None and either.confidence == 0.5
    assert either.reason == "no operand fits the shapes as the filter"


@pytest.mark.parametrize(
    ("inputs", "constants"),
    [
        ([(1, 64, 20, 20)], [(64, 48, 3, 3)]),
        ([(1, 64, 20, 20)], [(1, 64, 1, 1)]),
        ([(1, 64, 20, 20)], [(64, 64, 3)]),
        ([(1, 64, 20, 20)], [(64, 0, 3, 3)]),
        ([(1, 64, 20, 20)], []),
        ([], [(64, 64, 3, 3)]),
    ],
)
def test_without_a_fitting_filter_the_macs_are_unknown(inputs: list[Dims], constants: list[Dims]) -> None:
    for type in ("correlation", "deconv"):
        done = work(type, inputs, constants, (1, 64, 20, 20))
        assert done.macs is None and done.reason


def test_dimensions_known_at_run_time_leave_the_macs_unknown() -> None:
    done = work("correlation", [(-1, 64, 20, 20)], [(64, 64, 3, 3)], (-1, 64, 20, 20))
    assert done.macs is None and "dimensions known only at run time" in done.reason
    fused = work("runtime_fusion", [(-1, 64)], [(1, 32), (64, 32)], (-1, 32), "__myl_FcAddRelu")
    assert fused.macs is None and "dimensions known only at run time" in fused.reason
    assert "pair of operands" not in fused.reason


@pytest.mark.parametrize(
    ("name", "inputs", "constants", "output", "gemm", "per_value"),
    [
        ("__myl_FcAddRelu", [(1, 9216)], [(1, 4096), (9216, 4096)], (1, 4096), Gemm(1, 4096, 9216), 2),
        ("__myl_FcAddDivErfAddMulMul", [(8, 128, 768)], [(1, 768, 3072), (1, 1, 3072)], (8, 128, 3072),
         Gemm(1024, 3072, 768), 6),
        ("__myl_FcAddMul", [(2, 1, 256), (2, 64, 256), (2, 64, 512), (2, 512, 256)], [], (2, 64, 256),
         Gemm(64, 256, 512, 2), 2),
        ("__myl_FcAddMul", [(1, 256, 512), (1, 256, 128)], [(1, 1, 512), (1, 128, 512)], (1, 256, 512),
         Gemm(256, 512, 128), 2),
        ("__myl_Fc", [(1, 256, 128)], [(1, 128, 512), (1, 1, 512)], (1, 256, 512), Gemm(256, 512, 128), 1),
    ],
)  # fmt: skip
def test_a_fused_matrix_product_is_the_pair_of_operands_that_fits(
    name: str, inputs: list[Dims], constants: list[Dims], output: Dims, gemm: Gemm, per_value: int
) -> None:
    layer = record("runtime_fusion", inputs, constants, output, name)
    assert (product_type(layer), gemm_of(layer)) == ("gemm", gemm)
    done = work_of(layer)
    assert (done.kind, done.macs, done.other_ops) == ("gemm", gemm.macs, per_value * _product(output))
    assert done.confidence == 0.8 and "kernel's name" in done.reason


def test_a_fused_convolution_may_read_its_source_last() -> None:
    layer = record(
        "runtime_fusion",
        [(1, 128, 1, 1), (1, 64, 16, 16)],
        [(128, 64, 3, 3), (1, 128, 1, 1)],
        (1, 128, 16, 16),
        "__myl_CorrAdd",
    )
    done, source = work_of(layer), source_of(layer)
    assert (product_type(layer), done.kind, done.macs) == ("correlation", "convolution", 256 * 128 * 64 * 9)
    assert source is not None and source.name == "x1"
    assert groups_of(layer) == 1


def test_products_that_cannot_be_told_apart_stay_unknown() -> None:
    two = work("runtime_fusion", [(64, 32), (32, 48)], [(48, 16)], (64, 16), "__myl_FcReluFc")
    assert two.macs is None and "Fc Fc" in two.reason
    none = work("runtime_fusion", [(64, 32)], [(48, 16)], (64, 16), "__myl_FcAdd")
    assert none.macs is None and "no pair of operands fits" in none.reason
    sizes = work("runtime_fusion", [(64, 32), (64, 16)], [(32, 48), (16, 48)], (64, 48), "__myl_FcAdd")
    assert sizes.macs is None and "pairs of different sizes do" in sizes.reason
    odd = work("runtime_fusion", [(64, 32)], [(32, 48)], (64, 48), "__myl_FcXyzz")
    assert odd.macs == 64 * 32 * 48 and odd.other_ops is None and "unknown tokens (Xyzz)" in odd.reason


def test_a_gemm_finds_its_stored_matrix_among_the_constants() -> None:
    done = work("gemm", [(1, 128, 768)], [(1, 768, 2304), SCALAR, SCALAR], (1, 128, 2304))
    assert (done.gemm, done.confidence) == (Gemm(128, 2304, 768), 1.0)
    batched = work("gemm", [(1, 77, 256)], [(6, 256, 128), SCALAR], (6, 77, 128))
    assert batched.gemm == Gemm(77, 128, 256, 6)
    views = work("gemm", [(4, 256, 32), (4, 32, 256)], [SCALAR], (4, 256, 256), names=["qkv", "qkv"])
    assert views.macs == 4 * 256 * 256 * 32 and views.bytes_read is not None


def test_kernels_without_a_product_have_no_macs() -> None:
    image = (1, 64, 20, 20)
    pool = work("maxpool", [image], [], (1, 64, 10, 10))
    assert (pool.kind, pool.macs, pool.other_ops) == ("pooling", 0, None) and "window" in pool.reason
    join = work("runtime_function", [image, image], [], (1, 128, 20, 20), "__myl_Conc")
    assert (join.kind, join.macs, join.other_ops) == ("generated-kernel", 0, 0)
    resize = work("runtime_function", [image], [], (1, 64, 40, 40), "__myl_Resi")
    assert resize.macs == 0 and resize.other_ops is None and "interpolation" in resize.reason
    norm = work("kgen", [image], [(1, 64, 1, 1)] * 2, image, "__myl_SiluGnor")
    assert (norm.macs, norm.other_ops) == (0, (5 + 7) * _product(image))
    rounding = work("kgen", [image], [SCALAR], image, "__myl_MulAddReluMulMinMaxRounCast")
    assert (rounding.macs, rounding.other_ops) == (0, 7 * _product(image))


def test_a_softmax_with_the_name_of_a_gemm_is_no_gemv() -> None:
    softmax = work(
        "kgen", [(1, 1000)], [(1, 1000)] * 2, (1, 1000), "__myl_MulAddMaxrSubExpSumDiv", origins=["/fc/MatMul"]
    )
    assert softmax.macs == 0
    gemv = work("kgen", [(1, 512)], [(1, 256), (512, 256)], (1, 256), "__myl_ReshMulSumAdd", origins=["/fc/MatMul"])
    assert gemv.gemm is not None and (gemv.macs, gemv.gemm.k) == (512 * 256, 512)


def test_precisions_are_those_of_the_multiplied_operands() -> None:
    shape = (1, 64, 56, 56)
    convolution = record("correlation", [shape], [(64, 64, 3, 3)], shape, word="Int8", output_word="Float")
    assert convolution.precision == "INT8"
    pool = record("maxpool", [shape], [(64,), (64,)], (1, 64, 28, 28), word="Int8", weights="Float")
    assert pool.precision == "INT8"


def test_times_are_predicted_by_what_a_layer_is() -> None:
    shape = (1, 32, 112, 112)
    depthwise = record("correlation", [shape], [(32, 1, 3, 3)], shape)
    padded = record("correlation", [(1, 128, 112, 112)], [(32, 4, 3, 3)], shape, word="Int8")
    pool = record("maxpool", [shape], [], (1, 32, 56, 56))
    fused = record("runtime_fusion", [(64, 512)], [(512, 256)], (64, 256), "__myl_FcRelu")
    join = record("runtime_function", [shape, shape], [], (1, 64, 112, 112), "__myl_Conc")
    kinds = [time_kind(layer, work_of(layer), False) for layer in (depthwise, padded, pool, fused, join)]
    assert kinds == [DEPTHWISE, DEPTHWISE, POOLING, GEMM_TIME, GENERATED]


def test_a_frame_without_layers_has_the_same_sizes() -> None:
    layer = record("correlation", [(1, 64, 20, 20)], [(32, 64, 3, 3)], (1, 32, 20, 20))
    output = layer.outputs[0].shape
    assert gemm_of_record("correlation", "", layer.raw, layer.inputs[0].shape, output) == gemm_of(layer)
    gemm = record("gemm", [(4, 64)], [(64, 32)], (4, 32))
    assert gemm_of_record("gemm", "", gemm.raw, gemm.inputs[0].shape, gemm.outputs[0].shape) == Gemm(4, 32, 64)


def test_convolution_is_the_name_of_every_spelling() -> None:
    myelin = [("correlation", "correlation"), ("runtime_fusion", "correlation"), ("kgen", "kgen"), ("deconv", "deconv")]
    assert list(rows_of_type(myelin, "Convolution")) == [0, 1]
    assert list(rows_of_type(myelin, "Deconvolution")) == [3]
    assert list(rows_of_type([("Convolution", "CaskConvolution"), *myelin], "Convolution")) == [0]
    assert list(rows_of_type([("runtime_fusion", "gemm"), *myelin], "MatMul")) == [0]


@pytest.mark.parametrize("constants", [None, {}, 3, [3], [{}], [{"Dimensions": "x"}], [{"Dimensions": [2**50] * 4}]])
def test_damaged_constants_are_no_operands(constants: Any) -> None:
    layer = record("correlation", [(1, 64, 20, 20)], [], (1, 64, 20, 20), Constants=constants)
    assert filter_of(layer) is None and gemm_of(layer) is None
    assert work_of(layer).macs is None and work_of(layer).reason


def _product(dims: Dims) -> int:
    result = 1
    for extent in dims:
        result *= extent
    return result
