"""What charts share: columns of the table of layers, axes, bars of layers, sums by group, and reasons for no chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from trex.core.shape import shape_text
from trex.plan.attributes import frame_by_type, with_costs
from trex.plan.frames import counted, summed
from trex.plan.gemm import CONVOLUTION_TYPES
from trex.plan.listed_operands import FUSED_PRODUCT, MYELIN_CONVOLUTIONS
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS
from trex.views.plot import Axis, Bars, Empty, Slices

if TYPE_CHECKING:
    from trex.plan.engine_plan import EnginePlan

NOT_PROFILED = Empty(
    "no layer has a time: the engine was loaded without a profile",
    "write one with trtexec --exportProfile=FILE, or with trex process MODEL OUTDIR -p",
)
NO_LAYERS = Empty("the engine has no layers", "trex doctor PATH shows what was read and what is missing")
NO_SIZES = Empty("the sizes of all tensors are unknown", "export the graph of an engine built with detailed verbosity")
NO_GEMMS = Empty(
    "no convolution or GEMM has known sizes",
    "build with --profilingVerbosity=detailed; some fused kernels still do not report sizes",
)

AXES = {
    "latency.avg_time": Axis("average time", "ms"),
    "latency.pct_time": Axis("share of the layers' time", "%"),
    "weights_size": Axis("weights", "bytes"),
    "total_io_size_bytes": Axis("inputs and outputs", "bytes"),
    "total_footprint_bytes": Axis("inputs, outputs and weights", "bytes"),
    "attr.macs": Axis("MACs"),
    "attr.arithmetic_intensity": Axis("MACs per byte"),
    "attr.compute_efficiency": Axis("MACs per ms"),
    "attr.memory_efficiency": Axis("bytes per ms", "bytes"),
    "attr.M": Axis("M"),
    "attr.N": Axis("N"),
    "attr.K": Axis("K"),
}
"""The axis of each column of numbers."""
SUM_OF_TIMES = Axis("sum of average times", "ms")
TIME = "latency.avg_time"
MAX_NAMES = 12
"""Names of more bars are not shown at the axis."""


def numbers(rows: pd.DataFrame, column: str) -> pd.Series:
    """The column as numbers; NaN where a cell holds none, or if the table lacks the column."""
    cells = rows[column] if column in rows else pd.Series(float("nan"), index=rows.index)
    values: pd.Series = pd.to_numeric(cells, errors="coerce").astype("float64")
    return values


def texts(rows: pd.DataFrame, column: str) -> list[str]:
    """The column as texts: tuples as ``7×7``, ``Unknown`` where a cell has none."""
    return [_text(cell) for cell in cells(rows, column)]


def cells(rows: pd.DataFrame, column: str) -> list[Any]:
    """The values of a column; None if the table lacks it."""
    return rows[column].tolist() if column in rows else [None] * len(rows)


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell or "Unknown"
    if isinstance(cell, tuple | list):
        return shape_text(tuple(cell)) if all(isinstance(item, int) for item in cell) else str(cell)
    if cell is None or cell != cell:
        return "Unknown"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def unknown_note(values: pd.Series, state: str = "not profiled") -> str:
    """``3 of 40 layers not profiled``, "" if every value is known."""
    missing = int(values.isna().sum())
    return f"{missing} of {len(values)} layers {state}" if missing else ""


def layer_indexes(rows: pd.DataFrame) -> Sequence[int]:
    """``layer.index`` of every row; empty if the table lacks the column, or some in it: a user's frame."""
    is_known = "layer.index" in rows and rows["layer.index"].notna().all()
    return [int(index) for index in rows["layer.index"]] if is_known else ()


def colors_for(column: str) -> Mapping[str, str]:
    """The palette for the values of a column."""
    return PRECISION_COLORS if "precision" in column else LAYER_COLORS if column == "type" else {}


def layer_bars(
    rows: pd.DataFrame, column: str, by: str = "type", shade: str = "", empty: Empty = NOT_PROFILED
) -> Bars | Empty:
    """One bar per row with a known value, in the table's order.

    by: the column that colors them. shade: a column of numbers that colors them instead. empty: if no value is known.
    """
    values = numbers(rows, column)
    known = values.notna()
    if not known.any():
        return empty
    note = unknown_note(values, "without a known value")
    rows, values = rows[known], values[known]
    return Bars(
        texts(rows, "Name"),
        values.tolist(),
        Axis("layers in execution order"),
        AXES[column],
        keys=() if shade else texts(rows, by),
        key_title="" if shade else by.removeprefix("attr."),
        shades=numbers(rows, shade).tolist() if shade else (),
        shade_axis=AXES[shade] if shade else None,
        shows_names=len(rows) <= MAX_NAMES,
        hover={name: texts(rows, name) for name in ("type", "precision", by) if name in rows},
        note=note,
        layers=layer_indexes(rows),
        colors=colors_for(by),
    )


