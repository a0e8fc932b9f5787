"""Roofline: what the numbers of a plan mean — work, rooflines, time and memory — and their columns in ``plan.df``.

NVIDIA's TREx has no such module; it annotates 2-D convolutions with ratios (``trex.annotate_convolutions``). It is not
called as its function ``trex.performance`` is, so that both can be had from ``trex``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from trex.classic.in_place import become
from trex.core.errors import TrexError
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.perf.recognize import find_device
from trex.plan.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Device", "Performance", "add_performance", "find_device", "performance"]

_KEY = "layer.index"


def performance(
    plan: EnginePlan, device: Device | str | os.PathLike[str] | None = None, onnx: str | os.PathLike[str] | None = None
) -> Performance:
    """What the numbers of the plan mean on a device: ``.works``, ``.roofline``, ``.samples``, ``.memory`` …

    device: a Device, the name of a known one, or a file of ``trex devices``; without it the one that the engine's own
    files describe. onnx: the model the engine was built from, unless the plan has it: work of fused layers comes from
    its operators. Raises TrexError for a name that is not known and a file that is no model. Times are in milliseconds,
    sizes in bytes.
    """
    if onnx is not None:
        plan = plan.with_model(onnx)
    if isinstance(device, str | os.PathLike):
        device = find_device(device if isinstance(device, str) else Path(device))
    return Performance(plan, device)


def add_performance(plan: EnginePlan, device: Device | str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Adds the perf.* columns of docs/columns.md to ``plan.df`` and returns it.

    Rows stay as you have them, filtered, sorted or added: values are found by the column ``layer.index``, and a row
    that is no layer of the plan has none. Called again, it replaces its columns. Raises TrexError when ``plan.df`` has
    no longer that column, or for a device that is not known.
    """
    import pandas as pd

    from trex.perf.columns import PERFORMANCE_COLUMNS

    frame = plan.df
    if _KEY not in frame.columns:
        raise TrexError(f"plan.df has no column {_KEY!r}, by which rows are found", "plan.df = plan.new_frame()")
    results = performance(plan, device)
    keys = frame[_KEY].tolist()
    added = {}
    for column in PERFORMANCE_COLUMNS:
        value_of = {layer.index: value for layer, value in zip(plan.working_layers, column.values(results))}
        added[column.name] = pd.Series([value_of.get(key) for key in keys], frame.index, dtype=column.dtype)
    kept = frame[[name for name in frame.columns if name not in added]]
    become(frame, pd.concat([kept, pd.DataFrame(added, frame.index)], axis=1))
    return frame
