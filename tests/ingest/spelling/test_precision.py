from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.data_type import DataType
from trex.core.layer import NO_PRECISION, Layer, NameParts, Precision, Role
from trex.core.tensor import Tensor
from trex.core.tensor_format import UNKNOWN_FORMAT
from trex.ingest.spelling.data_types import data_type_of
from trex.ingest.spelling.precision import NEIGHBOR_CONFIDENCE, fill_from_neighbors, precision_of
from trex.ingest.spelling.tensor_formats import parse_format

BOOL, FP16, FP32, INT4, INT8 = DataType.BOOL, DataType.FP16, DataType.FP32, DataType.INT4, DataType.INT8
INT32, INT64, UNKNOWN = DataType.INT32, DataType.INT64, DataType.UNKNOWN
I8_F16 = "sm80_xmma_fprop_implicit_gemm_interleaved_i8f16_i8i32_f32_nchw_vect_c_32_tensor16x8x32"
TF32 = "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x32x64_stage4_warpsize2x1x2_tensor16x8x8"


def test_all_evidence_agrees() -> None:
    precision = precision_of("Convolution", "CaskConvolution", (INT8,), (FP16,), INT8, I8_F16)
    assert (precision.data_type, precision.confidence) == (INT8, 1.0)
    assert "i8f16_i8i32_f32" in precision.evidence
    assert "weights and inputs" in precision.evidence


def test_the_first_input_does_not_decide() -> None:
    precision = precision_of("kgen", "kgen", (INT64, FP16), (FP16,))
    assert precision.data_type is FP16
    assert precision_of("ElementWise", "ElementWise", (BOOL, INT32, FP16, FP16), (FP16,)).data_type is FP16


def test_index_inputs_decide_when_alone() -> None:
    assert precision_of("kgen", "kgen", (INT32, BOOL), (INT64,)).data_type is INT32
    assert precision_of("kgen", "kgen", (BOOL,), (BOOL,)).data_type is BOOL


def test_a_residual_of_another_type_is_no_contradiction() -> None:
    precision = precision_of("Convolution", "CaskConvolution", (INT8, FP16), (FP16,), INT8, I8_F16)
    assert (precision.data_type, precision.confidence) == (INT8, 1.0)


def test_contradiction_lowers_confidence_and_is_reported() -> None:
    precision = precision_of("Convolution", "CaskConvolution", (FP32,), (FP32,), FP16, I8_F16)
    assert precision.data_type is INT8
    assert precision.confidence == 0.5
    assert "but weights FP16 and inputs FP32" in precision.evidence


def test_tf32_is_fp32_and_reported() -> None:
    precision = precision_of("Convolution", "CaskGemmConvolution", (FP32,), (FP32,), FP32, TF32)
    assert precision.data_type is FP32
    assert "TF32" in precision.evidence


def test_dp4a_convolution_with_float_output_is_int8() -> None:
    name = "ampere_fp32_icudnn_int8x4_128x64_relu_medium_nn_v1"
    assert precision_of("Convolution", "CaskConvolution", (INT8,), (FP32,), INT8, name).data_type is INT8


def test_weights_without_a_tactic() -> None:
    assert precision_of("Convolution", "CudaDepthwiseConvolution", (INT8,), (INT8,), INT8) == Precision(
        INT8, 0.95, "weights INT8 and input tensors"
    )
    alone = precision_of("Convolution", "CaskConvolution", (UNKNOWN,), (UNKNOWN,), FP16)
    assert (alone.data_type, alone.confidence) == (FP16, 0.8)


def test_weight_only_quantization_computes_in_the_inputs_type() -> None:
    precision = precision_of("gemm", "gemm", (FP16,), (FP16,), INT4)
    assert precision.data_type is FP16
    assert precision.confidence < 0.8
    assert "weight-only" in precision.evidence
    assert precision_of("Convolution", "x", (INT8,), (FP32,), FP32).data_type is FP32


def test_most_inputs_decide_and_the_output_breaks_a_tie() -> None:
    assert precision_of("x", "x", (FP32, FP16, FP16), (FP32,)).data_type is FP16
    assert precision_of("x", "x", (FP32, FP16), (FP16,)).data_type is FP16
    mixed = precision_of("x", "x", (FP32, FP16), (FP16,))
    assert mixed.confidence < precision_of("x", "x", (FP16, FP16), (FP16,)).confidence
    assert "FP32, FP16" in mixed.evidence


