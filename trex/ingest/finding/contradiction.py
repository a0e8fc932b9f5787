"""Whether a log is of another engine: its layers, or its inputs and outputs, are not those of the graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trex.core.counted import counted
from trex.core.engine import Engine
from trex.ingest.logs.log_run import LogRun

LEAST_SHARED = 0.05
"""Of the layers of the side with fewer. Our choice: builds of one model share most names, whatever the precision."""
LEAST_LAYERS = 3
"""With fewer layers their names prove nothing."""


def contradiction(engine: Engine, run: LogRun) -> str:
    """Why the run is of another engine than the graph; "" if it may be of this one.

    Layers decide; names of inputs and outputs, which are often ``x`` or ``input``, where one side has no layers.
    """
    layers = _names(run.raw_layers or run.layer_rows or ())
    if run.layer_times:
        layers |= {record.name for record in run.layer_times.records}
    own_layers = {layer.name for layer in engine.layers} | _names(layer.raw for layer in engine.layers)
    if min(len(layers), len(own_layers)) >= LEAST_LAYERS:
        shared = len(layers & own_layers)
        is_same = shared >= LEAST_SHARED * min(len(layers), len(own_layers))
        return "" if is_same else f"{shared} of its {counted(len(layers), 'layer')} are in the graph"
    ends = _names(run.bindings) or {tensor.name for tensor in run.io_tensors}
    own_ends = {binding.name for binding in engine.bindings}
    if not ends or not own_ends or ends & own_ends:
        return ""
    return f"its inputs and outputs are {_listed(ends)}, the engine's {_listed(own_ends)}"


def _names(records: Iterable[Any]) -> set[str]:
    """Of records, or of names alone."""
    named = (record.get("Name") if isinstance(record, dict) else record for record in records)
    return {name for name in named if isinstance(name, str) and name}


def _listed(names: set[str]) -> str:
    first = sorted(names)[:3]
    return ", ".join(map(repr, first)) + (" …" if len(names) > len(first) else "")
