"""BuildStep → the tokens and the name of a generated kernel (``__myl_MeanSubMul_myl0_3``), as Myelin composes them.

The token of each operation was inferred from names of real engines and their ONNX origins.
"""

from __future__ import annotations

from hashlib import sha256

from trex.simulator.draft import BuildStep, NetworkDraft, StepKind

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
    """``MeanSubMul``: one token for each operation, the first dozen."""
    if step.kind is StepKind.ATTENTION:
        return "_mha"
    words = [_TOKENS.get(operator.type, operator.type[:4].capitalize()) for operator in step.operators]
    return "".join(words[:_MOST])


def generated_tactic(step: BuildStep, draft: NetworkDraft) -> str:
    """``sim_myl_MeanSubMul_0x…``: tokens, and a digest of the kernel's inputs and outputs."""
    shapes = [f"{name}{draft.shape_of(name)}" for name in (*step.inputs, *step.outputs)]
    digest = sha256("|".join(shapes).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"sim_myl_{tokens_of(step).lstrip('_')}_0x{digest}"
