"""The kernels of one Myelin region, which TensorRT's graph compiler generated from a part of the network."""

from __future__ import annotations

from trex.graph.plan_graph import LayerNode, PlanGraph


def titles(graph: PlanGraph) -> list[tuple[str, ...]]:
    return [_title(node) for node in graph.layer_nodes]


def _title(node: LayerNode) -> tuple[str, ...]:
    region = node.layer.name_parts.region
    return () if region is None else (f"Myelin region {region}",)


GROUPING = titles
