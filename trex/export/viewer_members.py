"""Folded and closed nodes → columns of the page's data: each layer that a node stands for, with its name and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trex.export.frame import plain_value
from trex.export.graph_facts import finite
from trex.export.viewer_columns import Strings, column, differences, front_coded
from trex.graph.plan_graph import Latency, LayerNode

_MOST_ORIGINS = 20


def members_data(
    nodes: Sequence[LayerNode],
    latency: Latency,
    strings: Strings,
    type_number: Mapping[str, int],
    precision_number: Mapping[str, int],
) -> dict[str, Any]:
    """The layers of all folded and closed nodes in order of execution; ``node`` is the place of the node that has them.

    What all layers of a folded node share (precision and its evidence, tensors, attributes) is written once, with
    the node; type and precision are differences from the node's.
    """
    rows = sorted(
        (
            (layer.index, number, layer, time)
            for number, node in enumerate(nodes)
            if (members := node.several) is not None
            for layer, time in zip(members.layers, members.times)
        ),
        key=lambda one: one[:2],
    )
    own = [nodes[number].layer for _, number, *_ in rows]
    module, tactic, origins = (strings.column(differences=True) for _ in range(3))
    module.extend([plain_value(layer.module) for _, _, layer, _ in rows])
    tactic.extend([plain_value(layer.tactic) for _, _, layer, _ in rows])
    for _, _, layer, _ in rows:
        origins.extend([plain_value(origin) for origin in layer.origins[:_MOST_ORIGINS]])
    average = [finite(time.average_ms) if time else None for *_, time in rows]
    shown = [finite(latency(time)) for *_, time in rows]
    return {
        "node": column(differences([number for _, number, _, _ in rows])),
        "closed": [number for number, node in enumerate(nodes) if node.closed is not None],
        "type": column([type_number[layer.type] - type_number[of.type] for (_, _, layer, _), of in zip(rows, own)]),
        "precision": column(
            [
                precision_number[layer.precision] - precision_number[of.precision]
                for (_, _, layer, _), of in zip(rows, own)
            ]
        ),
        "index": column(differences([index for index, *_ in rows])),
        "name": front_coded([plain_value(layer.name) for _, _, layer, _ in rows]),
        "average": column(average),
        "median": column([finite(time.median_ms) if time else None for *_, time in rows]),
        # Nothing: the average.
        "shown": [] if shown == average else column(shown),
        "stream": column([layer.stream for _, _, layer, _ in rows]),
        "module": module,
        "tactic": tactic,
        "origins": {
            "count": column([len(layer.origins) for _, _, layer, _ in rows]),
            "flat": origins,
            "most": _MOST_ORIGINS,
        },
    }
