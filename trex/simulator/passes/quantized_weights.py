"""Fuses the quantizers of weights into convolutions and GEMMs.

What it does: if the weights come from a stored tensor by QuantizeLinear and DequantizeLinear, or by DequantizeLinear
alone, those operators become part of the step: the engine stores the quantized weights, and its layer's name begins
with the tensor's name and the quantizer's.
The rule: explicit quantization, quantized weights: weights may be given in high precision with Q and DQ, which the
builder quantizes with Q's scale and stores, or already quantized with a DQ alone
(https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
What it leaves out: weights that pass through operators other than a transpose, reshape or cast; whether the MACs are
computed in INT8, which the other input decides.
"""

from __future__ import annotations

from dataclasses import replace

from trex.core.model import Model
from trex.core.operator import Operator
from trex.simulator.builder import BuildPass
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import WEIGHTED, joined, weights_of

_PASSED = frozenset({"Transpose", "Reshape", "Cast", "Identity", "Unsqueeze", "Squeeze"})
_MOST = 16


def edit(editor: DraftEditor) -> None:
    model = editor.draft.model
    for number in editor:
        step = editor[number]
        weights = weights_of(step) if step.kind in WEIGHTED else None
        if weights is None:
            continue
        path, stored = _path(model, weights)
        types = [operator.type for operator in path]
        if "DequantizeLinear" not in types:
            continue
        quantizers = [operator.name for operator in path if operator.type == "QuantizeLinear"]
        is_gemm = step.main is not None and step.main.type == "Gemm"
        bias = "".join(step.main.inputs[2:3]) if is_gemm and step.main is not None else ""
        dequantizer = next(operator for operator in path if operator.type == "DequantizeLinear")
        value = model.value(dequantizer.inputs[0])
        fused = replace(
            step,
            operators=(*path, *step.operators),
            facts={
                **step.facts,
                "label": joined(stored, *quantizers, step.label, bias),
                "weights_type": editor.type_of(dequantizer.inputs[0]) if value is None else value.data_type,
            },
        )
        editor.replace(number, fused)
        what = f"{step.label} stores {stored} quantized"
        why = "its Q and DQ have only stored inputs, so they are computed at build time"
        editor.decide(what, why, fused.origins)


def _path(model: Model, name: str) -> tuple[tuple[Operator, ...], str]:
    """Operators between a stored tensor and a step, in order, and the tensor's name."""
    path: list[Operator] = []
    while len(path) < _MOST:
        writer = model.producers.get(name)
        is_quantizer = writer is not None and writer.type in ("QuantizeLinear", "DequantizeLinear")
        if writer is None or not writer.inputs or not (is_quantizer or writer.type in _PASSED):
            break
        path.append(writer)
        name = writer.inputs[0]
    return tuple(reversed(path)), name


PASS = BuildPass("Quantized weights", 100, edit)
