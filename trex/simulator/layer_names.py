"""NetworkDraft → the names of its layers and tensors, composed as in TensorRT.

A fused layer's name joins its operators by `` + ``, pointwise operations in ``PWN(…)``; a reformat is named after the
layer that it serves; a Myelin kernel after its operations, its region and its index in the region.
"""

from __future__ import annotations

from collections.abc import Sequence

from trex.simulator.draft import BuildStep, NetworkDraft, StepKind
from trex.simulator.layer_record import LayerRecord
from trex.simulator.layer_records import POINTWISE_KINDS
from trex.simulator.myelin_record import tokens_of_kernel

_JOINED_PLAINLY = frozenset(
    {
        "Conv", "ConvTranspose", "Gemm", "MatMul", "Add", "Relu", "MaxPool", "AveragePool", "GlobalAveragePool",
        "GlobalMaxPool", "BatchNormalization", "QuantizeLinear", "DequantizeLinear",
    }
)  # fmt: skip


def names_of(draft: NetworkDraft, records: Sequence[LayerRecord]) -> tuple[list[str], dict[str, str]]:
    """(name of each step's layer, {tensor of the draft: its name, if different}). A step's own ``label`` takes
    precedence.
    """
    layers: list[str] = []
    copies: list[int] = []
    region = kernel = -1
    for number, (step, record) in enumerate(zip(draft.steps, records, strict=True)):
        if record.is_generated:
            if kernel < 0:
                region += 1
            kernel += 1
            layers.append(_generated(step, record, region, kernel))
            continue
        if record.layer_type != "NoOp":
            kernel = -1
        if _is_copy(step):
            copies.append(number)
        layers.append("" if _is_copy(step) else _composed(step))
    tensors: dict[str, str] = {}
    for number in copies:
        layers[number] = _copy_name(draft, number, layers, tensors)
    return layers, tensors


def _is_copy(step: BuildStep) -> bool:
    """A reformat that is no operator of the model."""
    return not step.operators and "label" not in step.facts


def _composed(step: BuildStep) -> str:
    label = step.facts.get("label")
    if label:
        return str(label)
    if step.kind in POINTWISE_KINDS:
        inner = ", ".join(step.origins)
        return f"PWN({inner})" if step.kind is StepKind.POINTWISE or len(step.operators) > 1 else inner
    parts = []
    for operator in step.operators:
        is_plain = operator.type in _JOINED_PLAINLY or operator is step.main
        parts.append(operator.name if is_plain else f"PWN({operator.name})")
    return " + ".join(parts)


def _generated(step: BuildStep, record: LayerRecord, region: int, kernel: int) -> str:
    """A kernel of the library is called by its operators, others by their operations."""
    ending = f"_myl{region}_{kernel}"
    if record.layer_type not in ("kgen", "runtime_fusion") and step.main is not None:
        mains = step.facts.get("merged", (step.main,))
        return "+".join(main.name for main in mains) + ending
    if step.kind is StepKind.ATTENTION:
        return f"_gemm_mha_v2{ending}"
    return f"__myl_{tokens_of_kernel(step)}{ending}"


def _copy_name(draft: NetworkDraft, number: int, layers: Sequence[str], tensors: dict[str, str]) -> str:
    """The reformat's name; its tensor is renamed after it if the model does not have that tensor."""
    step = draft.steps[number]
    source, result = step.inputs[0], step.outputs[0]
    # The model's own tensor is the result of an output's reformat and the source of an input's.
    is_output = draft.model.value(source) is None and draft.model.value(result) is not None
    for reader in () if is_output else draft.readers.get(result, ()):
        served = draft.steps[reader]
        if layers[reader]:
            ending = f"Input Tensor {served.inputs.index(result)} to {layers[reader]}"
            if draft.model.value(result) is None:
                tensors[result] = f"Reformatted {ending}"
            return f"Reformatting CopyNode for {ending}"
    writer = draft.writer.get(source)
    if writer is not None and layers[writer]:
        served = draft.steps[writer]
        ending = f"Output Tensor {served.outputs.index(source)} to {layers[writer]}"
        if draft.model.value(source) is None:
            tensors[source] = f"Reformatted {ending}"
        return f"Reformatting CopyNode for {ending}"
    return f"Reformatting CopyNode for Network Input {source}"
