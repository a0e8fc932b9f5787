"""BuildStep → LayerRecord: its record in the engine inspector, without its name and tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trex.core.data_type import DataType
from trex.simulator.convolution_record import convolution_record, pooling_record
from trex.simulator.draft import BuildStep, NetworkDraft, StepKind
from trex.simulator.layer_record import (
    FICTIONAL,
    LayerRecord,
    architecture,
    generated_tactic,
    kernel_name,
    short_type,
    stored_operands,
    type_word,
)
from trex.simulator.myelin import MYELIN_ALONE
from trex.simulator.myelin_record import myelin_record
from trex.simulator.operator_attributes import text
from trex.simulator.passes.foreign_nodes import SEPARATE_KERNELS_SINCE

POINTWISE_KINDS = frozenset(
    {StepKind.ACTIVATION, StepKind.CAST, StepKind.ELEMENTWISE, StepKind.POINTWISE, StepKind.SELECT}
)
_MOVEMENTS = {
    StepKind.SLICE: "Slice",
    StepKind.GATHER: "Gather",
    StepKind.SCATTER: "Scatter",
    StepKind.CONCATENATION: "Concatenation",
    StepKind.RESIZE: "Resize",
    StepKind.TOP_K: "TopK",
}
_EXPRESSIONS = {
    "Add": "plus", "Sub": "minus", "Mul": "mul", "Div": "div", "Pow": "pow", "Max": "max", "Min": "min",
    "Relu": "relu", "LeakyRelu": "leakyRelu", "Clip": "clip", "Sigmoid": "sigmoid", "Tanh": "tanh", "Elu": "elu",
    "Selu": "selu", "Softplus": "softPlus", "Softsign": "softSign", "HardSigmoid": "hardSigmoid", "Gelu": "gelu",
    "Exp": "exp", "Log": "log", "Sqrt": "sqrt", "Abs": "abs", "Neg": "neg", "Reciprocal": "recip", "Erf": "erf",
    "Floor": "floor", "Ceil": "ceil", "Round": "round", "Sin": "sin", "Cos": "cos", "Not": "not_", "And": "and_",
    "Or": "or_", "Xor": "xor_", "Equal": "equal", "Greater": "greater", "Less": "less", "Where": "select",
    "Cast": "cast",
}  # fmt: skip
_REDUCTIONS = {"ReduceMean": "AVG", "ReduceMax": "MAX", "ReduceMin": "MIN", "ReduceProd": "PROD"}


def record_of(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    is_alone = draft.target.release.pair >= MYELIN_ALONE
    if is_alone and step.kind not in (StepKind.IDENTITY, StepKind.OPAQUE) and not step.facts.get("is_elided"):
        return myelin_record(step, draft)
    return _RECORDS[step.kind](step, draft)


def _moved(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    if step.facts.get("is_elided"):  # the producers of its inputs write into its output
        return LayerRecord("NoOp")
    name = _MOVEMENTS[step.kind]
    parameters: dict[str, object] = {"ParameterType": name}
    if step.kind is StepKind.RESIZE:
        parameters["Mode"] = text(step.main, "mode", "nearest").upper()
    if step.kind is StepKind.SLICE:
        parameters["Mode"] = "DEFAULT"
    return LayerRecord(name, parameters, kernel_name(step, draft, name.lower()))


def _generated(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    """A kernel of Myelin, or a region as one layer in releases that list it so."""
    if step.kind is StepKind.REGION and draft.target.release.major < SEPARATE_KERNELS_SINCE:
        return LayerRecord("Myelin")
    return LayerRecord(
        "kgen", {}, generated_tactic(step, draft), is_generated=True, stored=stored_operands(step, draft)
    )


def _gemm(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    inner = short_type(step.precision)
    accumulator = "i32" if step.precision is DataType.INT8 else "f32"
    written = short_type(draft.type_of(step.outputs[0]))
    epilogue = "_bias" if step.facts.get("bias") else ""
    activation = str(step.facts.get("activation", "")).lower()
    epilogue += f"_{activation}" if activation not in ("", "none") else ""
    name = f"{FICTIONAL}{architecture(draft)}_xmma_gemm_{inner}{inner}_{inner}{accumulator}_{written}_tn_n{epilogue}"
    return LayerRecord("gemm", {}, name, is_generated=True, stored=stored_operands(step, draft))


def _plugin(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    """An unknown operator is listed as a plugin of its type."""
    name = step.main.qualified_type if step.main is not None else "unknown"
    return LayerRecord("PluginV2", {"PluginType": name, "PluginVersion": "1"})


def _pointwise(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    operations = [_EXPRESSIONS.get(operator.type, operator.type.lower()) for operator in step.operators]
    arguments = [f"arg{index}" for index in range(len(step.inputs))]
    arguments += [f"literal{index}" for index in range(len(step.constants))]
    lines = []
    for index, operation in enumerate(operations):
        read = arguments if index == 0 else [f"var{index - 1}"]
        lines.append(f"auto const var{index} = pwgen::{operation}({', '.join(read)});")
    parameters = {"ParameterType": "PointWise", "NbOperations": len(operations), "Operations": lines}
    return LayerRecord("PointWiseV2", parameters, kernel_name(step, draft, "pointwise"))


def _reduce(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    operation = _REDUCTIONS.get(step.main.type, "SUM") if step.main is not None else "SUM"
    parameters = {"ParameterType": "Reduce", "Operation": operation}
    return LayerRecord("Reduce", parameters, kernel_name(step, draft, f"reduce_{operation.lower()}"))


def _reformat(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    """Unfused quantize and dequantize layers run as reformats."""
    origin = "QDQ" if step.kind in (StepKind.QUANTIZE, StepKind.DEQUANTIZE) else "REFORMAT"
    return LayerRecord("Reformat", {"ParameterType": "Reformat", "Origin": origin})


def _scale(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    shape = draft.shape_of(step.outputs[0]) or ()
    channels = shape[1] if len(shape) > 1 else 0
    stored = {"Type": type_word(draft.type_of(step.outputs[0])), "Count": channels or 0}
    parameters = {
        "ParameterType": "Scale",
        "Mode": "CHANNEL",
        "Shift": stored,
        "Scale": stored,
        "Power": {"Type": stored["Type"], "Count": 0},
        "Activation": str(step.facts.get("activation", "NONE")),
        "ChannelAxis": 1,
    }
    return LayerRecord("Scale", parameters, kernel_name(step, draft, "scale"))


def _shuffle(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    return LayerRecord("Shuffle", {"ParameterType": "Shuffle"})


def _softmax(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    is_log = step.main is not None and step.main.type == "LogSoftmax"
    return LayerRecord(
        "CudaSoftMax",
        {"ParameterType": "SoftMax", "HasLog": int(is_log)},
        kernel_name(step, draft, "softmax"),
    )


def _no_op(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    """Launches nothing: the same bytes with another name or shape."""
    return LayerRecord("NoOp")


_RECORDS: Mapping[StepKind, Callable[[BuildStep, NetworkDraft], LayerRecord]] = {
    StepKind.CONVOLUTION: convolution_record,
    StepKind.DECONVOLUTION: convolution_record,
    StepKind.IDENTITY: _no_op,
    StepKind.MATRIX_MULTIPLY: _gemm,
    StepKind.OPAQUE: _plugin,
    StepKind.POOLING: pooling_record,
    StepKind.REDUCE: _reduce,
    StepKind.SCALE: _scale,
    StepKind.SHUFFLE: _shuffle,
    StepKind.SOFTMAX: _softmax,
    **dict.fromkeys((StepKind.ATTENTION, StepKind.NORMALIZATION, StepKind.REGION), _generated),
    **dict.fromkeys((StepKind.QUANTIZE, StepKind.DEQUANTIZE, StepKind.REFORMAT), _reformat),
    **dict.fromkeys(POINTWISE_KINDS, _pointwise),
    **dict.fromkeys(_MOVEMENTS, _moved),
}