def test_outputs_speak_last() -> None:
    precision = precision_of("x", "x", (), (FP16,))
    assert (precision.data_type, precision.confidence) == (FP16, 0.5)


@pytest.mark.parametrize("layer_type", ["Reformat", "MyelinReformat", "NoOp", "Shuffle", "reshape", "Slice"])
def test_movers_have_the_type_of_their_input(layer_type: str) -> None:
    precision = precision_of(layer_type, layer_type, (FP32,), (INT8,))
    assert precision.data_type is FP32
    assert "converting FP32 to INT8" in precision.evidence
    assert precision_of(layer_type, layer_type, (FP16,), (FP16,)).confidence == 1.0
    assert precision_of(layer_type, layer_type, (UNKNOWN,), (FP16,)).confidence == 0.5


def test_a_lowered_quantize_is_reported() -> None:
    assert "quantize" in precision_of("Reformat", "Reformat", (FP32,), (INT8,), None, "", "QDQ").evidence


def test_a_constant_has_the_type_of_its_output() -> None:
    assert precision_of("Constant", "Constant", (), (FP16,)) == Precision(
        FP16, 1.0, "the type of its output: it has no input"
    )


def test_nothing_known_is_unknown_and_never_none() -> None:
    assert precision_of("shape_call", "shape_call", (), ()) is NO_PRECISION
    assert precision_of("x", "x", (UNKNOWN,), (UNKNOWN, UNKNOWN), UNKNOWN) is NO_PRECISION
    assert precision_of("Reformat", "Reformat", (UNKNOWN,), (UNKNOWN,)) is NO_PRECISION
    assert NO_PRECISION.data_type.label == "Unknown"


_TYPES = st.lists(st.sampled_from(list(DataType)), max_size=4).map(tuple)
_NAMES = st.sampled_from(["", I8_F16, TF32, "__myl_Res_0x12", "x"])


@given(
    st.sampled_from(["Reformat", "Convolution", "kgen", ""]),
    _TYPES,
    _TYPES,
    st.one_of(st.none(), st.sampled_from(list(DataType))),
    _NAMES,
    st.sampled_from(["", "QDQ", "REFORMAT"]),
)
def test_any_arguments_give_a_precision(layer_type, inputs, outputs, weights, tactic, origin) -> None:
    precision = precision_of(layer_type, layer_type, inputs, outputs, weights, tactic, origin)
    assert 0.0 <= precision.confidence <= 1.0
    assert precision.data_type.is_known == (precision.confidence > 0)
    assert precision.evidence


def make_layer(index: int, reads: str, writes: str, computed: DataType = UNKNOWN, stored: DataType = UNKNOWN) -> Layer:
    def tensors(names: str) -> tuple[Tensor, ...]:
        return tuple(Tensor(name, None, stored, UNKNOWN_FORMAT, None, "", {}) for name in names.split())

    compute = Precision(computed, 1.0, "given") if computed.is_known else NO_PRECISION
    return Layer(
        index=index,
        name=f"layer{index}",
        occurrence=0,
        type="x",
        subtype="x",
        role=Role.KERNEL,
        inputs=tensors(reads),
        outputs=tensors(writes),
        weights=(),
        compute=compute,
        tactic="",
        tactic_value=None,
        stream=None,
        profile=0,
        origins=(),
        name_parts=NameParts((f"layer{index}",)),
        module="",
        raw={},
    )


def test_a_layer_without_types_takes_those_of_its_neighbors() -> None:
    layers = [make_layer(0, "x", "a", FP16), make_layer(1, "a", "b"), make_layer(2, "b", "c")]
    filled, notes = fill_from_neighbors(layers)
    assert {index: p.data_type for index, p in filled.items()} == {1: FP16, 2: FP16}
    assert NEIGHBOR_CONFIDENCE >= filled[1].confidence > filled[2].confidence > 0
    assert "layer0" in filled[1].evidence
    assert "layer1" in filled[2].evidence
    assert [note.code for note in notes] == ["precision-from-neighbors"]
    assert "2 of 3 layers" in notes[0].message


def test_a_consumer_speaks_when_no_producer_does() -> None:
    filled, _ = fill_from_neighbors([make_layer(0, "x", "a"), make_layer(1, "a", "b", INT8)])
    assert filled[0].data_type is INT8
    assert "consumer layer1" in filled[0].evidence


