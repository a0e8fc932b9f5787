"""Two engines of one model → Against: groups of layers that came from the same operators, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import isfinite, nan
from typing import TYPE_CHECKING

from trex.core.data_type import DataType
from trex.core.frozen import frozen
from trex.core.layer import Layer, Role
from trex.perf.expected import is_predicted
from trex.perf.performance import Performance
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.type_flow import COPIES

if TYPE_CHECKING:
    from trex.rules.analyzed_engine import Inspected

_PREDICTED = 0.4
"""At most so sure is what rests on predicted times of single layers."""


@frozen
class Group:
    """Layers of both engines that share operators. here, there: places in the engine and in its baseline.

    here_ms, there_ms: sums of their times; NaN as soon as one layer that does work has none.
    """

    here: tuple[int, ...]
    there: tuple[int, ...]
    here_ms: float
    there_ms: float

    @property
    def lost_ms(self) -> float:
        """What the engine takes longer; NaN when unknown."""
        return self.here_ms - self.there_ms


class Against:
    """An engine beside its baseline.

    Layers belong together that tell a common operator: an ONNX origin, else an operation of the name, else the name. A
    reformat belongs to the layer that it serves. So a layer that was split, or several that were fused, are one group.
    """

    def __init__(self, seen: Inspected) -> None:
        from trex.rules.analyzed_engine import Inspected

        if seen.baseline is None:
            raise ValueError("there is no baseline")
        self.here = seen
        self.there = Inspected(Performance(seen.baseline))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Those with layers on both sides, in execution order; linear in the layers."""
        parents: dict[str, str] = {}
        sides = [list(_keys(each.layers)) for each in (self.here, self.there)]
        for keys in (key for side in sides for key in side):
            first = _root(parents, keys[0])
            for other in keys[1:]:
                parents[_root(parents, other)] = first
        found: dict[str, tuple[list[int], list[int]]] = {}
        for side, keys_of in enumerate(sides):
            for place, keys in enumerate(keys_of):
                found.setdefault(_root(parents, keys[0]), ([], []))[side].append(place)
        return tuple(
            Group(tuple(here), tuple(there), self._sum(self.here, here), self._sum(self.there, there))
            for here, there in found.values()
            if here and there and self._store_alike(here, there)
        )

    def _sum(self, side: Inspected, places: Sequence[int]) -> float:
        """NaN without any time, and when a layer that does work was not timed."""
        times = self._times[side is self.there]
        total, is_known = 0.0, False
        for place in places:
            ms = times[place]
            if isfinite(ms):
                total, is_known = total + ms, True
            elif side.layers[place].role is Role.KERNEL:
                return nan
        return total if is_known else nan

    @cached_property
    def _times(self) -> tuple[list[float], list[float]]:
        """Of both sides, as plain numbers, which are faster to take one by one."""
        return self.here.times_ms.tolist(), self.there.times_ms.tolist()

    def _store_alike(self, here: Sequence[int], there: Sequence[int]) -> bool:
        """False when both sides store weights and no count of values is common: exporters number operators anew, so
        that ``Conv_34`` may be another one.
        """
        one, other = _stored(self.here, here), _stored(self.there, there)
        return not one or not other or not one.isdisjoint(other)

    @cached_property
    def other_device(self) -> str:
        """``A100 and L4`` when the files name two devices, else ""."""
        names = [each.plan.device_facts.name or "" for each in (self.here, self.there)]
        return " and ".join(names) if all(names) and names[0] != names[1] else ""

    @cached_property
    def is_predicted(self) -> bool:
        """Whether both sides' times were predicted: nothing that they tell was measured."""
        return all(is_predicted(each.plan) for each in (self.here, self.there))

    @cached_property
    def unlike(self) -> str:
        """Why times of both cannot be compared: other devices, a prediction against a measurement; "" if they can."""
        if self.other_device:
            return f"they ran on different devices, {self.other_device}"
        if self.is_predicted or not any(is_predicted(each.plan) for each in (self.here, self.there)):
            return ""
        sides = ("engine", "baseline") if is_predicted(self.here.plan) else ("baseline", "engine")
        return f"not like with like, the {sides[0]} was predicted and the {sides[1]} measured"

    def told(self, finding: Finding) -> Finding:
        """A finding that rests on times of both, as what it is: of predictions a note that says so. Their samples do
        not tell what is real, and their error bars are of whole inferences, none of single layers.
        """
        if not self.is_predicted:
            return finding
        return replace(
            finding,
            message=f"{finding.message} (predicted, not measured)",
            evidence=(*finding.evidence, Evidence("origin of the times", "both predicted, no error bars of layers")),
            proof=f"measured on a GPU: {finding.proof}" if finding.proof else "",
            confidence=min(finding.confidence, _PREDICTED),
            severity=Severity.NOTE,
        )

    @cached_property
    def least_pct(self) -> float:
        """The least difference between the two runs that may be believed, as far as their samples tell; else 1 %."""
        told = [each.performance.reconciliation.verdict.smallest_pct for each in (self.here, self.there)]
        return max([1.0, *(each for each in told if each is not None)])

    @cached_property
    def least_ms(self) -> float:
        """The shortest time of a layer whose share is believed, in either run; 0 without times."""
        told = [each.performance.reconciliation.verdict.smallest_layer_ms for each in (self.here, self.there)]
        return max([0.0, *(each for each in told if each is not None)])

    def is_slower(self, group: Group) -> bool:
        """True when the group takes longer by more than what measuring explains, or is predicted to; False when a time
        is unknown or the times are unlike.
        """
        if self.unlike:
            return False
        lost = group.lost_ms
        return bool(lost > max(self.least_ms, self.least_pct / 100.0 * group.there_ms)) if lost == lost else False

    def loss(self, group: Group) -> dict[int, float]:
        """{layer.index: its part of what the group takes longer}, in proportion to the layers' times; {} if none, and
        where the times are unlike.
        """
        lost = group.lost_ms
        if self.unlike or not lost > 0.0 or not group.here_ms > 0:
            return {}
        return self.here.stake(group.here, min(1.0, lost / group.here_ms))

    def main(self, side: Inspected, places: Sequence[int]) -> int:
        """The place of the layer that a group is about: one with weights, else the longest, else the first."""
        if len(places) == 1:
            return places[0]
        times = self._times[side is self.there]
        return max(
            places,
            key=lambda place: (
                side.layers[place].type not in COPIES,
                any(weights.kind != "bias" for weights in side.layers[place].weights),
                times[place] if isfinite(times[place]) else 0.0,
                -place,
            ),
        )

    def mains(self, group: Group) -> tuple[int, int]:
        return self.main(self.here, group.here), self.main(self.there, group.there)


