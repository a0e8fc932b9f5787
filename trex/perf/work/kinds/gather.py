"""Gather and embedding: rows of a table are copied by index.

Formula: no operations. Bytes read: the indices and as many values of the table as the output has (at most the whole
table); written: the output.

Source: TensorRT operators reference, Gather.

Does not hold for: indices that select one row often, which caches serve, and rows shorter than a sector of memory.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import FROM_TENSORS, layer_work, output_volume
from trex.perf.work.work import Work

FORMULA = "bytes read = output values in the table's type + indices"


def work(layer: Layer) -> Work:
    values = output_volume(layer)
    read, stored = FROM_TENSORS, FROM_TENSORS
    if values is not None and layer.weights:
        sizes = [_rows(weights.size_bytes, weights.count, values, weights.data_type) for weights in layer.weights]
        stored = None if None in sizes else sum(sizes)  # type: ignore[assignment, arg-type]
    elif values is not None and layer.inputs:
        table, *others = layer.inputs
        rest = {tensor.name: tensor.size_bytes for tensor in others if tensor.name != table.name}
        sizes = [_rows(table.size_bytes, table.volume, values, table.data_type), *rest.values()]
        read = None if None in sizes else sum(sizes)  # type: ignore[assignment, arg-type]
    return layer_work("gather", layer, 0, 0, FORMULA, (("output values", values),), read=read, stored=stored)


def _rows(size: int | None, count: int | None, values: int, data_type) -> int | None:  # type: ignore[no-untyped-def]
    """Bytes of ``values`` values of a table, at most all of it."""
    return size if size is None or count is None or count <= values else data_type.size_bytes(values)


_TYPES = {"gather", "gathernd", "gatherelements", "embedding", "embed", "embeddinglookup"}
KIND = WorkKind(frozenset(_TYPES), work)
