"""Groups: the ONNX nodes of each layer and the positions of reformats, to compare a predicted with a real engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from trex.core.layer import Layer
from trex.core.model import Model

Group = frozenset[str]


@dataclass(frozen=True)
class Groups:
    """fused: {ONNX nodes of a layer, without reformats: number of such layers}. reformats: {position: number of them}:
    the node's name for a quantizer that stayed a layer, ``into GROUP`` or ``out of GROUP`` for a reformat of a
    layer's tensor.
    """

    fused: Mapping[Group, int]
    reformats: Mapping[str, int]

    @property
    def reformat_count(self) -> int:
        return sum(self.reformats.values())


def share_equal(first: Mapping[Any, int], second: Mapping[Any, int]) -> float:
    """Common members over those of the larger one; 1 if both are empty."""
    common = sum((Counter(first) & Counter(second)).values())
    larger = max(sum(first.values()), sum(second.values()))
    return common / larger if larger else 1.0


def groups_of_layers(layers: Iterable[Layer], model: Model) -> Groups:
    """From the layers' metadata or names; without layers that have no node of the model."""
    fused: Counter[Group] = Counter()
    reformats: Counter[str] = Counter()
    for layer in layers:
        names = layer.origins or layer.name_parts.operations
        group = frozenset(name for name in names if name in model.by_name)
        if layer.type == "Reformat":
            reformats[_position(layer, group, model)] += 1
        elif group and not layer.name_parts.wraps:
            fused[group] += 1
    return Groups(fused, reformats)


def _position(layer: Layer, group: Group, model: Model) -> str:
    if not layer.name_parts.wraps:
        return _words(group) or layer.name
    side = "out of" if " for Output Tensor " in layer.name else "into"
    served = _nodes(layer.name_parts.wraps, model)
    return f"{side} {_words(served)}"


def _nodes(name: str, model: Model) -> Group:
    return frozenset(part for part in name.replace("PWN(", "").replace(")", "").split(" + ") if part in model.by_name)


def _words(group: Group) -> str:
    return " + ".join(sorted(group))
