"""NetworkDraft → KernelTimes: the predicted time of every kernel, and of the steps that contain them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from trex.core.layer import Layer
from trex.core.model import Model
from trex.ingest.graph_json import engine_from_documents
from trex.perf.work.operators import operator_count
from trex.perf.work.plan_works import work_of
from trex.perf.work.work import Work
from trex.plan.gemm import Gemm
from trex.simulator.draft import BuildStep, NetworkDraft, StepKind
from trex.simulator.engine_json import engine_document
from trex.simulator.target import DEFAULT_RELEASE
from trex.simulator.timing.constants import Constants
from trex.simulator.timing.prediction import Prediction, predict


@dataclass(frozen=True)
class KernelTimes:
    """kernels: one prediction for each kernel. layer_ms: one for each step of the draft, the sum of its kernels."""

    kernels: Prediction
    layer_ms: tuple[float, ...]


def kernel_times(
    draft: NetworkDraft, constants: Constants | None = None, document: dict[str, Any] | None = None
) -> KernelTimes:
    """A step that is listed as one layer (fact ``kernels``) takes as long as its kernels.

    constants: of the timing, by default the package's. document: the draft's, if it was made before.
    Raises TrexError for a device of unknown rates.
    """
    kernels_of = [step.facts.get("kernels", (step,)) for step in draft.steps]
    apart = draft
    if any(len(kernels) != 1 or kernels[0] is not step for kernels, step in zip(kernels_of, draft.steps, strict=True)):
        steps = tuple(kernel for kernels in kernels_of for kernel in kernels)
        apart = replace(draft, steps=steps, target=replace(draft.target, release=DEFAULT_RELEASE))
    if document is None or apart is not draft:
        document = engine_document(apart, "")
    layers = engine_from_documents([document]).layers
    works = [work_of_step(step, layer, draft.model) for step, layer in zip(apart.steps, layers, strict=True)]
    predicted = predict(layers, draft.target.device, works, constants)
    sums, begin = [], 0
    for kernels in kernels_of:
        end = begin + len(kernels)
        sums.append(sum(layer.ms for layer in predicted.layers[begin:end]))
        begin = end
    return KernelTimes(predicted, tuple(sums))


_NAMES = {
    StepKind.ATTENTION: "attention",
    StepKind.MATRIX_MULTIPLY: "gemm",
    StepKind.NORMALIZATION: "normalization",
    StepKind.REGION: "generated-kernel",
}
"""Kinds whose record in an engine lacks their operations: the operators have them."""


def work_of_step(step: BuildStep, layer: Layer, model: Model) -> Work:
    """Bytes are those of the layer's tensors: values between its operators are never written."""
    own = work_of(layer)
    if step.kind is StepKind.OPAQUE:  # its tensors are a lower bound of its bytes, its operations are unknown
        return replace(own, macs=None, bytes_written=None, confidence=0.0, reason="unknown operator")
    if step.kind is StepKind.REFORMAT:
        return replace(own, kind="reformat", macs=0.0, other_ops=0.0, confidence=0.8, formula="moves bytes", reason="")
    if step.kind not in _NAMES or not step.operators:
        return own
    apart = {*step.facts.get("scaled", ()), *step.facts.get("prepared", ())}
    macs: float | None = 0.0
    other: float | None = 0.0
    gemms = []
    reasons = []
    for operator in step.operators:
        if operator.name in apart:  # its MACs are another kernel's
            continue
        count = operator_count(operator, model)
        macs = None if macs is None or count.macs is None else macs + count.macs
        other = None if other is None or count.other_ops is None else other + count.other_ops
        if count.macs:
            gemms.append(count.gemm)
        if count.macs is None or count.other_ops is None:
            reasons.append(count.reason)
    return replace(
        own,
        kind=_NAMES[step.kind],
        macs=macs,
        other_ops=other,
        confidence=0.0 if macs is None and other is None else 0.8,
        formula="sum over the ONNX operators; bytes of the layer's own tensors",
        reason="; ".join(reasons[:1]),
        gemm=joined_gemm(gemms),
    )


def joined_gemm(gemms: Sequence[Gemm | None]) -> Gemm | None:
    """One GEMM that computes several: of one left operand, side by side (query, key and value), else None."""
    if not gemms or None in gemms:
        return None
    first, *rest = (gemm for gemm in gemms if gemm is not None)
    if any((gemm.m, gemm.k, gemm.batch) != (first.m, first.k, first.batch) for gemm in rest):
        return None
    return replace(first, n=first.n + sum(gemm.n for gemm in rest))
