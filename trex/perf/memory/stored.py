"""Engine → Stored: weights, biases and constants, in all and by type."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.layer import Weights
from trex.plan.memory import Bytes, stored_weights

# {type: (narrower type, its bits)}
_NARROWER = {
    DataType.FP64: ("FP32", 32),
    DataType.FP32: ("FP16 or BF16", 16),
    DataType.FP16: ("FP8 or INT8", 8),
    DataType.BF16: ("FP8 or INT8", 8),
    DataType.FP8: ("FP4 or INT4", 4),
    DataType.INT8: ("FP4 or INT4", 4),
}


@dataclass(slots=True)
class StoredBytes:
    """Stored data of one type: the sum of known bytes, the number of tensors of unknown size, the number of layers."""

    known_bytes: int = 0
    unknown_count: int = 0
    layers: int = 0

    def add(self, weights: Weights) -> None:
        """Adds one stored tensor of a layer."""
        if weights.size_bytes is None:
            self.unknown_count += 1
        else:
            self.known_bytes += weights.size_bytes


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Savings of fewer bits: of ``size_bytes`` of weights (biases unchanged) in ``data_type``.

    saved_bytes = Σ (size − ⌈count · bits / 8⌉). Only arithmetic: accuracy, and whether TensorRT stores the narrower
    type, are not considered, and scales of quantization are not counted.
    """

    data_type: DataType
    to: str
    size_bytes: int
    saved_bytes: int


@dataclass(frozen=True, slots=True)
class Stored:
    """by_type: the type with the most bytes first. Weights that several layers share count once."""

    total: Bytes
    by_type: Mapping[DataType, StoredBytes]
    narrowings: tuple[Narrowing, ...]


def stored_of(engine: Engine) -> Stored:
    """The stored data of an engine, each value once; linear in its layers."""
    stored = stored_weights(engine)
    by_type: defaultdict[DataType, StoredBytes] = defaultdict(StoredBytes)
    for _, weights in stored:
        by_type[weights.data_type].add(weights)
    for data_type, count in Counter(
        kind for _, kind in {(position, item.data_type) for position, item in stored}
    ).items():
        by_type[data_type].layers = count
    parts = by_type.values()
    return Stored(
        Bytes(sum(part.known_bytes for part in parts), sum(part.unknown_count for part in parts)),
        dict(sorted(by_type.items(), key=lambda item: -item[1].known_bytes)),
        tuple(_narrowings(weights for _, weights in stored)),
    )


def _narrowings(stored: Iterable[Weights]) -> list[Narrowing]:
    sizes: defaultdict[DataType, int] = defaultdict(int)
    saved: defaultdict[DataType, int] = defaultdict(int)
    for weights in stored:
        target = _NARROWER.get(weights.data_type)
        if target is None or weights.size_bytes is None or weights.kind == "bias":
            continue
        count = weights.count
        bits = target[1]
        narrow = weights.size_bytes // 2 if count is None else -(-count * bits // 8)
        sizes[weights.data_type] += weights.size_bytes
        saved[weights.data_type] += max(0, weights.size_bytes - narrow)
    order = sorted(sizes, key=lambda data_type: -saved[data_type])
    return [Narrowing(data_type, _NARROWER[data_type][0], sizes[data_type], saved[data_type]) for data_type in order]
