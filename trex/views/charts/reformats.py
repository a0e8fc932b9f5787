"""Charts of Reformat layers: where they come from, what they take, what they convert."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from trex.core.layer import REFORMATS
from trex.plan.attributes import frame_by_type
from trex.plan.frames import tensor_text, tensors_of
from trex.views.chart import Chart, Subject
from trex.views.charting import (
    SUM_OF_TIMES,
    TIME,
    cells,
    count_and_time,
    grouped_bars,
    layer_bars,
    layer_indexes,
    no_layers_of,
    numbers,
)
from trex.views.plot import Axis, Empty, Pies, Plot

if TYPE_CHECKING:
    import pandas as pd


def _reformats(subject: Subject) -> pd.DataFrame:
    """Rows of all types of reformats with their ``attr.*`` columns; where the file has no origin, it is the type."""
    import pandas as pd

    tables = [_rows_of(subject, type_) for type_ in sorted(REFORMATS)]
    rows: pd.DataFrame = pd.concat([table for table in tables if len(table)] or tables[:1])
    rows = rows[~rows.index.duplicated()].sort_index()
    return rows


def _rows_of(subject: Subject, type_: str) -> pd.DataFrame:
    plan = subject.plan
    rows = frame_by_type(subject.frame, type_) if plan is None else plan.get_layers_by_type(type_)
    return rows if "attr.origin" in rows else rows.assign(**{"attr.origin": type_})


def _draw(subject: Subject, plot: Callable[[Subject, pd.DataFrame], Plot | Empty]) -> Plot | Empty:
    rows = _reformats(subject)
    return no_layers_of("Reformat") if rows.empty else plot(subject, rows)


def _origins(subject: Subject, rows: pd.DataFrame) -> Plot:
    return Pies(count_and_time(rows, "attr.origin"))


def _times(subject: Subject, rows: pd.DataFrame) -> Plot | Empty:
    return layer_bars(rows, TIME, by="attr.origin")


def _conversions(subject: Subject, rows: pd.DataFrame) -> Plot:
    rows = rows.assign(conversion=_conversion_texts(subject, rows))
    if numbers(rows, TIME).notna().any():
        return grouped_bars(rows, "conversion", SUM_OF_TIMES, TIME)
    return grouped_bars(rows, "conversion", Axis("layers"))


def _conversion_texts(subject: Subject, rows: pd.DataFrame) -> list[str]:
    """Per row ``FP32 NCHW → INT8 NC/4HW4``: type and layout of the first input and the first output."""
    layer_of = {layer.index: layer for layer in subject.plan.working_layers} if subject.plan is not None else {}
    layers = [layer_of.get(index) for index in layer_indexes(rows)]
    if layers and None not in layers:
        pairs = [(layer.inputs, layer.outputs) for layer in layers if layer is not None]
    else:
        pairs = [tensors_of(*record) for record in zip(cells(rows, "Inputs"), cells(rows, "Outputs"), strict=True)]
    return [" → ".join(tensor_text(side[0]) if side else "Unknown" for side in pair) for pair in pairs]


_classic = partial(Chart, group="reformats", is_classic=True)

CHARTS = (
    _classic(
        "reformat-origins",
        "Reformats by origin",
        "Shows why TensorRT added reformats: at bindings, between formats (REFORMAT), around plugins, for slices and "
        "concatenations, for Q/DQ.",
        partial(_draw, plot=_origins),
    ),
    _classic(
        "reformat-latency",
        "Reformat latency",
        "Shows which reformats take most time.",
        partial(_draw, plot=_times),
    ),
    _classic(
        "reformat-conversions",
        "Reformats by conversion",
        "Time by conversion from one type and layout to another; without a profile, the number of layers.",
        partial(_draw, plot=_conversions),
    ),
)
