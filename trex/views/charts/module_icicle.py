"""Time by the model's modules, from the whole model down to the layer.

What it shows: which part of the model takes the time, in the words of the model: stages, blocks, layers. Click a part
to look into it. Layers without a place in the model stand beside the modules.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import LAYER_NAMES_ONLY, NOT_PROFILED, column, known_note, layer_indexes, texts
from trex.views.palette import LAYER_COLORS
from trex.views.plot import Empty, Plot, Tree


def make(subject: Subject) -> Plot | Empty:
    frame, times = subject.frame, column(subject.frame, "latency.avg_time")
    if not (times > 0).any():
        return NOT_PROFILED
    modules = frame["layer.module"].tolist() if "layer.module" in frame else []
    if not any(isinstance(module, str) and module for module in modules):
        return LAYER_NAMES_ONLY
    names = [f"{name} (layer {place})" for place, name in enumerate(texts(frame, "Name"))]
    paths = [
        (*(step for step in module.split("/") if step), name)
        if isinstance(module, str) and module
        else ("(no module)", name)
        for module, name in zip(modules, names, strict=True)
    ]
    return Tree(
        "Time by module",
        [("model", *path) for path in paths],
        times.tolist(),
        "ms",
        "icicle",
        keys=texts(frame, "type"),
        key_title="type",
        note=known_note(times, "is not profiled", "are not profiled"),
        layers=layer_indexes(frame),
        colors=LAYER_COLORS,
    )


CHART = Chart("Time by module", "performance", 130, make)
