"""NetworkDraft → the engine's JSON, in the form of a TensorRT release at detailed verbosity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from trex.core.data_type import DataType
from trex.core.release import Release
from trex.core.tensor_format import TensorFormat
from trex.simulator.draft import BuildStep, NetworkDraft
from trex.simulator.layer_names import names_of
from trex.simulator.layer_record import LayerRecord, format_sentence, type_word
from trex.simulator.layer_records import record_of
from trex.simulator.quantizers import QUANTIZED

MARK = "Simulated"
"""Top-level key of a predicted engine."""
_MATRIX_RANK = 2
_FORMATS = {
    "unknown": "(Linear) Row major linear format",
    "linear": "(Linear) Row major linear format",
    "channels-last": "(NHWC) Channel major format",
}
_FUSED, _GENERATED = "\x1e", "\x1f"


def engine_document(draft: NetworkDraft, statement: str) -> dict[str, Any]:
    """``Layers`` and ``Bindings``; ``Simulated`` holds the statement that the engine was predicted.

    From 11.0 types, formats and constants are separate, from 10.16 formats are missing, as in NVIDIA's documents and
    logs.
    """
    records = [record_of(step, draft) for step in draft.steps]
    names, tensors = names_of(draft, records)
    layers = [
        _layer(step, record, name, tensors, draft)
        for step, record, name in zip(draft.steps, records, names, strict=True)
    ]
    bindings = [value.name for value in (*draft.model.inputs, *draft.model.outputs)]
    return {"Layers": layers, "Bindings": bindings, MARK: statement}


def _layer(
    step: BuildStep, entry: LayerRecord, name: str, renamed: Mapping[str, str], draft: NetworkDraft
) -> dict[str, Any]:
    release = draft.target.release
    record: dict[str, Any] = {"Name": name, "LayerType": entry.layer_type}
    is_apart = release.major >= 11
    reads = step.inputs if is_apart else (*step.inputs, *entry.stored)
    record["Inputs"] = [_tensor(tensor, renamed, draft, entry.is_generated) for tensor in reads]
    record["Outputs"] = [_tensor(tensor, renamed, draft, entry.is_generated) for tensor in step.outputs]
    if is_apart:
        record["Constants"] = [
            _tensor(tensor, renamed, draft, entry.is_generated, _stored_type(step, tensor, draft))
            for tensor in entry.stored
        ]
    record |= entry.parameters
    if entry.tactic or entry.is_generated:
        record["TacticName"] = entry.tactic
    if not entry.is_generated:
        record["TacticValue"] = _tactic_value(entry.tactic)
    if release.major >= 10:
        record["StreamId"] = 0
    if release.pair >= (8, 6):
        record["Metadata"] = _metadata(step.origins, _GENERATED if entry.is_generated else _FUSED)
    return record


def _stored_type(step: BuildStep, name: str, draft: NetworkDraft) -> DataType:
    """Weights of a quantized layer are stored in its type."""
    is_vector = len(draft.shape_of(name) or ()) < _MATRIX_RANK
    quantized = step.facts.get("weights_type") if step.precision in QUANTIZED and not is_vector else None
    return draft.type_of(name) if quantized is None else quantized


def _tensor(
    name: str,
    renamed: Mapping[str, str],
    draft: NetworkDraft,
    is_generated: bool,
    stored_type: DataType | None = None,
) -> dict[str, Any]:
    release = draft.target.release
    data_type, layout = stored_type or draft.type_of(name), draft.format_of(name)
    record: dict[str, Any] = {"Name": renamed.get(name, name)}
    if not is_generated:
        record["Location"] = "Device"
    shape = draft.shape_of(name)
    if shape is not None:  # without dimensions it would be a scalar
        record["Dimensions"] = [-1 if size is None else size for size in shape]
    record.update(_type_and_layout(release, data_type, layout, is_generated))
    return record


def _type_and_layout(release: Release, data_type: DataType, layout: TensorFormat, is_generated: bool) -> dict[str, str]:
    word, sentence = type_word(data_type), format_sentence(data_type, layout)
    if release.major >= 11:
        return {"Datatype": word, "Format": _FORMATS.get(layout.layout, sentence)}
    return {"Format/Datatype": word if is_generated or release.pair >= (10, 16) else sentence}


def _metadata(origins: Sequence[str], separator: str) -> str:
    return separator.join(f"[ONNX Layer: {name}]" for name in dict.fromkeys(origins))


def _tactic_value(tactic: str) -> str:
    """A number for a fictional kernel: the first digits of its name's digest, 0 without a name."""
    digits = sha256(tactic.encode()).hexdigest()[:16] if tactic else "0" * 16
    return f"0x{digits}"
