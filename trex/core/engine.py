"""Engine: layers in execution order, constants, bindings and notes, indexed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from trex.core.layer import Layer, Role
from trex.core.note import Note
from trex.core.tensor import Binding


@dataclass(frozen=True)
class Engine:
    """A TensorRT engine as its inspector describes it, with every layer of every profile, whatever its role.

    verbosity: ``detailed``, ``names`` (built without detailed profiling verbosity) or ``log`` (rows of a build log).
    tensorrt_version: "" if unknown. source: the file it came from.
    """

    layers: tuple[Layer, ...]
    bindings: tuple[Binding, ...] = ()
    name: str = ""
    source: str = ""
    verbosity: str = "detailed"
    tensorrt_version: str = ""
    notes: tuple[Note, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[Layer, ...]]:
        """Layers of each name, in execution order (a name may repeat)."""
        return _grouped((layer.name, layer) for layer in self.layers)

    @cached_property
    def producers(self) -> Mapping[str, tuple[Layer, ...]]:
        """Layers that write a tensor name, in execution order; several if the name is reused."""
        return _grouped((t.name, layer) for layer in self.layers for t in layer.outputs)

    @cached_property
    def consumers(self) -> Mapping[str, tuple[Layer, ...]]:
        """Layers that read a tensor name, in execution order."""
        return _grouped((t.name, layer) for layer in self.layers for t in layer.inputs)

    @cached_property
    def binding_by_name(self) -> Mapping[str, Binding]:
        return {binding.name: binding for binding in self.bindings}

    @cached_property
    def constants(self) -> tuple[Layer, ...]:
        return tuple(layer for layer in self.layers if layer.role is Role.CONSTANT)

    @cached_property
    def profiles(self) -> tuple[int, ...]:
        """The optimization profiles that have layers, ascending; empty for an engine without layers."""
        return tuple(sorted({layer.profile for layer in self.layers}))

    def for_profile(self, profile: int) -> Engine:
        """The part of the engine that runs under one optimization profile.

        A Constant is stored once for all profiles: those of another profile whose tensors this one reads are included.
        """
        if self.profiles == (profile,):
            return self
        own = [layer for layer in self.layers if layer.profile == profile]
        read = {tensor.name for layer in own for tensor in layer.inputs}
        read.difference_update(tensor.name for layer in own for tensor in layer.outputs)
        layers = []
        for layer in self.layers:
            if layer.profile == profile:
                layers.append(layer)
            elif layer.role is Role.CONSTANT and not read.isdisjoint(
                stored := {tensor.name for tensor in layer.outputs}
            ):
                layers.append(replace(layer, profile=profile))
                read -= stored
        return self.with_layers(layers)

    def with_layers(self, layers: Iterable[Layer]) -> Engine:
        """The same engine with other layers and new indexes."""
        return replace(self, layers=tuple(layers))


def _grouped(pairs: Iterable[tuple[str, Layer]]) -> Mapping[str, tuple[Layer, ...]]:
    groups: dict[str, list[Layer]] = {}
    for key, layer in pairs:
        group = groups.get(key)
        if group is None:
            groups[key] = [layer]
        elif group[-1] is not layer:
            group.append(layer)
    return {key: tuple(group) for key, group in groups.items()}
