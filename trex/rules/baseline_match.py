"""Two engines of one model → BaselineMatch: groups of layers that come from the same operators, with their times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import inf, isfinite, nan

from trex.core.data_type import DataType
from trex.core.frozen import frozen
from trex.core.layer import Layer, Role
from trex.perf.expected import is_predicted
from trex.perf.performance import Performance
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.operators import COPIES

LOSS_FORMULA = "layer time · (1 − time of the group in the baseline / time of the group here)"
_MAX_PREDICTED_CONFIDENCE = 0.4
"""Of findings that rest on predicted times of single layers."""


@frozen
class MatchedLayers:
    """Layers of both engines that share operators. here, there: positions in the engine and in its baseline.

    here_ms, there_ms: sums of their times; NaN as soon as one layer that does work has none.
    """

    here: tuple[int, ...]
    there: tuple[int, ...]
    here_ms: float
    there_ms: float

    @property
    def lost_ms(self) -> float:
        """How much longer the engine takes; NaN if unknown."""
        return self.here_ms - self.there_ms

    @property
    def times(self) -> tuple[Evidence, Evidence]:
        return (
            Evidence("time here", self.here_ms if isfinite(self.here_ms) else None, "ms"),
            Evidence("time in the baseline", self.there_ms if isfinite(self.there_ms) else None, "ms"),
        )


class BaselineMatch:
    """An engine matched with its baseline.

    Layers match that name a common operator: an ONNX origin, else an operation of the name, else the name. A reformat
    belongs to the layer that it serves. So a layer that was split, or several that were fused, are one group.
    """

    def __init__(self, here: Performance, there: Performance, times: tuple[list[float], list[float]]) -> None:
        """times: milliseconds per layer of both, NaN if unknown."""
        self._performances = (here, there)
        self._layers = (here.plan.layers, there.plan.layers)
        self._times = times

    @cached_property
    def groups(self) -> tuple[MatchedLayers, ...]:
        """Groups with layers on both sides, in execution order; linear in the layers."""
        parents: dict[str, str] = {}
        sides = [list(_keys(layers)) for layers in self._layers]
        for keys in (keys for side in sides for keys in side):
            first = _root(parents, keys[0])
            for other in keys[1:]:
                parents[_root(parents, other)] = first
        positions: dict[str, tuple[list[int], list[int]]] = {}
        for side, keys_of in enumerate(sides):
            for position, keys in enumerate(keys_of):
                positions.setdefault(_root(parents, keys[0]), ([], []))[side].append(position)
        return tuple(
            MatchedLayers(tuple(here), tuple(there), self._sum_ms(0, here), self._sum_ms(1, there))
            for here, there in positions.values()
            if here and there and self._may_match(here, there)
        )

    def _sum_ms(self, side: int, positions: Sequence[int]) -> float:
        """NaN without any time, and if a layer that does work was not timed."""
        total, is_known = 0.0, False
        for position in positions:
            ms = self._times[side][position]
            if isfinite(ms):
                total, is_known = total + ms, True
            elif self._layers[side][position].role is Role.KERNEL:
                return nan
        return total if is_known else nan

    def _may_match(self, here: Sequence[int], there: Sequence[int]) -> bool:
        """False if both sides store weights and no count of values is common: exporters renumber operators, so
        ``Conv_34`` may be another one.
        """
        one, other = (_weight_counts(layers, side) for layers, side in zip(self._layers, (here, there)))
        return not one or not other or not one.isdisjoint(other)

    @cached_property
    def other_device(self) -> str:
        """``A100 and L4`` when the files name two devices, else ""."""
        names = [performance.plan.device_facts.name or "" for performance in self._performances]
        return " and ".join(names) if all(names) and names[0] != names[1] else ""

    @cached_property
    def _predicted(self) -> tuple[bool, ...]:
        return tuple(is_predicted(performance.plan) for performance in self._performances)

    @property
    def is_predicted(self) -> bool:
        """Whether the times of both sides are predicted."""
        return all(self._predicted)

    @cached_property
    def not_comparable(self) -> str:
        """Why the times can't be compared: other devices, a prediction against a measurement; "" if they can."""
        if self.other_device:
            return f"they ran on different devices, {self.other_device}"
        if self.is_predicted or not any(self._predicted):
            return ""
        sides = ("engine", "baseline") if self._predicted[0] else ("baseline", "engine")
        return f"the {sides[0]} is predicted and the {sides[1]} measured"

    def qualified(self, finding: Finding) -> Finding:
        """A finding that rests on times of both: if they are predicted, it becomes a note that says so. Samples don't
        apply to predictions, and their error bars are of whole inferences, not of layers.
        """
        if not self.is_predicted:
            return finding
        return replace(
            finding,
            message=f"{finding.message} (predicted, not measured)",
            evidence=(*finding.evidence, Evidence("origin of the times", "both predicted, no error bars of layers")),
            how_to_check=f"measured on a GPU: {finding.how_to_check}" if finding.how_to_check else "",
            confidence=min(finding.confidence, _MAX_PREDICTED_CONFIDENCE),
            severity=Severity.NOTE,
        )

    @cached_property
    def smallest_pct(self) -> float:
        """The smallest difference between the two runs that their samples can show; at least 1 %."""
        verdicts = [performance.reconciliation.verdict for performance in self._performances]
        return max([1.0, *(verdict.smallest_pct for verdict in verdicts if verdict.smallest_pct is not None)])

    @cached_property
    def smallest_ms(self) -> float:
        """The shortest layer time that either run can show; 0 without times."""
        verdicts = [performance.reconciliation.verdict for performance in self._performances]
        return max([0.0, *(verdict.smallest_layer_ms for verdict in verdicts if verdict.smallest_layer_ms is not None)])

    def is_slower(self, group: MatchedLayers) -> bool:
        """Whether the group takes longer by more than the measurement error, or is predicted to; False if a time is
        unknown or the times can't be compared.
        """
        return not self.not_comparable and group.lost_ms > max(
            self.smallest_ms, self.smallest_pct / 100.0 * group.there_ms
        )

    def loss(self, group: MatchedLayers) -> dict[int, float]:
        """{layer.index: its share of what the group takes longer}, by the layers' times (``LOSS_FORMULA``); {} if the
        group is not slower or the times can't be compared.
        """
        if self.not_comparable or not group.lost_ms > 0.0 or not group.here_ms > 0:
            return {}
        share = min(1.0, group.lost_ms / group.here_ms)
        layers, times = self._layers[0], self._times[0]
        return {layers[position].index: times[position] * share for position in group.here if 0 < times[position] < inf}

    def mains(self, group: MatchedLayers) -> tuple[int, int]:
        """The main layer on each side: one with weights, else the longest, else the first."""
        return self._main(0, group.here), self._main(1, group.there)

    def _main(self, side: int, positions: Sequence[int]) -> int:
        if len(positions) == 1:
            return positions[0]
        layers, times = self._layers[side], self._times[side]
        return max(
            positions,
            key=lambda position: (
                layers[position].type not in COPIES,
                any(weights.kind != "bias" for weights in layers[position].weights),
                times[position] if isfinite(times[position]) else 0.0,
                -position,
            ),
        )

    def kernels(self, group: MatchedLayers) -> tuple[list[int], list[int]]:
        """The layers on each side that do work of their own: neither views nor copies."""
        here, there = (
            [p for p in positions if layers[p].role is Role.KERNEL and layers[p].type not in COPIES]
            for layers, positions in zip(self._layers, (group.here, group.there))
        )
        return here, there


def compute_bits(layer: Layer) -> int | None:
    """Width of the type that a layer computes in; None if unknown, or if nothing is multiplied in that type."""
    kind = layer.compute.data_type
    return kind.bits if kind.is_float or kind in (DataType.INT8, DataType.INT4) else None


def _weight_counts(layers: Sequence[Layer], positions: Sequence[int]) -> frozenset[int]:
    return frozenset(
        weights.count
        for position in positions
        for weights in layers[position].weights
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
