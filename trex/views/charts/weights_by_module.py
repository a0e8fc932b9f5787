"""Stored weights by module and layer, as areas colored by precision.

What it shows: where the engine's size is, and which large weights are still in a wide type.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, column, known_note, layer_indexes, texts
from trex.views.palette import PRECISION_COLORS
from trex.views.plot import Empty, Plot, Tree


def make(subject: Subject) -> Plot | Empty:
    frame = subject.frame
    if frame.empty:
        return NO_LAYERS
    sizes = column(frame, "weights_size")
    if not (sizes > 0).any():
        return Empty("no layer tells of stored weights", "export the graph of an engine built with detailed verbosity")
    modules = frame["layer.module"].tolist() if "layer.module" in frame else [""] * len(frame)
    paths = [
        (module if isinstance(module, str) and module else "(no module)", f"{name} (layer {place})")
        for place, (module, name) in enumerate(zip(modules, texts(frame, "Name"), strict=True))
    ]
    return Tree(
        "Weights by module",
        paths,
        sizes.tolist(),
        "bytes",
        "treemap",
        keys=texts(frame, "precision"),
        key_title="precision",
        note=known_note(sizes, "has weights of unknown size", "have weights of unknown size"),
        layers=layer_indexes(frame),
        colors=PRECISION_COLORS,
    )


CHART = Chart("Weights by module", "memory", 80, make)
