"""Layers → layers without NoOps, with rewired neighbors."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trex.core.engine import Engine
from trex.core.layer import Layer, Role
from trex.core.tensor import Tensor

LONGEST_NAME = 1000
"""Characters of a name that readers of a view get instead of the view's; real names have up to about 700."""


def fold_no_ops(
    layers: Sequence[Layer], binding_names: Collection[str], keep: Collection[int] = ()
) -> tuple[Layer, ...]:
    """The layers, in execution order, without NoOps; readers of a NoOp's output read its input.

    Only the name changes: a reader keeps the shape and format that it sees, which are the view's. If the output is a
    binding, the writer of the input writes the binding, and all readers of the input read the binding. Changed layers
    are new objects with matching records; the arguments stay unchanged.

    keep: indexes of layers that must stay. A NoOp also stays if folding it would lose information:

    * it connects two bindings;
    * it has several inputs, and the viewed one is ambiguous;
    * the name that it reads is written again before the last reader of its output: that reader would seem to read the
      later value.

    It stays, too, where readers would get a name of more than ``LONGEST_NAME`` characters: every table and graph
    writes the name once for each of them.
    """
    if not any(layer.role is Role.NOOP for layer in layers):
        return tuple(layers)
    return _Folding(layers, binding_names, keep).folded()


def working_layers(engine: Engine, timed: Collection[int] = ()) -> tuple[Layer, ...]:
    """Kernels, and NoOps that can't be folded. timed: indexes of layers that took time, whatever they are."""
    folded = fold_no_ops(engine.layers, {binding.name for binding in engine.bindings}, keep=timed)
    return tuple(layer for layer in folded if layer.role in (Role.KERNEL, Role.NOOP) or layer.index in timed)


class _Folding:
    """State of one fold; positions are indexes in ``layers``."""

    def __init__(self, layers: Sequence[Layer], binding_names: Collection[str], keep: Collection[int]) -> None:
        self.layers = layers
        self.bindings = frozenset(binding_names)
        self.keep = frozenset(keep)
        self.reads: defaultdict[str, list[int]] = defaultdict(list)
        self.writes: defaultdict[str, list[int]] = defaultdict(list)
        for position, layer in enumerate(layers):
            for tensor in layer.inputs:
                self.reads[tensor.name].append(position)
            for tensor in layer.outputs:
                self.writes[tensor.name].append(position)
        self.aliases: dict[str, str] = {}  # name that a folded NoOp wrote → name to read instead, until overwritten
        self.renamed: dict[str, str] = {}  # name with a single writer → binding that replaces it everywhere

    def folded(self) -> tuple[Layer, ...]:
        kept: list[tuple[Layer, list[str] | None]] = []
        aliases = self.aliases
        for position, layer in enumerate(self.layers):
            if layer.role is Role.NOOP and layer.index not in self.keep and self._fold(position, layer):
                continue
            names = None
            if aliases:
                for tensor in layer.inputs:
                    if tensor.name in aliases:
                        names = [aliases.get(source.name, source.name) for source in layer.inputs]
                        break
                for tensor in layer.outputs:
                    if tensor.name in aliases:
                        del aliases[tensor.name]
            kept.append((layer, names))
        return tuple([self._rewired(layer, names) for layer, names in kept])

    def _rewired(self, layer: Layer, names: list[str] | None) -> Layer:
        renamed = self.renamed
        if not renamed:
            return layer if names is None else rewired(layer, names, [tensor.name for tensor in layer.outputs])
        inputs = [tensor.name for tensor in layer.inputs] if names is None else names
        return rewired(
            layer,
            [renamed.get(name, name) for name in inputs],
            [renamed.get(tensor.name, tensor.name) for tensor in layer.outputs],
        )

    def _fold(self, position: int, layer: Layer) -> bool:
        """Records the effect of folding this NoOp on its neighbors; False if it must stay."""
        outputs = {tensor.name for tensor in layer.outputs}
        if not outputs:
            return True
        viewed = _viewed(layer)
        if viewed is None:
            return False
        source = self.aliases.get(viewed.name, viewed.name)
        into = (outputs & self.bindings) - {source}
        if into:
            return len(outputs) == 1 and self._fold_into_binding(position, source, next(iter(into)))
        if len(source) > LONGEST_NAME:
            return False
        if any(self._outlives(name, source, position) for name in outputs):
            return False
        for name in outputs:
            self.aliases.pop(name, None)
            if name != source:
                self.aliases[name] = source
        return True

    def _outlives(self, name: str, source: str, position: int) -> bool:
        """Whether the name's value is read after its source is written again."""
        if name == source:
            return False
        last = self._last_read(name, position)
        rewritten = self._next(self.writes[source], position)
        return last is not None and rewritten is not None and rewritten < last

    def _last_read(self, name: str, position: int) -> int | None:
        """The last layer that reads the value written to the name at this position."""
        reads = self.reads[name]
        overwritten = self._next(self.writes[name], position)
        end = len(reads) if overwritten is None else bisect_right(reads, overwritten)
        return reads[end - 1] if end and reads[end - 1] > position else None

    @staticmethod
    def _next(positions: list[int], position: int) -> int | None:
        index = bisect_right(positions, position)
        return positions[index] if index < len(positions) else None

    def _fold_into_binding(self, position: int, source: str, binding: str) -> bool:
        """Makes the source's writer write the binding, if each name stands for one value in the whole engine."""
        writers = self.writes[source]
        if (
            len(binding) > LONGEST_NAME
            or source in self.bindings
            or source in self.renamed
            or len(writers) != 1
            or writers[0] >= position
        ):
            return False
        if len(self.writes[binding]) != 1 or bisect_left(self.reads[binding], position) > 0:
            return False
        if bisect_right(self.reads[source], writers[0]) > 0:
            return False
        self.renamed[source] = binding
        return True


