"""BuildStep → LayerRecord where Myelin compiles everything, in the words of TensorRT for RTX and TensorRT 11."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, NetworkDraft, StepKind
from trex.simulator.layer_record import LayerRecord, generated_tactic, stored_operands, tokens_of, tokens_of_types

_PLAIN = {StepKind.CONVOLUTION: "correlation", StepKind.DECONVOLUTION: "deconv", StepKind.MATRIX_MULTIPLY: "gemm"}
_WORDS = {StepKind.CONVOLUTION: "Corr", StepKind.DECONVOLUTION: "Deconv", StepKind.MATRIX_MULTIPLY: "Fc"}
NATIVE = frozenset({"Relu", "Clip", "Sigmoid", "Tanh", "Add"})
"""What a convolution's kernel computes without being generated."""
_POOLINGS = {"MaxPool": "maxpool", "AveragePool": "avgpool"}


def myelin_record(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    """Kernels that are generated at run time (``runtime_fusion``) have no name yet."""
    kind = layer_type_of(step)
    tactic = "" if kind == "runtime_fusion" else generated_tactic(step, draft)
    return LayerRecord(kind, {}, tactic, is_generated=True, stored=stored_operands(step, draft))


def layer_type_of(step: BuildStep) -> str:
    """``correlation``, ``gemm``, ``runtime_fusion``, ``maxpool``, ``kgen`` …"""
    if step.kind is StepKind.POOLING and step.main is not None:
        return _POOLINGS.get(step.main.type, "kgen")
    if step.kind not in _PLAIN:
        return "kgen"
    return "runtime_fusion" if _is_generated(step) else _PLAIN[step.kind]


def tokens_of_kernel(step: BuildStep) -> str:
    """``FcAddRelu`` for a fused GEMM or convolution, ``_gemm_mha_v2`` for an attention; else the operations'."""
    if step.kind is StepKind.ATTENTION:
        return "_gemm_mha_v2"
    if step.kind not in _WORDS:
        return tokens_of(step)
    return _WORDS[step.kind] + tokens_of_types(step.facts.get("epilogue", ()))


def _is_generated(step: BuildStep) -> bool:
    epilogue = set(step.facts.get("epilogue", ()))
    if step.kind is StepKind.MATRIX_MULTIPLY:
        return bool(epilogue)
    if step.kind is StepKind.DECONVOLUTION:
        return False
    return not (epilogue <= NATIVE or "Tanh" in epilogue)
