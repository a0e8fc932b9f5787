"""Stored weights by module and layer, as areas colored by precision."""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, cells, layer_indexes, numbers, texts, unknown_note
from trex.views.palette import PRECISION_COLORS
from trex.views.plot import Empty, Tree


def _draw(subject: Subject) -> Tree | Empty:
    frame = subject.frame
    if frame.empty:
        return NO_LAYERS
    sizes = numbers(frame, "weights_size")
    if not (sizes > 0).any():
        return Empty("no layer has stored weights", "export the graph of an engine built with detailed verbosity")
    paths = [
        (module if isinstance(module, str) and module else "(no module)", f"{name} (layer {row})")
        for row, (module, name) in enumerate(zip(cells(frame, "layer.module"), texts(frame, "Name"), strict=True))
    ]
    return Tree(
        paths,
        sizes.tolist(),
        "bytes",
        "treemap",
        keys=texts(frame, "precision"),
        key_title="precision",
        note=unknown_note(sizes, "with weights of unknown size"),
        layers=layer_indexes(frame),
        colors=PRECISION_COLORS,
    )


CHARTS = (
    Chart(
        "weights-by-module",
        "Weights by module",
        "Shows what makes the engine large, and which large weights still have a wide type.",
        _draw,
        "memory",
    ),
)
