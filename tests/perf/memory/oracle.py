"""What is live, found slowly: each value is followed through all layers after its writer."""

from __future__ import annotations

from trex.core.engine import Engine
from trex.core.layer import Role


def live_bytes(engine: Engine) -> list[int]:
    """Bytes live at each layer, by the rules alone: for engines whose NoOps have one input, without host tensors or
    tensors carried from one run to the next, all of known size, each value written by one layer.
    """
    layers = engine.layers
    border = {binding.name for binding in engine.bindings}
    live = [0] * len(layers)
    for writer, layer in enumerate(layers):
        if layer.role in (Role.NOOP, Role.CONSTANT):
            continue
        for tensor in layer.outputs:
            positions = {writer}
            names = {tensor.name: True}  # names that the value goes by, as the layers after its writer run
            given = tensor.name in border
            for position in range(writer + 1, len(layers)):
                after = layers[position]
                reads = [item for item in after.inputs if item.name in names]
                if reads:
                    positions.add(position)
                written = {item.name for item in after.outputs}
                for name in written:
                    names.pop(name, None)
                if reads and after.role is Role.NOOP:
                    names |= dict.fromkeys(written, True)
                    given = given or not written.isdisjoint(border)
            if given:
                continue
            assert tensor.size_bytes is not None
            for position in range(min(positions), max(positions) + 1):
                live[position] += tensor.size_bytes
    return live
