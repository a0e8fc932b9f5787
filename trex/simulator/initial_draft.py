"""Model → NetworkDraft: one step for every operator with work at run time."""

from __future__ import annotations

from trex.core.model import Model
from trex.core.note import Note
from trex.core.operator import Operator
from trex.simulator.draft import BuildStep, NetworkDraft, StepKind
from trex.simulator.target import Target

_KINDS: dict[StepKind, str] = {
    StepKind.ACTIVATION: "Relu LeakyRelu Elu Selu Sigmoid HardSigmoid HardSwish Tanh Softplus Softsign ThresholdedRelu "
    "Clip Celu Gelu Mish PRelu Swish",
    StepKind.ATTENTION: "Attention",
    StepKind.CAST: "Cast CastLike",
    StepKind.CONCATENATION: "Concat",
    StepKind.CONVOLUTION: "Conv",
    StepKind.DECONVOLUTION: "ConvTranspose",
    StepKind.DEQUANTIZE: "DequantizeLinear",
    StepKind.ELEMENTWISE: "Add Sub Mul Div Max Min Sum Mean Pow Sqrt Exp Log Abs Neg Reciprocal Floor Ceil Round Erf "
    "Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Sign Not And Or Xor Equal Greater Less GreaterOrEqual "
    "LessOrEqual IsNaN IsInf Mod BitwiseAnd BitwiseOr BitwiseXor BitwiseNot",
    StepKind.GATHER: "Gather GatherElements GatherND OneHot",
    StepKind.IDENTITY: "Identity Dropout",
    StepKind.MATRIX_MULTIPLY: "MatMul Gemm Einsum",
    StepKind.NORMALIZATION: "LayerNormalization InstanceNormalization GroupNormalization RMSNormalization "
    "LpNormalization MeanVarianceNormalization",
    StepKind.POOLING: "MaxPool AveragePool GlobalAveragePool GlobalMaxPool",
    StepKind.QUANTIZE: "QuantizeLinear",
    StepKind.REDUCE: "ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum "
    "ReduceLogSumExp ReduceSumSquare ArgMax ArgMin CumSum",
    StepKind.RESIZE: "Resize Upsample GridSample",
    StepKind.SCALE: "BatchNormalization",
    StepKind.SCATTER: "ScatterElements ScatterND Scatter",
    StepKind.SELECT: "Where",
    StepKind.SHUFFLE: "Reshape Transpose Flatten Squeeze Unsqueeze Expand Tile DepthToSpace SpaceToDepth",
    StepKind.SLICE: "Slice Split Pad",
    StepKind.SOFTMAX: "Softmax LogSoftmax",
    StepKind.TOP_K: "TopK",
}
KIND_OF: dict[str, StepKind] = {word: kind for kind, words in _KINDS.items() for word in words.split()}
"""{type of ONNX's own operator: its kind}."""


def kind_of(operator: Operator) -> StepKind:
    """OPAQUE for unknown operators: other domains, control flow, recurrent layers."""
    if operator.domain or operator.subgraphs:
        return StepKind.OPAQUE
    return KIND_OF.get(operator.type, StepKind.OPAQUE)


def initial_draft(model: Model, target: Target) -> NetworkDraft:
    """One step for each operator whose outputs depend on an input; the others are folded to constants.

    A Note lists the unknown operators.
    """
    known = model.constants
    steps: list[BuildStep] = []
    unknown: dict[str, int] = {}
    for operator in model.operators:
        outputs = tuple(name for name in operator.outputs if name)
        if outputs and all(name in known for name in outputs):
            continue
        kind = kind_of(operator)
        if kind is StepKind.OPAQUE:
            unknown[operator.qualified_type] = unknown.get(operator.qualified_type, 0) + 1
        reads = operator.reads
        steps.append(
            BuildStep(
                kind,
                (operator,),
                operator,
                tuple(name for name in reads if name not in known),
                outputs,
                tuple(name for name in reads if name in known),
            )
        )
    return NetworkDraft(model, target, tuple(steps), notes=(*model.notes, *_unknown(unknown, model.source)))


def _unknown(counts: dict[str, int], where: str) -> tuple[Note, ...]:
    if not counts:
        return ()
    types = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items()))
    message = f"unknown operators stay separate layers: {types}"
    return (Note("operators-not-known", message, "their times are rough guesses from their bytes", where),)
