"""Time by the model's modules, from the whole model down to the layer."""

from __future__ import annotations

from typing import Any

from trex.graph.module_steps import module_steps
from trex.views.chart import Chart, Subject
from trex.views.charting import NOT_PROFILED, TIME, cells, layer_indexes, numbers, texts, unknown_note
from trex.views.palette import LAYER_COLORS
from trex.views.plot import Empty, Tree

NO_MODULES = Empty(
    "the modules of the layers are unknown", "they come from names of ONNX nodes such as /layer1/conv1/Conv"
)


def _draw(subject: Subject) -> Tree | Empty:
    frame, times = subject.frame, numbers(subject.frame, TIME)
    if not (times > 0).any():
        return NOT_PROFILED
    modules = cells(frame, "layer.module")
    if not any(isinstance(module, str) and module for module in modules):
        return NO_MODULES
    names = [f"{name} (layer {row})" for row, name in enumerate(texts(frame, "Name"))]
    return Tree(
        [("model", *_steps(module), name) for module, name in zip(modules, names, strict=True)],
        times.tolist(),
        "ms",
        "icicle",
        keys=texts(frame, "type"),
        key_title="type",
        note=unknown_note(times),
        layers=layer_indexes(frame),
        colors=LAYER_COLORS,
    )


def _steps(module: Any) -> tuple[str, ...]:
    return module_steps(module) if isinstance(module, str) and module else ("(no module)",)


CHARTS = (
    Chart(
        "module-icicle",
        "Time by module",
        "Shows which part of the model takes the time: stages, blocks, layers. Click a part to zoom in. Layers of no "
        "module have a part of their own.",
        _draw,
        "performance",
    ),
)
