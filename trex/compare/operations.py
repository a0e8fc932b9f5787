"""What each ONNX operation and each module costs in several engines, whatever it was fused with."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from trex.compare.layer_times import ComparedTimes, ratio
from trex.compare.matching.match import LEAST_SHARE, Alignment
from trex.compare.operation_times import VIEW, OperationTime, OperationTimes
from trex.compare.operation_weights import is_gemm
from trex.core.collector import collector_paused
from trex.graph.module_steps import module_steps, shared_steps
from trex.plan.operations import module_of_name

MODULE_DEPTH = 2
NO_MODULE, NOT_ATTRIBUTED = "(no module)", "(not attributed)"
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+){2,9999}")
_QUANTIZED = re.compile(r"(?<![a-z])(?:quant|quantized|qat)_")
_SYNONYMS = {
    "globalaveragepool": "pool",
    "averagepool": "pool",
    "globalmaxpool": "pool",
    "maxpool": "pool",
    "gemm": "matmul",
    "linear": "matmul",
    "conv2d": "conv",
    "convolution": "conv",
    "biasadd": "add",
    "clip": "relu",
}


@dataclass(frozen=True, slots=True)
class OperationChange:
    """One operation of the original model. left, right: its times, None if an engine does not name it.

    name: the left's, else the right's. module: its place in the model, from either side.
    """

    name: str
    kind: str
    module: str
    left: OperationTime | None
    right: OperationTime | None

    @property
    def left_ms(self) -> float | None:
        """None if the left does not name the operation or a layer that contains it was not timed."""
        return None if self.left is None or not self.left.is_known else self.left.ms

    @property
    def right_ms(self) -> float | None:
        return None if self.right is None or not self.right.is_known else self.right.ms

    @property
    def difference_ms(self) -> float | None:
        """Right minus left: negative is faster."""
        return None if self.left_ms is None or self.right_ms is None else self.right_ms - self.left_ms

    @property
    def speedup(self) -> float | None:
        """Left over right time, above 1 if the right is faster. None if a time is unknown or zero."""
        return ratio(self.left_ms, self.right_ms)

    @property
    def is_view(self) -> bool:
        """Whether it is a fused view in every engine that names it."""
        return all(side is None or side.rule == VIEW for side in (self.left, self.right))


@dataclass(frozen=True, slots=True)
class ModuleChange(ComparedTimes):
    """name: the first steps of the modules' paths. left_ms, right_ms: its operations and the conversions before them;
    left_conversions_ms, right_conversions_ms: only these. operations: how many. is_known: False if a layer was not
    timed.
    """

    name: str
    left_ms: float
    right_ms: float
    left_conversions_ms: float
    right_conversions_ms: float
    operations: int
    is_known: bool = True


def operation_changes(alignment: Alignment, left: OperationTimes, right: OperationTimes) -> tuple[OperationChange, ...]:
    """Every operation of both sides once, in the left's order; those that only the right names come last.

    Operations are paired by equal paths in the model; within matched layers by name, else by operator and weight count,
    in order, since exporters renumber nodes when quantizers are inserted; and the rest by operator (first with equal
    weight counts) in one module, then anywhere, in order, if both sides have equally many.
    """
    with collector_paused():
        pairs = pairs_of(alignment, left, right)
        changes = []
        for name, time in left.operations.items():
            other = right.operations.get(pairs.get(name, ""))
            changes.append(OperationChange(name, time.kind, module_among((time, other)), time, other))
        paired = set(pairs.values())
        for name, other in right.operations.items():
            if name not in paired:
                changes.append(OperationChange(name, other.kind, other.module, None, other))
        return tuple(changes)


def pairs_of(alignment: Alignment, left: OperationTimes, right: OperationTimes) -> dict[str, str]:
    """{operation on the left: the same on the right}, each at most once."""
    pairing = _OperationPairing(left, right)
    pairing.by_path()
    names_of_left, names_of_right = _names_by_layer(left), _names_by_layer(right)
    for match in alignment.matches:
        if match.is_matched:
            names = (name for index in match.left for name in names_of_left.get(index, ()))
            others = (name for index in match.right for name in names_of_right.get(index, ()))
            pairing.within(dict.fromkeys(names), dict.fromkeys(others))
    if alignment.matched_share >= LEAST_SHARE:
        pairing.by_group(lambda time: (module_key(time.module), *_kind(time)))
        pairing.by_group(_kind)
        pairing.by_group(lambda time: (module_key(time.module), _synonym(time.kind)))
        pairing.by_group(lambda time: _synonym(time.kind))
    return pairing.pairs


class _OperationPairing:
    """pairs: those found until now. Every step looks only at unpaired operations."""

    def __init__(self, left: OperationTimes, right: OperationTimes) -> None:
        self.left, self.right = left.operations, right.operations
        self.pairs: dict[str, str] = {}
        self.paired_right: set[str] = set()

    def by_path(self) -> None:
        """Equal paths, ignoring the words that quantization tools insert."""
        sides = [_unique_paths(operations) for operations in (self.left, self.right)]
        for path, name in sides[0].items():
            if path in sides[1]:
                self._pair(name, sides[1][path])

    def within(self, names: Iterable[str], others: Iterable[str]) -> None:
        """In one match: equal names, then equal operators in order."""
        unpaired = [name for name in names if name not in self.pairs]
        unpaired_right = [name for name in others if name not in self.paired_right]
        equal = set(unpaired) & set(unpaired_right)
        for name in equal:
            self._pair(name, name)
        waiting: dict[Hashable, list[str]] = {}
        for name in reversed(unpaired_right):
            if name not in equal:
                waiting.setdefault(_kind(self.right[name]), []).append(name)
        for name in unpaired:
            if name not in equal and (candidates := waiting.get(_kind(self.left[name]))):
                self._pair(name, candidates.pop())

    def by_group(self, key: Callable[[OperationTime], Hashable]) -> None:
        """In order, if both sides have equally many unpaired operations with a key."""
        groups: dict[Hashable, tuple[list[str], list[str]]] = {}
        for side, (operations, paired) in enumerate(((self.left, self.pairs), (self.right, self.paired_right))):
            for name, operation in operations.items():
                if name not in paired:
                    groups.setdefault(key(operation), ([], []))[side].append(name)
        for names, others in groups.values():
            if len(names) == len(others):
                for name, other in zip(names, others, strict=True):
                    self._pair(name, other)

    def _pair(self, name: str, other: str) -> None:
        self.pairs[name] = other
        self.paired_right.add(other)


def _unique_paths(operations: Mapping[str, OperationTime]) -> dict[str, str]:
    """{path: name} of the operations whose path is unique."""
    names: dict[str, str] = {}
    repeated = set()
    for name in operations:
        if "/" in name or _DOTTED.fullmatch(name):
            path = _QUANTIZED.sub("", name.lower())
            if path in names:
                repeated.add(path)
            names[path] = name
    return {path: name for path, name in names.items() if path not in repeated}


@dataclass
class ModuleTimes:
    """Per engine the times of a module's operations and of the conversions before them. untimed: engines in which a
    layer was not timed. operations: how many.
    """

    times: list[list[float]]
    conversions: list[list[float]]
    untimed: set[int] = field(default_factory=set)
    operations: int = 0

    def add(self, engine: int, ms: float | None, *, is_conversion: bool = False) -> None:
        self.times[engine].append(ms or 0.0)
        if is_conversion:
            self.conversions[engine].append(ms or 0.0)
        if ms is None:
            self.untimed.add(engine)

    def ms(self, engine: int) -> float | None:
        """None if the engine has nothing there or did not time a part of it."""
        times = self.times[engine]
        return math.fsum(times) if times and engine not in self.untimed else None


def module_times(
    operations: Iterable[tuple[str, Sequence[OperationTime | None]]], engines: Sequence[OperationTimes]
) -> dict[str, ModuleTimes]:
    """Operations and conversions by the first two steps of their modules. What is not attributed is a row of its own,
    so that the rows add up to each engine's layer times.

    operations: (module, one time per engine).
    """
    rows: dict[str, ModuleTimes] = {}
    module_of: list[dict[str, str]] = [{} for _ in engines]

    def row(key: str) -> ModuleTimes:
        if key not in rows:
            rows[key] = ModuleTimes([[] for _ in engines], [[] for _ in engines])
        return rows[key]

    for module, times in operations:
        key = module_key(module)
        row(key).operations += 1
        for engine, time in enumerate(times):
            if time is not None:
                module_of[engine][time.name] = module
                row(key).add(engine, time.ms)
                if not time.is_known:
                    row(key).untimed.add(engine)
    for engine, parts in enumerate(engines):
        for conversion in parts.conversions:
            module = module_of[engine].get(conversion.serves, "") or conversion.module
            row(module_key(module)).add(engine, conversion.ms, is_conversion=True)
        for layer in parts.unattributed:
            row(NOT_ATTRIBUTED).add(engine, layer.ms)
    return rows


def module_changes(
    changes: Iterable[OperationChange], left: OperationTimes, right: OperationTimes
) -> tuple[ModuleChange, ...]:
    """The modules of two engines, the largest difference first."""
    rows = module_times(((change.module, (change.left, change.right)) for change in changes), (left, right))
    modules = [
        ModuleChange(
            key,
            math.fsum(row.times[0]),
            math.fsum(row.times[1]),
            math.fsum(row.conversions[0]),
            math.fsum(row.conversions[1]),
            row.operations,
            not row.untimed,
        )
        for key, row in rows.items()
    ]
    return tuple(sorted(modules, key=lambda module: -abs(module.difference_ms)))


def module_key(module: str) -> str:
    """``layer1/0`` for ``/layer1/0/conv1``; NO_MODULE if the module is unknown."""
    steps = (_QUANTIZED.sub("", step) for step in module_steps(module)[:MODULE_DEPTH])
    return "/".join(steps) or NO_MODULE


def module_among(times: Iterable[OperationTime | None]) -> str:
    """The module of one operation in several engines, "" if unknown.

    The first one that comes from the operation's own name; else, for a GEMM, that of its first layer; else what all
    layers share, since the operation is near whatever it is fused with.
    """
    known = [time for time in times if time is not None and time.module.strip("/")]
    own = [time for time in known if module_of_name(time.name).strip("/")]
    for time in own or [time for time in known if is_gemm(time.name)]:
        return time.module
    shared = shared_steps(module_steps(time.module) for time in known)
    return "/" + "/".join(shared) if shared else ""


def _names_by_layer(times: OperationTimes) -> Mapping[int, list[str]]:
    names: dict[int, list[str]] = {}
    for operation in times.operations.values():
        for index in operation.indexes:
            names.setdefault(index, []).append(operation.name)
    return names


def _kind(operation: OperationTime) -> tuple[str, int | None]:
    """The operator and, for a GEMM, its weight count."""
    return _synonym(operation.kind), operation.weight_count


def _synonym(kind: str) -> str:
    return _SYNONYMS.get(kind, kind)
