"""Groups: the ONNX nodes of each layer, and the positions of reformats, of a real engine or a draft, for comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from trex.core.layer import Layer
from trex.core.model import Model
from trex.simulator.draft import BuildStep, Draft, StepKind

Group = frozenset[str]
_METADATA_SINCE = (8, 6)
_COPIES = frozenset({StepKind.REFORMAT, StepKind.QUANTIZE, StepKind.DEQUANTIZE})


@dataclass(frozen=True)
class Groups:
    """fused: {ONNX nodes of a layer, without reformats: number of such layers}. copies: {reformat: number of them}: the
    node's name for a quantizer that stayed a layer, ``into GROUP`` or ``out of GROUP`` for a reformat of a layer's
    tensor.
    """

    fused: Mapping[Group, int]
    copies: Mapping[str, int]

    @property
    def fused_count(self) -> int:
        return sum(self.fused.values())

    @property
    def copy_count(self) -> int:
        return sum(self.copies.values())


def share_equal(first: Mapping[Any, int], second: Mapping[Any, int]) -> float:
    """Common members over those of the larger one; 1 if both are empty."""
    common = sum((Counter(first) & Counter(second)).values())
    larger = max(sum(first.values()), sum(second.values()))
    return common / larger if larger else 1.0


def groups_of_layers(layers: Iterable[Layer], model: Model) -> Groups:
    """Of a real engine, from its names or its metadata; without layers that have no node of the model."""
    fused: Counter[Group] = Counter()
    copies: Counter[str] = Counter()
    for layer in layers:
        names = layer.origins or layer.name_parts.operations
        group = frozenset(name for name in names if name in model.by_name)
        if layer.type == "Reformat":
            copies[_copy_of_layer(layer, group, model)] += 1
        elif group and not layer.name_parts.wraps:
            fused[group] += 1
    return Groups(fused, copies)


def _copy_of_layer(layer: Layer, group: Group, model: Model) -> str:
    if not layer.name_parts.wraps:
        return _words(group) or layer.name
    side = "out of" if " for Output Tensor " in layer.name else "into"
    served = _nodes(layer.name_parts.wraps, model)
    return f"{side} {_words(served)}"


def _nodes(name: str, model: Model) -> Group:
    return frozenset(part for part in name.replace("PWN(", "").replace(")", "").split(" + ") if part in model.by_name)


def groups_of_draft(draft: Draft) -> Groups:
    """Of a prediction, from its layers' names, or their metadata in releases that write it."""
    has_metadata = draft.target.release.pair >= _METADATA_SINCE
    fused: Counter[Group] = Counter()
    copies: Counter[str] = Counter()
    for step in draft.steps:
        if step.kind in _COPIES:
            copies[_copy_of_step(draft, step)] += 1
        elif (names := step.origins if has_metadata else step.named_origins) and not step.facts.get("is_elided"):
            fused[frozenset(names)] += 1
    return Groups(fused, copies)


def _copy_of_step(draft: Draft, step: BuildStep) -> str:
    if step.named_origins:
        return _words(frozenset(step.named_origins))
    readers = draft.readers.get(step.outputs[0], ())
    writer = draft.writer.get(step.inputs[0])
    if len(readers) == 1 or writer is None:
        served = draft.steps[readers[0]] if readers else None
        return f"into {_words(frozenset(served.named_origins if served else ()))}"
    return f"out of {_words(frozenset(draft.steps[writer].named_origins))}"


def _words(group: Group) -> str:
    return " + ".join(sorted(group))
