"""Engine → Stored: weights, biases and constants by module, by type and by layer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.layer import Weights
from trex.plan.memory import Bytes, stored_weights

# Deeper modules are not told apart.
_MOST_STEPS = 12
# Types and what they could be narrowed to, as far as bytes go.
_NARROWER = {
    DataType.FP64: ("FP32", 32),
    DataType.FP32: ("FP16 or BF16", 16),
    DataType.FP16: ("FP8 or INT8", 8),
    DataType.BF16: ("FP8 or INT8", 8),
    DataType.FP8: ("FP4 or INT4", 4),
    DataType.INT8: ("FP4 or INT4", 4),
}


@dataclass(slots=True)
class Part:
    """Stored data of one module, type or layer: known bytes added up, how many of unknown size were left out, how many
    layers it is of, and the known bytes by type.
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

    def join(self, other: Part) -> None:
        """Adds what another part holds, which is of other layers."""
        self.known_bytes += other.known_bytes
        self.unknown_count += other.unknown_count
        self.layers += other.layers
        for data_type, size in other.by_type.items():
            self.by_type[data_type] = self.by_type.get(data_type, 0) + size


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What fewer bits would save: of ``size_bytes`` of weights (biases are left as they are) in ``data_type``.

    saved_bytes = Σ (size − ⌈count · bits / 8⌉). Only arithmetic: whether a network keeps its accuracy, or TensorRT
    stores the narrower type, is not known here, and scales of quantization are not counted.
    """

    data_type: DataType
    to: str
    size_bytes: int
    saved_bytes: int


@dataclass(frozen=True, slots=True)
class Stored:
    """modules: {module path: Part with everything below it}; "" is what no module's name tells of. by_layer: positions
    in ``engine.layers`` and their Parts, the largest first. Weights that several layers share are the first one's.
    """

    total: Bytes
    by_type: Mapping[DataType, Part]
    modules: Mapping[str, Part]
    by_layer: tuple[tuple[int, Part], ...]
    narrowings: tuple[Narrowing, ...]

    def main_modules(self) -> list[tuple[str, Part]]:
        """The modules at the first depth at which there are several, the largest first, with "" for what is in none.

        A model's modules often share their first steps (``/model``), which tell nothing.
        """
        children: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.modules:
            if path:
                children[path.rpartition("/")[0]].append(path)
        top = ""
        while len(children[top]) == 1 and children[children[top][0]]:
            only = children[top][0]
            if self.modules[only].layers != sum(self.modules[path].layers for path in children[only]):
                break  # it holds weights itself, beside those of the modules in it
            top = only
        shown = [(path, self.modules[path]) for path in children[top]]
        if "" in self.modules:
            shown.append(("", self.modules[""]))
        return sorted(shown, key=lambda each: -each[1].known_bytes)


def stored_of(engine: Engine) -> Stored:
    """What an engine stores, each value once; linear in its layers."""
    found = stored_weights(engine)
    by_type: defaultdict[DataType, Part] = defaultdict(Part)
    by_layer: defaultdict[int, Part] = defaultdict(Part)
    for position, weights in found:
        by_layer[position].add(weights)
        by_type[weights.data_type].add(weights)
    for data_type, count in Counter(
        kind for _, kind in {(position, each.data_type) for position, each in found}
    ).items():
        by_type[data_type].layers = count
    own: defaultdict[str, Part] = defaultdict(Part)
    for position, part in by_layer.items():
        part.layers = 1
        own[engine.layers[position].module].join(part)
    modules: defaultdict[str, Part] = defaultdict(Part)
    for module, part in own.items():
        for path in _paths(module):
            modules[path].join(part)
    return Stored(
        Bytes(sum(part.known_bytes for part in own.values()), sum(part.unknown_count for part in own.values())),
        dict(sorted(by_type.items(), key=lambda each: -each[1].known_bytes)),
        dict(modules),
        tuple(sorted(by_layer.items(), key=lambda each: -each[1].known_bytes)),
        tuple(_narrowings(weights for _, weights in found)),
    )


def _paths(module: str) -> list[str]:
    """A module and all that it is in: ``/layer1/0`` → ``/layer1``, ``/layer1/0``; "" for none."""
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
    return [Narrowing(each, _NARROWER[each][0], sizes[each], saved[each]) for each in order]
