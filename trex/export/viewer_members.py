"""Folded and closed nodes → columns of the page's data: each layer that a node stands for, with its name and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trex.export.frame import plain_value
from trex.export.viewer_columns import Strings, column, differences, front_coded, six_digits
from trex.graph.plan_graph import Latency, LayerNode, Layers

_MOST_ORIGINS = 20


def members_of(node: LayerNode) -> Layers | None:
    """What a node stands for beside or instead of its own layer."""
    return node.folded or node.closed


def members_data(
    nodes: Sequence[LayerNode],
    latency: Latency,
    strings: Strings,
    type_number: Mapping[str, int],
    precision_number: Mapping[str, int],
) -> dict[str, Any]:
    """The layers of all folded and closed nodes in order of execution; ``node`` is the place of the node that has them.

    What is alike in all layers of a folded node (precision and its evidence, tensors, attributes) is said once, with
    the node; type and precision are differences from the node's.
    """
    found = sorted(
        (
            (layer.index, place, layer, time)
            for place, node in enumerate(nodes)
            if (members := members_of(node)) is not None
            for layer, time in zip(members.layers, members.times)
        ),
        key=lambda one: one[:2],
    )
    own = [nodes[place].layer for _, place, *_ in found]
    module, tactic, origins = (strings.column(differences=True) for _ in range(3))
    module.extend([plain_value(layer.module) for _, _, layer, _ in found])
    tactic.extend([plain_value(layer.tactic) for _, _, layer, _ in found])
    for _, _, layer, _ in found:
        origins.extend([plain_value(origin) for origin in layer.origins[:_MOST_ORIGINS]])
    average = [six_digits(time.average_ms) if time else None for *_, time in found]
    shown = [six_digits(latency(time)) for *_, time in found]
    return {
        "node": column(differences([place for _, place, _, _ in found])),
        "closed": [place for place, node in enumerate(nodes) if node.closed is not None],
        "type": column([type_number[each.type] - type_number[of.type] for (_, _, each, _), of in zip(found, own)]),
        "precision": column(
            [
                precision_number[each.precision] - precision_number[of.precision]
                for (_, _, each, _), of in zip(found, own)
            ]
        ),
        "index": column(differences([index for index, *_ in found])),
        "name": front_coded([plain_value(layer.name) for _, _, layer, _ in found]),
        "average": column(average),
        "median": column([six_digits(time.median_ms) if time else None for *_, time in found]),
        # Nothing: the average.
        "shown": [] if shown == average else column(shown),
        "stream": column([layer.stream for _, _, layer, _ in found]),
        "module": module,
        "tactic": tactic,
        "origins": {
            "count": column([len(layer.origins) for _, _, layer, _ in found]),
            "flat": origins,
            "most": _MOST_ORIGINS,
        },
    }
