"""Draft → the engine's JSON, in the form in which a release of TensorRT exports it at detailed verbosity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from trex.core.release import Release
from trex.simulator.draft import BuildStep, Draft
from trex.simulator.layer_entry import LayerRecord, record_of
from trex.simulator.layer_names import Names, names_of
from trex.simulator.spelling import format_sentence, type_word

MARK = "Simulated"
"""Top-level key whose presence says that the engine was predicted, not built."""
_FUSED, _GENERATED = "\x1e", "\x1f"


def engine_document(draft: Draft, statement: str) -> dict[str, Any]:
    """``Layers`` and ``Bindings``; ``Simulated`` holds the statement that says what this is.

    From 11.0 types and layouts are told apart, from 10.16 without layouts, as NVIDIA's documents and logs have it.
    """
    told = [record_of(step, draft) for step in draft.steps]
    names = names_of(draft, told)
    layers = [
        _layer(step, each, name, names.tensors, draft)
        for step, each, name in zip(draft.steps, told, names.layers, strict=True)
    ]
    bindings = [value.name for value in (*draft.model.inputs, *draft.model.outputs)]
    return {"Layers": layers, "Bindings": bindings, MARK: statement}


def layer_names(draft: Draft) -> Names:
    """As the document has them."""
    return names_of(draft, [record_of(step, draft) for step in draft.steps])


def _layer(step: BuildStep, told: LayerRecord, name: str, renamed: Mapping[str, str], draft: Draft) -> dict[str, Any]:
    release = draft.target.release
    record: dict[str, Any] = {"Name": name, "LayerType": told.layer_type}
    record["Inputs"] = [_tensor(each, renamed, draft, told.is_generated) for each in (*step.inputs, *told.stored)]
    record["Outputs"] = [_tensor(each, renamed, draft, told.is_generated) for each in step.outputs]
    record |= told.parameters
    if told.tactic or told.is_generated:
        record["TacticName"] = told.tactic
    if not told.is_generated:
        record["TacticValue"] = _tactic_value(told.tactic)
    if release.major >= 10:
        record["StreamId"] = 0
    if release.pair >= (8, 6):
        record["Metadata"] = _metadata(step.origins, _GENERATED if told.is_generated else _FUSED)
    return record


def _tensor(name: str, renamed: Mapping[str, str], draft: Draft, is_generated: bool) -> dict[str, Any]:
    release = draft.target.release
    data_type, layout = draft.type_of(name), draft.format_of(name)
    record: dict[str, Any] = {"Name": renamed.get(name, name)}
    if not is_generated:
        record["Location"] = "Device"
    record["Dimensions"] = [-1 if size is None else size for size in draft.shape_of(name) or ()]
    record.update(_type_and_layout(release, type_word(data_type), format_sentence(data_type, layout), is_generated))
    return record


def _type_and_layout(release: Release, word: str, sentence: str, is_generated: bool) -> dict[str, str]:
    if release.major >= 11:
        return {"Datatype": word} if is_generated else {"Datatype": word, "Format": sentence}
    return {"Format/Datatype": word if is_generated or release.pair >= (10, 16) else sentence}


def _metadata(origins: Sequence[str], separator: str) -> str:
    return separator.join(f"[ONNX Layer: {name}]" for name in dict.fromkeys(origins))


def _tactic_value(tactic: str) -> str:
    """A number for a kernel that does not exist: the first digits of its name's digest, 0 where there is no name."""
    digits = sha256(tactic.encode()).hexdigest()[:16] if tactic else "0" * 16
    return f"0x{digits}"
