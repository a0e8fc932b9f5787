"""Engine → Stored: weights, biases and constants by module, by type and by layer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.layer import Weights
from trex.plan.memory import Bytes, stored_weights

# Deeper modules are not distinguished.
_MOST_STEPS = 12
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
    """Stored data of one module, type or layer: the sum of known bytes, the number of tensors of unknown size, the
    number of layers, and the known bytes by type.
    """

    known_bytes: int = 0
    unknown_count: int = 0
    layers: int = 0
    by_type: dict[DataType, int] = field(default_factory=dict)

    def add(self, weights: Weights) -> None:
        """Adds one stored tensor of a layer."""
        if weights.size_bytes is None:
            self.unknown_count += 1
        else:
            self.known_bytes += weights.size_bytes
            self.by_type[weights.data_type] = self.by_type.get(weights.data_type, 0) + weights.size_bytes

    def join(self, other: StoredBytes) -> None:
        """Adds the stored data of other layers."""
        self.known_bytes += other.known_bytes
        self.unknown_count += other.unknown_count
        self.layers += other.layers
        for data_type, size in other.by_type.items():
            self.by_type[data_type] = self.by_type.get(data_type, 0) + size


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
    """modules: {module path: StoredBytes with everything below it}; "" for layers without a module. by_layer: positions
    in ``engine.layers`` and their StoredBytes, the largest first. Weights that several layers share count for the first
    one.
    """

    total: Bytes
    by_type: Mapping[DataType, StoredBytes]
    modules: Mapping[str, StoredBytes]
    by_layer: tuple[tuple[int, StoredBytes], ...]
    narrowings: tuple[Narrowing, ...]

    def main_modules(self) -> list[tuple[str, StoredBytes]]:
        """The modules at the first depth with several of them, the largest first, with "" for layers without a
        module.

        A model's modules often share their first steps (``/model``), which carry no information.
        """
        children: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.modules:
            if path:
                children[path.rpartition("/")[0]].append(path)
        top = ""
        while len(children[top]) == 1 and children[children[top][0]]:
            only = children[top][0]
            if self.modules[only].layers != sum(self.modules[path].layers for path in children[only]):
                break  # it has weights of its own, in addition to those of its modules
            top = only
        shown = [(path, self.modules[path]) for path in children[top]]
        if "" in self.modules:
            shown.append(("", self.modules[""]))
        return sorted(shown, key=lambda module: -module[1].known_bytes)


def stored_of(engine: Engine) -> Stored:
    """The stored data of an engine, each value once; linear in its layers."""
    stored = stored_weights(engine)
    by_type: defaultdict[DataType, StoredBytes] = defaultdict(StoredBytes)
    by_layer: defaultdict[int, StoredBytes] = defaultdict(StoredBytes)
    for position, weights in stored:
        by_layer[position].add(weights)
        by_type[weights.data_type].add(weights)
    for data_type, count in Counter(
        kind for _, kind in {(position, item.data_type) for position, item in stored}
    ).items():
        by_type[data_type].layers = count
    own: defaultdict[str, StoredBytes] = defaultdict(StoredBytes)
    for position, part in by_layer.items():
        part.layers = 1
        own[engine.layers[position].module].join(part)
    modules: defaultdict[str, StoredBytes] = defaultdict(StoredBytes)
    for module, part in own.items():
        for path in _paths(module):
            modules[path].join(part)
    return Stored(
        Bytes(sum(part.known_bytes for part in own.values()), sum(part.unknown_count for part in own.values())),
        dict(sorted(by_type.items(), key=lambda item: -item[1].known_bytes)),
        dict(modules),
        tuple(sorted(by_layer.items(), key=lambda item: -item[1].known_bytes)),
        tuple(_narrowings(weights for _, weights in stored)),
    )


def _paths(module: str) -> list[str]:
    """A module and its parents: ``/layer1/0`` → ``/layer1``, ``/layer1/0``; "" for none."""
    steps = [step for step in module.split("/", 4 * _MOST_STEPS) if step][:_MOST_STEPS]
    return ["/" + "/".join(steps[: depth + 1]) for depth in range(len(steps))] or [""]


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
