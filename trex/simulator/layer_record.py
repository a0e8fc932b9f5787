"""LayerRecord: a step in an engine's JSON, with types, formats and names of kernels in TensorRT's words.

Names of kernels are fictional and begin with ``sim_``. The token of each operation in the name of a generated kernel
(``__myl_MeanSubMul_myl0_3``) was inferred from names of real engines and their ONNX origins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from trex.core.data_type import DataType
from trex.core.tensor_format import TensorFormat
from trex.simulator.draft import BuildStep, NetworkDraft, StepKind

FICTIONAL = "sim_"
"""Prefix of kernel names."""


@dataclass(frozen=True, slots=True)
class LayerRecord:
    """layer_type, parameters: as in the engine inspector. tactic: name of the kernel, "" for none.

    is_generated: a Myelin kernel, listed with types only. stored: constants listed as inputs.
    """

    layer_type: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tactic: str = ""
    is_generated: bool = False
    stored: tuple[str, ...] = ()


def architecture(draft: NetworkDraft) -> str:
    """``sm80``."""
    major, minor = draft.target.capability
    return f"sm{major}{minor}"


def kernel_name(step: BuildStep, draft: NetworkDraft, words: str) -> str:
    """``sim_sm80_{words}_f16f16_nhwc_nhwc``: the operation, then the types and formats that it reads and writes."""
    tensors = (step.inputs[0] if step.inputs else step.outputs[0], step.outputs[0])
    types = "".join(short_type(draft.type_of(name)) for name in tensors)
    layouts = "_".join(layout_word(draft.format_of(name)) for name in tensors)
    return f"{FICTIONAL}{architecture(draft)}_{words}_{types}_{layouts}"


_SIZES = frozenset({"Reshape", "Expand", "Tile", "Unsqueeze", "Squeeze", "Slice", "Pad", "Resize", "TopK", "OneHot"})


def stored_operands(step: BuildStep, draft: NetworkDraft) -> tuple[str, ...]:
    """Stored tensors that a kernel reads at run time; shapes, axes and scalars are part of the kernel."""
    names = []
    for operator in step.operators:
        data = operator.inputs[:1] if operator.type in _SIZES or operator.type.startswith("Reduce") else operator.inputs
        names += [name for name in data if name in step.constants]
    values = ((name, draft.model.value(name)) for name in dict.fromkeys(names))
    return tuple(name for name, value in values if value is not None and value.shape is not None and value.count != 1)


_TOKENS = {
    "Add": "Add", "Sub": "Sub", "Mul": "Mul", "Div": "Div", "Sqrt": "Sqrt", "Erf": "Erf", "Exp": "Exp", "Pow": "Pow",
    "ReduceMean": "Mean", "ReduceSum": "Sum", "ReduceMax": "Max", "Softmax": "MaxrSubExpSumDivMul", "Cast": "Cast",
    "Where": "Sele", "Slice": "Slic", "Gather": "Gath", "Reshape": "Resh", "Transpose": "Tran", "Concat": "Conc",
    "MatMul": "Gemm", "Gemm": "Gemm", "Relu": "Relu", "Tanh": "Tanh", "Sigmoid": "Sigm", "Neg": "Neg",
    "LayerNormalization": "MeanSubMulMeanAddSqrtDivMulAdd", "RMSNormalization": "MulMeanAddSqrtDivMul",
    "QuantizeLinear": "Qu", "DequantizeLinear": "Deq",
}  # fmt: skip
_MOST = 12


def tokens_of(step: BuildStep) -> str:
    """``MeanSubMul``: one token for each operation, the first dozen. ``Tran``: a transpose that is no operator, which
    also pads if it lists some.
    """
    if step.kind is StepKind.ATTENTION:
        return "_mha"
    if step.kind is StepKind.REFORMAT:
        return "ConcTran" if step.operators else "Tran"
    scaled, prepared = (step.facts.get(key, ()) for key in ("scaled", "prepared"))
    own = [operator for operator in step.operators if operator.name not in prepared]
    return tokens_of_types("Add" if operator.name in scaled else operator.type for operator in own) or "Move"


def tokens_of_types(types: Iterable[str]) -> str:
    words = [_TOKENS.get(name, name[:4].capitalize()) for name in types]
    return "".join(words[:_MOST])


def generated_tactic(step: BuildStep, draft: NetworkDraft) -> str:
    """``sim_myl_MeanSubMul_0x…``: tokens, and a digest of the kernel's inputs and outputs."""
    shapes = [f"{name}{draft.shape_of(name)}" for name in (*step.inputs, *step.outputs)]
    digest = sha256("|".join(shapes).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"sim_myl_{tokens_of(step).lstrip('_')}_0x{digest}"


_TYPES = {
    DataType.FP64: "Double", DataType.FP32: "Float", DataType.FP16: "Half", DataType.BF16: "BFloat16",
    DataType.FP8: "FP8", DataType.FP4: "FP4", DataType.E8M0: "E8M0", DataType.INT64: "Int64", DataType.INT32: "Int32",
    DataType.INT16: "Int16", DataType.INT8: "Int8", DataType.INT4: "Int4", DataType.UINT8: "UInt8",
    DataType.UINT16: "UInt16", DataType.UINT32: "UInt32", DataType.UINT64: "UInt64", DataType.BOOL: "Bool",
}  # fmt: skip
_LINEAR = {
    DataType.FP32: "Row major linear FP32", DataType.FP16: "Row major linear FP16 format",
    DataType.INT8: "Row major Int8 format", DataType.INT32: "Row major linear Int32",
    DataType.BOOL: "Row major linear BOOL",
}  # fmt: skip
_IN_VECTORS = {DataType.INT8: "Int8", DataType.BF16: "BFloat16"}
_WIDTHS = {2: "Two", 4: "Four", 8: "Eight", 16: "Sixteen", 32: "Thirty-two"}
_SHORT = {
    DataType.FP32: "f32", DataType.FP16: "f16", DataType.BF16: "bf16", DataType.FP8: "e4m3", DataType.FP4: "e2m1",
    DataType.INT8: "i8", DataType.INT4: "i4", DataType.INT32: "i32", DataType.INT64: "i64", DataType.BOOL: "b8",
}  # fmt: skip


def type_word(data_type: DataType) -> str:
    """``Half``: for weights and Myelin's tensors."""
    return _TYPES.get(data_type, "None")


def format_sentence(data_type: DataType, layout: TensorFormat) -> str:
    """``Channel major FP16 format where channel % 8 == 0``; the type alone if the format is unknown."""
    if layout.layout == "linear":
        return _LINEAR.get(data_type, f"Row major linear {_label(data_type)} format")
    spatial = " with 3 spatial dimensions" if layout.spatial_dims == 3 else ""
    if layout.layout == "vectorized":
        width = _WIDTHS.get(layout.vector, str(layout.vector))
        return f"{width} wide channel vectorized row major {_label(data_type)} format{spatial}"
    if layout.layout == "channels-last":
        alignment = f" where channel % {layout.vector} == 0" if layout.vector > 1 else ""
        return f"Channel major {_label(data_type)} format{alignment}{spatial}"
    return type_word(data_type)


def short_type(data_type: DataType) -> str:
    """``f16``: in names of kernels."""
    return _SHORT.get(data_type, data_type.label.lower())


def layout_word(layout: TensorFormat) -> str:
    """``nchw_vect_c_32``: in names of kernels."""
    if layout.layout == "vectorized":
        return f"nchw_vect_c_{layout.vector}"
    return "nhwc" if layout.layout == "channels-last" else "nchw"


def _label(data_type: DataType) -> str:
    return _IN_VECTORS.get(data_type) or (data_type.label if data_type.label.isupper() else type_word(data_type))
