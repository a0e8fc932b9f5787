"""Series → Units: layers that must come from one engine together, what they cost in each, the tensors between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from trex.compare.charge import is_conversion, usable_ms
from trex.compare.series import Series
from trex.core.collector import collector_paused
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.plan.engine_plan import EnginePlan
from trex.plan.operations import operation_names


@dataclass(frozen=True, slots=True)
class Link:
    """A tensor from one unit to another in one engine. written, read: as its two ends have it. ms: of the conversions
    on its way, in equal parts where several read what they make.
    """

    engine: int
    written: Tensor
    read: Tensor
    ms: float


@dataclass
class Units:
    """of[engine][place]: the unit of a layer, -1 of a conversion. ms[unit][engine]: of its layers and the conversions
    within; None where a layer was not timed, or the engine has none of it. layers: how many, likewise. links: between
    two units, the earlier first. measured: (bytes read and written, ms) of all conversions where both are known.
    """

    of: list[list[int]]
    ms: list[list[float | None]]
    layers: list[list[int]]
    links: dict[tuple[int, int], list[Link]] = field(default_factory=dict)
    measured: list[tuple[float, float]] = field(default_factory=list)


def units_of(series: Series) -> Units:
    """The units of all engines of a series, in the base's order of execution; linear in layers and tensors."""
    with collector_paused():
        return _units(series)


def _units(series: Series) -> Units:
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

    for engine, comparison in enumerate(series.comparisons, 1):
        for match in comparison.alignment.matches:
            nodes = [place for place in match.left if not flows[0].converts[place]]
            nodes += [starts[engine] + place for place in match.right if not flows[engine].converts[place]]
            for node in nodes[1:]:
                join(nodes[0], node)
    _take_in(flows, starts, root, join)
    return _summed(flows, starts, root)


class _Flow:
    """One plan: which layers convert, and from which layer each input comes, conversions passed over."""

    def __init__(self, plan: EnginePlan) -> None:
        self.plan = plan
        self.layers: tuple[Layer, ...] = plan.layers
        self.converts = [is_conversion(layer, operation_names(layer)) for layer in plan.layers]
        self.edges: list[tuple[int, int, Tensor, Tensor, int]] = []  # writer, reader, as written, as read, conversion
        self.entering: list[tuple[int, int]] = []  # (reader, the last conversion) of what comes from no layer
        self.source: dict[int, tuple[int, Tensor] | None] = {}
        self.above: dict[int, int] = {}
        self._uses: dict[int, int] = {}
        self._read()
        self.shares = self._shared()

    def _read(self) -> None:
        writers: dict[str, tuple[int, Tensor]] = {}
        for place, layer in enumerate(self.layers):
            if self.converts[place]:
                found = next((writers[each.name] for each in layer.inputs if each.name in writers), None)
                if found is not None and self.converts[found[0]]:
                    self.above[place] = found[0]
                    found = self.source[found[0]]
                self.source[place] = found
            else:
                for name, tensor in {each.name: each for each in layer.inputs}.items():
                    if name not in writers:
                        continue
                    writer, written = writers[name]
                    if not self.converts[writer]:
                        self.edges.append((writer, place, written, tensor, -1))
                        continue
                    self._uses[writer] = self._uses.get(writer, 0) + 1
                    if (origin := self.source[writer]) is not None:
                        self.edges.append((origin[0], place, origin[1], tensor, writer))
                    else:
                        self.entering.append((place, writer))
            for tensor in layer.outputs:
                if tensor.name:
                    writers[tensor.name] = (place, tensor)

    def _shared(self) -> dict[int, float]:
        """Per conversion what each reader pays for it and those above it."""
        for place in sorted(self.above, reverse=True):
            self._uses[self.above[place]] = self._uses.get(self.above[place], 0) + self._uses.get(place, 0)
        shares: dict[int, float] = {}
        for place in sorted(self.source):
            own = (usable_ms(self.plan, place) or 0.0) / max(self._uses.get(place, 0), 1)
            shares[place] = own + (shares[self.above[place]] if place in self.above else 0.0)
        return shares

    @property
    def unread(self) -> list[tuple[int | None, float]]:
        """(layer before it, ms) of conversions whose result no layer reads."""
        found = []
        for place, origin in self.source.items():
            if not self._uses.get(place):
                found.append((None if origin is None else origin[0], usable_ms(self.plan, place) or 0.0))
        return found


def _take_in(
    flows: Sequence[_Flow], starts: Sequence[int], root: Callable[[int], int], join: Callable[[int, int], None]
) -> None:
    """Joins units that some engine has no layer of to the unit before them, else behind them."""
    held: dict[int, set[int]] = {}
    for engine, flow in enumerate(flows):
        for place, converts in enumerate(flow.converts):
            if not converts:
                held.setdefault(root(starts[engine] + place), set()).add(engine)

    def is_lone(node: int) -> bool:
        return len(held[root(node)]) < len(flows)

    def take(node: int, other: int) -> None:
        engines = held[root(node)] | held[root(other)]
        join(node, other)
        held[root(node)] = engines

    for engine, flow in enumerate(flows):
        for writer, reader, *_ in flow.edges:
            if is_lone(starts[engine] + reader):
                take(starts[engine] + writer, starts[engine] + reader)
    for engine, flow in enumerate(flows):
        for writer, reader, *_ in reversed(flow.edges):
            if is_lone(starts[engine] + writer):
                take(starts[engine] + writer, starts[engine] + reader)


def _summed(flows: Sequence[_Flow], starts: Sequence[int], root: Callable[[int], int]) -> Units:
    numbers: dict[int, int] = {}
    of: list[list[int]] = []
    for engine, flow in enumerate(flows):
        row = []
        for place, converts in enumerate(flow.converts):
            row.append(-1 if converts else numbers.setdefault(root(starts[engine] + place), len(numbers)))
        of.append(row)
    count = len(flows)
    sums: list[list[list[float]]] = [[[] for _ in range(count)] for _ in numbers]
    layers = [[0] * count for _ in numbers]
    untimed: set[tuple[int, int]] = set()
    units = Units(of, [], layers)
    for engine, flow in enumerate(flows):
        for place, unit in enumerate(of[engine]):
            ms = usable_ms(flow.plan, place)
            if unit < 0:
                layer = flow.layers[place]
                sizes = layer.inputs_size_bytes, layer.outputs_size_bytes
                if ms is not None and sizes[0] is not None and sizes[1] is not None:
                    units.measured.append((float(sizes[0] + sizes[1]), ms))
                continue
            layers[unit][engine] += 1
            sums[unit][engine].append(ms or 0.0)
            if ms is None:
                untimed.add((unit, engine))
        for writer, reader, written, read, conversion in flow.edges:
            one, other = of[engine][writer], of[engine][reader]
            ms = flow.shares[conversion] if conversion >= 0 else 0.0
            if one == other:
                sums[one][engine].append(ms)
            else:
                key = (one, other) if one < other else (other, one)
                units.links.setdefault(key, []).append(Link(engine, written, read, ms))
        for reader, conversion in flow.entering:
            sums[of[engine][reader]][engine].append(flow.shares[conversion])
        for before, ms in flow.unread:
            if numbers:
                sums[0 if before is None else of[engine][before]][engine].append(ms)
    units.ms = [
        [
            math.fsum(part) if layers[unit][engine] and (unit, engine) not in untimed else None
            for engine, part in enumerate(parts)
        ]
        for unit, parts in enumerate(sums)
    ]
    return units