def test_another_layers_record_of_the_same_tensor_is_the_best_neighbor() -> None:
    layers = [make_layer(0, "x", "a", INT8), make_layer(1, "a", "b"), make_layer(2, "b", "c", INT8, stored=FP16)]
    filled, _ = fill_from_neighbors(layers)
    assert filled[1] == Precision(FP16, NEIGHBOR_CONFIDENCE, "tensor b as layer layer2 reports it")


def test_a_reused_name_ends_with_its_next_writer() -> None:
    layers = [make_layer(0, "x", "t", INT8), make_layer(1, "y", "t"), make_layer(2, "t", "z")]
    filled, _ = fill_from_neighbors(layers)
    assert 2 not in filled


def test_nothing_to_fill_and_nothing_to_fill_from() -> None:
    assert fill_from_neighbors([]) == ({}, ())
    assert fill_from_neighbors([make_layer(0, "x", "a", FP16)]) == ({}, ())
    assert fill_from_neighbors([make_layer(0, "x", "a"), make_layer(1, "a", "b")]) == ({}, ())


def test_evidence_contains_the_beginning_and_the_end_of_a_neighbors_long_name() -> None:
    long = "q" * 10_000 + "/conv"
    layers = [replace(make_layer(0, "x", "a", FP16), name=long), *(make_layer(i, "a", f"b{i}") for i in range(1, 5))]
    stored = [replace(make_layer(9, "a", "c", FP16, stored=FP16), name=long)]
    for filled in (fill_from_neighbors(layers)[0], fill_from_neighbors([*layers, *stored])[0]):
        assert len(filled) == 4
        assert all(len(each.evidence) < 250 and "qq/conv" in each.evidence for each in filled.values())


@pytest.mark.slow
def test_a_long_engine_is_filled() -> None:
    layers = [make_layer(0, "x", "t0", FP16)]
    layers += [make_layer(i, f"t{i - 1} x", f"t{i}") for i in range(1, 20_000)]
    filled, _ = fill_from_neighbors(layers)
    assert len(filled) == 19_999
    assert all(0 < p.confidence <= NEIGHBOR_CONFIDENCE for p in filled.values())


def _precisions(path: Path) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for layer in json.loads(path.read_bytes())["Layers"]:
        if layer["LayerType"] == "NoOp":
            continue
        layer_type = layer.get("ParameterType") or layer["LayerType"]
        weights = layer.get("Weights") or layer.get("ConvWeights")
        precision = precision_of(
            layer_type,
            layer["LayerType"],
            tuple(parse_format(t["Format/Datatype"])[0] for t in layer["Inputs"]),
            tuple(parse_format(t["Format/Datatype"])[0] for t in layer["Outputs"]),
            data_type_of(weights["Type"]) if isinstance(weights, dict) else None,
            layer.get("TacticName", ""),
            layer.get("Origin", ""),
        )
        key = (layer_type, precision.data_type.label)
        counts[key] = counts.get(key, 0) + 1
    return counts


@pytest.mark.parametrize(
    ("engine", "convolutions"),
    [
        ("trt8.4-resnet18-a100-fp32", {"FP32": 21}),
        ("trt8.4-resnet18-a100-fp16", {"FP16": 21}),
        ("trt8.4-resnet18-a100-qat", {"INT8": 21}),
        ("trt8.4-resnet18-a100-qat-residual", {"INT8": 20}),
        ("trt8.4-resnet18-a100-qat-residual-qgap", {"INT8": 20}),
        ("trt8.2-resnet50-rtx3090-fp32", {"FP32": 54}),
        ("trt8.2-resnet50-rtx3090-fp16", {"FP16": 54}),
        ("trt8.2-resnet50-rtx3090-qat", {"INT8": 54}),
        ("trt8.4-mobilenetv2-qat", {"INT8": 53}),
        ("trt8.6-controlnet-a10", {"FP32": 64}),
        ("trt10.1-resnet18-torchtrt", {"FP16": 21}),
        ("trt10.4-resnet18-fp16-rtx3060", {"FP16": 20}),
        ("trt10.4-alexnet-fp16-rtx3060", {"FP16": 5}),
    ],
)
def test_the_convolutions_of_the_real_engines(shared_engines: Path, engine: str, convolutions: dict[str, int]) -> None:
    (path,) = (shared_engines / engine).glob("*.graph.json")
    counts = _precisions(path)
    assert {label: n for (kind, label), n in counts.items() if kind == "Convolution"} == convolutions
    assert {kind for kind, label in counts if label == "Unknown"} <= {"shape_call"}
