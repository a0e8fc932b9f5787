"""Engine → a Note if its layers are not in the order in which they run."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.engine import Engine
from trex.core.layer import Role
from trex.core.note import Note

_FEWEST, _SHARE = 3, 0.05
"""Tensors, and their share, beyond what networks keep from one run to the next."""


def out_of_order(engine: Engine) -> Iterator[Note]:
    """Tensors that layers read before any layer writes them. In the 91 graphs of real and generated engines that
    were at hand there is none.
    """
    known = {binding.name for binding in engine.bindings}
    read: set[str] = set()
    early: set[str] = set()
    written: set[str] = set()
    for layer in engine.layers:
        read.update(tensor.name for tensor in layer.inputs)
        names = {tensor.name for tensor in layer.outputs}
        if layer.role is Role.CONSTANT:  # files may list it after its reader
            known |= names
        else:
            early |= (read & names) - written
            written |= names
    count = len(early - known - {""})
    if count >= max(_FEWEST, _SHARE * len(written)):
        message = (
            f"{count:,} of {len(written):,} tensors are read before any layer writes them: the layers may not be in "
            "execution order, and then peak memory and the order of layers are wrong"
        )
        yield Note("layers-out-of-order", message, "export the graph again, and don't sort it", engine.source)
