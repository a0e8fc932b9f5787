"""Fusion groups of a series: layers that must come from one engine together, their times, and the tensors between them.

Matched layers form a group across all engines, so layers that one engine fuses and another does not are in one group.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from trex.compare.layer_times import layer_ms
from trex.compare.operation_times import only_converts
from trex.compare.series import EngineSeries
from trex.core.collector import collector_paused
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.plan.engine_plan import EnginePlan
from trex.plan.operations import operation_names


@dataclass(frozen=True, slots=True)
class CrossingTensor:
    """A tensor between two groups in one engine. written, read: as its writer and its reader have it. ms: time of the
    conversions in between, split equally among their readers.
    """

    engine: int
    written: Tensor
    read: Tensor
    ms: float


@dataclass
class FusionGroups:
    """group_of[engine][layer]: number of a layer's group, -1 for a conversion. ms[group][engine]: time of its layers
    and the conversions inside; None if a layer was not timed or the engine has none. layers[group][engine]: how many
    layers. crossings: tensors between two groups, the earlier first. measured: (bytes read and written, ms) of all
    conversions with known values.
    """

    group_of: list[list[int]]
    ms: list[list[float | None]]
    layers: list[list[int]]
    crossings: dict[tuple[int, int], list[CrossingTensor]] = field(default_factory=dict)
    measured: list[tuple[float, float]] = field(default_factory=list)


def fusion_groups(series: EngineSeries) -> FusionGroups:
    """The groups of all engines in the base's execution order; linear in layers and tensors."""
    with collector_paused():
        return _groups(series)


def _groups(series: EngineSeries) -> FusionGroups:
    flows = [_Flow(plan) for plan in series.plans]
    starts = [0]
    for flow in flows:
        starts.append(starts[-1] + len(flow.layers))
    parent = list(range(starts[-1]))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    def join(one: int, other: int) -> None:
        one, other = sorted((root(one), root(other)))
        parent[other] = one

    for engine, diff in enumerate(series.comparisons, 1):
        for match in diff.alignment.matches:
            nodes = [index for index in match.left if not flows[0].converts[index]]
            nodes += [starts[engine] + index for index in match.right if not flows[engine].converts[index]]
            for node in nodes[1:]:
                join(nodes[0], node)
    _join_incomplete(flows, starts, root, join)
    numbers: dict[int, int] = {}
    group_of: list[list[int]] = [
        [
            -1 if converts else numbers.setdefault(root(starts[engine] + index), len(numbers))
            for index, converts in enumerate(flow.converts)
        ]
        for engine, flow in enumerate(flows)
    ]
    return _timed(flows, group_of, len(numbers))


class _Flow:
    """One plan: which layers convert, and which layer writes each input, looking through conversions."""

    def __init__(self, plan: EnginePlan) -> None:
        self.plan = plan
        self.layers: tuple[Layer, ...] = plan.working_layers
        self.converts = [only_converts(layer, operation_names(layer)) for layer in plan.working_layers]
        self.edges: list[tuple[int, int, Tensor, Tensor, int]] = []  # writer, reader, written, read, conversion or -1
        self.entering: list[tuple[int, int]] = []  # (reader, last conversion) of tensors without a writer
        self._source: dict[int, tuple[int, Tensor] | None] = {}  # of each conversion
        self._previous: dict[int, int] = {}  # {conversion: the conversion before it}
        self._uses: dict[int, int] = {}
        self._read()
        self.shares = self._shared()

    def _read(self) -> None:
        writers: dict[str, tuple[int, Tensor]] = {}
        for index, layer in enumerate(self.layers):
            if self.converts[index]:
                source = next((writers[tensor.name] for tensor in layer.inputs if tensor.name in writers), None)
                if source is not None and self.converts[source[0]]:
                    self._previous[index] = source[0]
                    source = self._source[source[0]]
                self._source[index] = source
            else:
                for name, tensor in {tensor.name: tensor for tensor in layer.inputs}.items():
                    if name in writers:
                        self._connect(*writers[name], index, tensor)
            for tensor in layer.outputs:
                if tensor.name:
                    writers[tensor.name] = (index, tensor)

    def _connect(self, writer: int, written: Tensor, reader: int, read: Tensor) -> None:
        if not self.converts[writer]:
            self.edges.append((writer, reader, written, read, -1))
            return
        self._uses[writer] = self._uses.get(writer, 0) + 1
        if (origin := self._source[writer]) is not None:
            self.edges.append((origin[0], reader, origin[1], read, writer))
        else:
            self.entering.append((reader, writer))

    def _shared(self) -> dict[int, float]:
        """Per conversion what each of its readers pays for it and for those before it."""
        for index in sorted(self._previous, reverse=True):
            previous = self._previous[index]
            self._uses[previous] = self._uses.get(previous, 0) + self._uses.get(index, 0)
        shares: dict[int, float] = {}
        for index in sorted(self._source):
            own = (layer_ms(self.plan, index) or 0.0) / max(self._uses.get(index, 0), 1)
            shares[index] = own + (shares[self._previous[index]] if index in self._previous else 0.0)
        return shares

    @property
    def unread(self) -> list[tuple[int | None, float]]:
        """(layer before it, ms) of conversions that no layer reads."""
        return [
            (None if origin is None else origin[0], layer_ms(self.plan, index) or 0.0)
            for index, origin in self._source.items()
            if not self._uses.get(index)
        ]