def kernels(side: Inspected, places: Sequence[int]) -> list[int]:
    """Those that do work of their own: neither views nor copies."""
    return [p for p in places if side.layers[p].role is Role.KERNEL and side.layers[p].type not in COPIES]


def compute_bits(layer: Layer) -> int | None:
    """Width of the type that a layer computes in; None when it is not known, or no type that one multiplies in."""
    kind = layer.compute.data_type
    return kind.bits if kind.is_float or kind in (DataType.INT8, DataType.INT4) else None


def _stored(side: Inspected, places: Sequence[int]) -> frozenset[int]:
    return frozenset(
        weights.count
        for place in places
        for weights in side.layers[place].weights
        if weights.kind != "bias" and weights.count is not None
    )


def _keys(layers: Sequence[Layer]) -> Iterator[tuple[str, ...]]:
    own = {layer.name: _own_keys(layer) for layer in layers}
    for layer in layers:
        yield own.get(layer.name_parts.wraps) or _own_keys(layer)


def _own_keys(layer: Layer) -> tuple[str, ...]:
    return layer.origins or layer.name_parts.operations or (layer.name,)


def _root(parents: dict[str, str], key: str) -> str:
    root = key
    while (parent := parents.get(root, root)) != root:
        root = parent
    while (parent := parents.get(key, key)) != root:
        parents[key] = root
        key = parent
    return root