def _viewed(layer: Layer) -> Tensor | None:
    """The viewed input: the only one, or the only one with the outputs' number of elements."""
    distinct = list({tensor.name: tensor for tensor in layer.inputs}.values())
    if len(distinct) <= 1:
        return distinct[0] if distinct else None
    volumes = {tensor.volume for tensor in layer.outputs}
    if len(volumes) != 1 or None in volumes or any(tensor.volume is None for tensor in distinct):
        return None
    fitting = [tensor for tensor in distinct if tensor.volume in volumes]
    return fitting[0] if len(fitting) == 1 else None


def rewired(layer: Layer, inputs: Sequence[str], outputs: Sequence[str]) -> Layer:
    """The layer with these tensor names and a matching record; the same object if nothing changes."""
    new_inputs, new_outputs = _named(layer.inputs, inputs), _named(layer.outputs, outputs)
    if new_inputs is layer.inputs and new_outputs is layer.outputs:
        return layer
    raw = {
        **layer.raw,
        **_side(layer.raw, "Inputs", layer.inputs, new_inputs),
        **_side(layer.raw, "Outputs", layer.outputs, new_outputs),
    }
    return replace(layer, inputs=new_inputs, outputs=new_outputs, raw=raw)


def _named(tensors: tuple[Tensor, ...], names: Sequence[str]) -> tuple[Tensor, ...]:
    if all(tensor.name == name for tensor, name in zip(tensors, names, strict=True)):
        return tensors
    return tuple(
        tensor if tensor.name == name else replace(tensor, name=name, raw={**tensor.raw, "Name": name})
        for tensor, name in zip(tensors, names, strict=True)
    )


def _side(
    raw: Mapping[str, Any], key: str, before: tuple[Tensor, ...], after: tuple[Tensor, ...]
) -> dict[str, list[Any]]:
    """The record's list with the new names; stored operands, which are no tensors of the layer, stay unchanged."""
    new_names = {str(old.raw.get("Name")): new.name for old, new in zip(before, after, strict=True) if old is not new}
    records = raw.get(key)
    if not new_names or not isinstance(records, list):
        return {}
    renamed = []
    for item in records:
        name = item.get("Name") if isinstance(item, dict) else None
        renamed.append({**item, "Name": new_names[name]} if isinstance(name, str) and name in new_names else item)
    return {key: renamed}