def grouped_bars(rows: pd.DataFrame, group: str, axis: Axis, column: str = "", by: str = "") -> Bars:
    """One bar per value of ``group``, the largest first: sums of a column, or counts of rows without one.

    by: a column that divides and colors each bar; without it, bars have the color of their group.
    """
    names = [group, by] if by else [group]
    table = rows.assign(**{name: texts(rows, name) for name in names})
    if column:
        sums = summed(table.assign(value=numbers(table, column)), names, "value")
    else:
        sums = counted(table, names).rename(columns={"count": "value"})
    total = sums.groupby(group)["value"].transform("sum")
    sums = sums.assign(total=total).sort_values(["total", group], ascending=[False, True], kind="stable")
    sums = sums[sums["value"].notna()]
    key = by or group
    return Bars(
        sums[group].tolist(),
        sums["value"].tolist(),
        Axis(group.removeprefix("attr.")),
        axis,
        keys=sums[key].tolist(),
        key_title=by,
        note=unknown_note(numbers(rows, column)) if column else "",
        colors=colors_for(key),
    )


def count_and_time(rows: pd.DataFrame, group: str) -> list[Slices]:
    """Two pies: how many layers each value of ``group`` has, and how long they take if any time is known."""
    table = rows.assign(**{group: texts(rows, group)}).assign(time=numbers(rows, TIME))
    counts = counted(table, group)
    pies = [Slices("layers", counts[group].tolist(), counts["count"].tolist())]
    if table["time"].notna().any():
        sums = summed(table, group, "time")
        pies.append(Slices("time", sums[group].tolist(), sums["time"].tolist(), "ms"))
    return pies


def no_layers_of(kind: str) -> Empty:
    return Empty(f"the engine has no {kind} layer", "trex summary lists the types of its layers")


def convolution_rows(frame: pd.DataFrame, plan: EnginePlan | None) -> pd.DataFrame:
    """Rows of convolutions with their ``attr.*`` columns. plan: None for a bare frame, which may have such columns.

    All rows of a bare frame without types count as convolutions.
    """
    if plan is not None:
        rows: pd.DataFrame = plan.get_layers_by_type("Convolution")
        return rows
    if "type" not in frame or any(str(name).startswith("attr.") for name in frame.columns):
        return frame if "attr.macs" in frame.columns else with_costs(frame)
    return frame_by_type(frame, "Convolution")


def gemm_rows(frame: pd.DataFrame, plan: EnginePlan | None, convolutions: pd.DataFrame) -> pd.DataFrame:
    """Rows of convolutions, deconvolutions and matrix products whose sizes are known, with ``attr.*`` columns."""
    if plan is not None:
        rows = _gemms_of_plan(frame, plan, convolutions)
    else:
        rows = convolutions if "attr.macs" in frame else with_costs(frame)
    known: pd.DataFrame = rows[numbers(rows, "attr.macs").notna()]
    return known


_MYELIN = MYELIN_CONVOLUTIONS | {"conv", FUSED_PRODUCT}


def _gemms_of_plan(frame: pd.DataFrame, plan: EnginePlan, convolutions: pd.DataFrame) -> pd.DataFrame:
    columns = ["Name", "type", "precision", "layer.index", TIME, "total_footprint_bytes"]
    present = {kind for kind in frame["type"].unique() if isinstance(kind, str)}
    kinds = (*sorted((CONVOLUTION_TYPES - {"Convolution"}) & present), *sorted(_MYELIN & present), "MatMul")
    tables = [convolutions, *(plan.get_layers_by_type(kind) for kind in kinds)]
    tables = [
        table.reindex(columns=[*columns, *(name for name in table.columns if str(name).startswith("attr."))])
        for table in tables
        if len(table) and "attr.macs" in table
    ]
    rows: pd.DataFrame = pd.concat(tables or [pd.DataFrame(columns=columns)]).drop_duplicates("layer.index")
    return rows
