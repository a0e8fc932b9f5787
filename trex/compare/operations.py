"""Two plans' Charges → OperationChanges and ModuleChanges: what each ONNX operation and module costs on both sides."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

from trex.compare.aligning.alignment import LEAST_SHARE
from trex.compare.aligning.match import Alignment
from trex.compare.charge import FREE, Charges, OperationTime
from trex.compare.operation_weights import is_product
from trex.core.collector import collector_paused
from trex.graph.module_steps import module_steps, shared_steps
from trex.plan.operations import module_of_name

MODULE_DEPTH = 2
NO_MODULE, NOT_CHARGED = "(no module)", "(not charged)"
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+){2,}")
_QUANTIZED = re.compile(r"(?<![a-z])(?:quant|quantized|qat)_")
_ALIKE = {
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
    """One operation of the original model. left, right: its charged times, None where a side names no such operation.

    name: the left's, else the right's. module: the place in the model that either side tells.
    """

    name: str
    kind: str
    module: str
    left: OperationTime | None
    right: OperationTime | None

    @property
    def left_ms(self) -> float | None:
        """None when the left names no such operation, or a layer that holds it was not timed."""
        return None if self.left is None or not self.left.is_known else self.left.ms

    @property
    def right_ms(self) -> float | None:
        return None if self.right is None or not self.right.is_known else self.right.ms

    @property
    def difference_ms(self) -> float | None:
        """Right less left: negative is faster."""
        return None if self.left_ms is None or self.right_ms is None else self.right_ms - self.left_ms

    @property
    def speedup(self) -> float | None:
        """left_ms over right_ms, above 1 when the right is faster; None where one is unknown or zero."""
        return self.left_ms / self.right_ms if self.left_ms and self.right_ms else None

    @property
    def is_free(self) -> bool:
        """True for a view that is fused on every side that names it."""
        return all(side is None or side.rule == FREE for side in (self.left, self.right))


@dataclass(frozen=True, slots=True)
class ModuleChange:
    """name: the first steps of the modules' paths. left_ms, right_ms: operations and boundaries in it; the boundaries'
    part also by itself. operations: how many it holds. is_known: False when a layer in it was not timed.
    """

    name: str
    left_ms: float
    right_ms: float
    left_boundary_ms: float
    right_boundary_ms: float
    operations: int
    is_known: bool = True

    @property
    def difference_ms(self) -> float:
        """Right less left: negative is faster."""
        return self.right_ms - self.left_ms

    @property
    def speedup(self) -> float | None:
        """left_ms over right_ms, above 1 when the right is faster; None where one is unknown or zero."""
        if not self.is_known or self.left_ms <= 0.0 or self.right_ms <= 0.0:
            return None
        return self.left_ms / self.right_ms


def operation_changes(alignment: Alignment, left: Charges, right: Charges) -> tuple[OperationChange, ...]:
    """Every operation of both sides once, in the left's order; what only the right names comes last.

    Operations correspond when their paths in the model are the same; within matched layers, when they have one name, or
    do the same by their names with as many weights, in order, as exporters number the nodes anew when quantizers are
    added; and of what is left, those of one kind (with as many weights first) in one module, then anywhere, in order,
    where both sides have as many.
    """
    with collector_paused():
        return _changes(pairs_of(alignment, left, right), left, right)


def _changes(partner: Mapping[str, str], left: Charges, right: Charges) -> tuple[OperationChange, ...]:
    changes = []
    for name, mine in left.operations.items():
        theirs = right.operations.get(partner.get(name, ""))
        changes.append(OperationChange(name, mine.kind, module_among((mine, theirs)), mine, theirs))
    taken = set(partner.values())
    for name, theirs in right.operations.items():
        if name not in taken:
            changes.append(OperationChange(name, theirs.kind, theirs.module, None, theirs))
    return tuple(changes)


def pairs_of(alignment: Alignment, left: Charges, right: Charges) -> dict[str, str]:
    """{operation on the left: the same on the right}, each at most once."""
    pairing = _Pairing(left, right)
    pairing.by_path()
    at_left, at_right = _by_place(left), _by_place(right)
    for match in alignment.matches:
        if match.is_matched:
            mine = (name for place in match.left for name in at_left.get(place, ()))
            theirs = (name for place in match.right for name in at_right.get(place, ()))
            pairing.within(dict.fromkeys(mine), dict.fromkeys(theirs))
    if alignment.matched_share >= LEAST_SHARE:
        pairing.by_group(lambda each: (module_key(each.module), *_kind(each)))
        pairing.by_group(_kind)
        pairing.by_group(lambda each: (module_key(each.module), _alike(each.kind)))
        pairing.by_group(lambda each: _alike(each.kind))
    return pairing.pairs


class _Pairing:
    """pairs: found so far. Every step looks only at operations that are left."""

    def __init__(self, left: Charges, right: Charges) -> None:
        self.left, self.right = left.operations, right.operations
        self.pairs: dict[str, str] = {}
        self.taken: set[str] = set()

    def by_path(self) -> None:
        """Of one path, but for the words that quantizing puts into it."""
        sides = [_by_one_path(each) for each in (self.left, self.right)]
        for path, name in sides[0].items():
            if path in sides[1]:
                self._put(name, sides[1][path])

    def within(self, mine: Iterable[str], theirs: Iterable[str]) -> None:
        """Of one match: the same name, then the same kind in their order."""
        ours = [name for name in mine if name not in self.pairs]
        others = [name for name in theirs if name not in self.taken]
        both = set(ours) & set(others)
        for name in both:
            self._put(name, name)
        waiting: dict[Hashable, list[str]] = {}
        for name in reversed(others):
            if name not in both:
                waiting.setdefault(_kind(self.right[name]), []).append(name)
        for name in ours:
            if name not in both and (seats := waiting.get(_kind(self.left[name]))):
                self._put(name, seats.pop())

    def by_group(self, key: Callable[[OperationTime], Hashable]) -> None:
        """In their order, where as many of one key are left on both sides."""
        groups: dict[Hashable, tuple[list[str], list[str]]] = {}
        for side, (operations, done) in enumerate(((self.left, self.pairs), (self.right, self.taken))):
            for name, operation in operations.items():
                if name not in done:
                    groups.setdefault(key(operation), ([], []))[side].append(name)
        for mine, theirs in groups.values():
            if len(mine) == len(theirs):
                for pair in zip(mine, theirs, strict=True):
                    self._put(*pair)

    def _put(self, name: str, other: str) -> None:
        self.pairs[name] = other
        self.taken.add(other)


def _by_one_path(operations: Mapping[str, OperationTime]) -> dict[str, str]:
    """{path: name} of the operations that have a path which no other has."""
    found: dict[str, str] = {}
    twice = set()
    for name in operations:
        if "/" in name or _DOTTED.fullmatch(name):
            path = _QUANTIZED.sub("", name.lower())
            if path in found:
                twice.add(path)
            found[path] = name
    return {path: name for path, name in found.items() if path not in twice}


def module_changes(changes: Iterable[OperationChange], left: Charges, right: Charges) -> tuple[ModuleChange, ...]:
    """Operations and boundaries by the first two steps of their modules, the largest difference first; what is not
    charged is a row of its own. The rows' times sum to both sides' layers.
    """
    modules: dict[str, str] = {}
    sums: dict[str, tuple[list[float], list[float], list[float], list[float]]] = {}
    counts: dict[str, int] = {}
    unknown: set[str] = set()

    def seat(key: str) -> tuple[list[float], list[float], list[float], list[float]]:
        return sums.setdefault(key, ([], [], [], []))

    for change in changes:
        key = module_key(change.module)
        counts[key] = counts.get(key, 0) + 1
        for side, place in ((change.left, 0), (change.right, 1)):
            if side is not None:
                modules[f"{place} {side.name}"] = change.module
                seat(key)[place].append(side.ms)
                if not side.is_known:
                    unknown.add(key)
    for place, charges in enumerate((left, right)):
        for boundary in charges.boundaries:
            key = module_key(modules.get(f"{place} {boundary.serves}", "") or boundary.module)
            seat(key)[place].append(boundary.ms or 0.0)
            seat(key)[place + 2].append(boundary.ms or 0.0)
            if boundary.ms is None:
                unknown.add(key)
        for each in charges.uncharged:
            seat(NOT_CHARGED)[place].append(each.ms or 0.0)
            if each.ms is None:
                unknown.add(NOT_CHARGED)
    found = [
        ModuleChange(
            key,
            math.fsum(left_ms),
            math.fsum(right_ms),
            math.fsum(left_boundary_ms),
            math.fsum(right_boundary_ms),
            counts.get(key, 0),
            key not in unknown,
        )
        for key, (left_ms, right_ms, left_boundary_ms, right_boundary_ms) in sums.items()
    ]
    return tuple(sorted(found, key=lambda each: -abs(each.difference_ms)))


def module_key(module: str) -> str:
    """``/layer1/0/conv1`` → ``layer1/0``; the words for none where nothing tells a module."""
    steps = (_QUANTIZED.sub("", step) for step in module_steps(module)[:MODULE_DEPTH])
    return "/".join(steps) or NO_MODULE


def module_among(times: Iterable[OperationTime | None]) -> str:
    """Place in the model of one operation in several engines: as the first tells it whose own name for it does, else
    that of the first layer of a product; of anything else what all layers share that tell one, as it is somewhere near
    what it is fused with. "" where none tells it.
    """
    told = [each for each in times if each is not None and each.module.strip("/")]
    own = [each for each in told if module_of_name(each.name).strip("/")]
    for each in own or [each for each in told if is_product(each.name)]:
        return each.module
    shared = shared_steps(module_steps(each.module) for each in told)
    return "/" + "/".join(shared) if shared else ""


def _by_place(charges: Charges) -> Mapping[int, list[str]]:
    found: dict[int, list[str]] = {}
    for operation in charges.operations.values():
        for place in operation.places:
            found.setdefault(place, []).append(operation.name)
    return found


def _kind(operation: OperationTime) -> tuple[str, int | None]:
    """What it does and, of a product, how many weights it has: two that differ in these are not the same."""
    return _alike(operation.kind), operation.stored


def _alike(kind: str) -> str:
    return _ALIKE.get(kind, kind)