def _join_incomplete(
    flows: Sequence[_Flow], starts: Sequence[int], root: Callable[[int], int], join: Callable[[int, int], None]
) -> None:
    """Joins groups that are missing in some engine to the group before them, else to the one after them."""
    engines_of: dict[int, set[int]] = {}
    for engine, flow in enumerate(flows):
        for index, converts in enumerate(flow.converts):
            if not converts:
                engines_of.setdefault(root(starts[engine] + index), set()).add(engine)

    def is_incomplete(node: int) -> bool:
        return len(engines_of[root(node)]) < len(flows)

    def unite(node: int, other: int) -> None:
        engines = engines_of[root(node)] | engines_of[root(other)]
        join(node, other)
        engines_of[root(node)] = engines

    for engine, flow in enumerate(flows):
        for writer, reader, *_ in flow.edges:
            if is_incomplete(starts[engine] + reader):
                unite(starts[engine] + writer, starts[engine] + reader)
    for engine, flow in enumerate(flows):
        for writer, reader, *_ in reversed(flow.edges):
            if is_incomplete(starts[engine] + writer):
                unite(starts[engine] + writer, starts[engine] + reader)


def _timed(flows: Sequence[_Flow], group_of: list[list[int]], groups: int) -> FusionGroups:
    """The groups with the times of their layers and of the conversions inside and between them."""
    times: list[list[list[float]]] = [[[] for _ in flows] for _ in range(groups)]
    layers = [[0] * len(flows) for _ in range(groups)]
    untimed: set[tuple[int, int]] = set()
    result = FusionGroups(group_of, [], layers)
    for engine, flow in enumerate(flows):
        for index, group in enumerate(group_of[engine]):
            ms = layer_ms(flow.plan, index)
            if group < 0:
                layer = flow.layers[index]
                sizes = layer.inputs_size_bytes, layer.outputs_size_bytes
                if ms is not None and sizes[0] is not None and sizes[1] is not None:
                    result.measured.append((float(sizes[0] + sizes[1]), ms))
                continue
            layers[group][engine] += 1
            times[group][engine].append(ms or 0.0)
            if ms is None:
                untimed.add((group, engine))
        for writer, reader, written, read, conversion in flow.edges:
            one, other = group_of[engine][writer], group_of[engine][reader]
            ms = flow.shares[conversion] if conversion >= 0 else 0.0
            if one == other:
                times[one][engine].append(ms)
            else:
                key = (one, other) if one < other else (other, one)
                result.crossings.setdefault(key, []).append(CrossingTensor(engine, written, read, ms))
        for reader, conversion in flow.entering:
            times[group_of[engine][reader]][engine].append(flow.shares[conversion])
        for before, ms in flow.unread:
            if groups:
                times[0 if before is None else group_of[engine][before]][engine].append(ms)
    result.ms = [
        [
            math.fsum(parts) if layers[group][engine] and (group, engine) not in untimed else None
            for engine, parts in enumerate(row)
        ]
        for group, row in enumerate(times)
    ]
    return result
