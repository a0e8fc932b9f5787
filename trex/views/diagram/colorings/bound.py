"""What bounds a layer on its GPU: tensor cores, CUDA cores, memory, L2 or the launch; gray where it is not known."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.perf.achievable import BOUNDS, Bound
from trex.rules.plan_lint import lint_of
from trex.views.diagram.coloring import SEVERAL, Coloring, Latency, Paint
from trex.views.palette import BOUND_COLORS, UNKNOWN_COLOR

_PAINTS: dict[Bound, Paint] = {
    bound: Paint(BOUND_COLORS[bound.value], bound.value, rank)
    for rank, bound in enumerate(BOUNDS, 1)
    if bound is not Bound.UNKNOWN
}
_UNKNOWN = Paint(UNKNOWN_COLOR, "not known", len(BOUNDS))
_NO_DEVICE = Paint(UNKNOWN_COLOR, "not known: no file names the GPU", len(BOUNDS))
_SEVERAL = replace(SEVERAL, rank=len(BOUNDS) + 1)


def paint(graph: PlanGraph, latency: Latency) -> list[Paint]:
    """By the roofline of the plan that the graph is of, on the GPU that was named, else that the plan's files name."""
    lint = lint_of(graph)
    performance = None if lint is None else lint.performance
    if performance is None or performance.device is None:
        return [_NO_DEVICE] * len(graph.layer_nodes)
    bound_of = {
        layer.index: bound for layer, bound in zip(performance.plan.working_layers, performance.roofline.bounds)
    }
    return [_painted(node, bound_of) for node in graph.layer_nodes]


def _painted(node: LayerNode, bound_of: dict[int, Bound]) -> Paint:
    bounds = Counter(bound_of.get(layer.index, Bound.UNKNOWN) for layer in node.layers)
    if node.closed is not None and len(bounds) > 1:
        return _SEVERAL
    # The repetitions of a folded block may differ, as the first one finds other data in the L2: most of them count.
    return _PAINTS.get(bounds.most_common(1)[0][0], _UNKNOWN)


COLORING = Coloring("Layers by bound", paint)
