"""Operators of a layer → bytes of the constants they read: the stored weights of a layer whose record lists none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.operator import Operator

if TYPE_CHECKING:
    from trex.perf.work.operand import Count

_NARROW_BITS = 8
REASON = "stored weights are the model's constants, floats in the type that the layer computes in"


def model_weights_bytes(
    operators: Sequence[Operator], counted: Mapping[int, Count], model: Model, data_type: DataType
) -> int | None:
    """Bytes of the distinct constants that the operators read; None if unknown.

    Floats count in data_type, that of the layer, since the builder converts them; types of eight bits and less stay as
    in the model (they were quantized on purpose); other integers are shapes, axes and indexes, which no kernel reads.
    Constants that only other constants depend on are used up at build time. Unknown are: selected rows of a table,
    tables of unknown size, floats of a layer of unknown type.

    counted: each operator's work by its index.
    """
    total = 0
    seen: set[str] = set()
    for operator in operators:
        if all(name in model.constants for name in operator.outputs if name):
            continue
        for name in operator.inputs:
            if name in seen or name not in model.constants:
                continue
            seen.add(name)
            value = model.values.get(name)
            if value is None or value.data_type.bits is None:
                return None
            is_narrow = value.data_type.bits <= _NARROW_BITS and value.data_type is not DataType.BOOL
            if not is_narrow and not value.data_type.is_float:
                continue
            size = (value.data_type if is_narrow else data_type).size_bytes(value.count)
            if size is None or not counted[operator.index].reads_all:
                return None
            total += size
    return total
