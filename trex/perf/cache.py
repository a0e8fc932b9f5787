"""Cache: how many of a layer's bytes the device's memory moves, and how many the L2 may serve instead.

Every byte of a layer passes through the L2. The memory behind it moves

- all bytes of an input, unless the engine has touched no more than the L2 holds since the input was last written or
  read (its reuse distance): then it may still be in the L2;
- all bytes of stored weights, unless one inference touches no more than the L2 holds: only then can they remain there
  from the previous inference;
- all bytes of outputs, unless the layer touches no more than the L2 holds, which writes back later.

These are the bytes of the roofline. They assume an LRU cache and no other work on the GPU, so a layer may move less,
and many move more. The minimum for any cache is lower: at the start of a kernel the L2 holds at most its capacity C of
the data to be read, and at the end at most C of the data written, so the memory moves at least max(0, read − C) +
max(0, written − C) bytes. A layer that is faster than these contradicts the model.

Source: the reuse (stack) distance of Mattson et al., Evaluation techniques for storage hierarchies (1970). It does not
hold for parts of a tensor (a tile that the next kernel reads while it is cached), for kernels of other streams or
processes in between, and for devices that split their L2 into halves with a copy each (A100, H100).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trex.core.layer import Layer
from trex.perf.work.work import Work

Column = NDArray[np.float64]


def column(values: Sequence[float | None]) -> Column:
    """Values as a column, NaN for None."""
    return np.array(values, dtype=np.float64)


def memory_bytes(layers: Sequence[Layer], works: Sequence[Work], capacity: float | None) -> tuple[Column, Column]:
    """(bytes that the memory moves by the rules above, the minimum) of each layer; NaN if unknown.

    capacity: of the L2 in bytes. None if unknown: then all bytes count, and the minimum is 0.
    """
    read, written = column([w.bytes_read for w in works]), column([w.bytes_written for w in works])
    if capacity is None:
        return read + written, np.where(np.isnan(read + written), np.nan, 0.0)
    least = np.maximum(read - capacity, 0.0) + np.maximum(written - capacity, 0.0)
    touched = np.nan_to_num(read) + np.nan_to_num(written)
    near = column(_near_inputs(layers, touched.tolist(), capacity))
    weights_near = np.zeros_like(read)
    if not np.isnan(read).any() and touched.sum() <= capacity:
        weights_near = np.nan_to_num(column([w.weights_bytes for w in works]))
    far_read = np.maximum(read - near - weights_near, 0.0)
    far_written = np.where((touched <= capacity) & ~np.isnan(written), 0.0, written)
    return far_read + far_written, least


def _near_inputs(layers: Sequence[Layer], touched: Sequence[float], capacity: float) -> list[float]:
    """Bytes of each layer's inputs whose reuse distance the capacity covers."""
    last: dict[str, float] = {}
    result = []
    now = 0.0
    for layer, amount in zip(layers, touched):
        near = 0.0
        seen: set[str] = set()
        for tensor in layer.inputs:
            name = tensor.name
            if name in seen:
                continue
            seen.add(name)
            before = last.get(name)
            size = tensor.size_bytes
            # Reuse distance: everything touched since, and the tensor itself.
            if before is not None and size is not None and now - before + size <= capacity:
                near += size
        now += amount
        for tensor in layer.inputs:
            last[tensor.name] = now
        for tensor in layer.outputs:
            last[tensor.name] = now
        result.append(near)
    return result
