"""What charts share: bars of layers, sums of groups, products, and the sentences for what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trex.core.counted import counted
from trex.core.shape import shape_text
from trex.plan.attributes import frame_by_type, with_costs
from trex.plan.frames import counted as count_rows
from trex.plan.frames import summed, tensor_text, tensors_of
from trex.plan.gemm import CONVOLUTION_TYPES
from trex.views.chart import Subject
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS
from trex.views.plot import Axis, Bars, Empty, Histogram, Plot, Points, Slices, Tree

if TYPE_CHECKING:
    import pandas as pd

    from trex.core.layer import Layer
    from trex.plan.engine_plan import EnginePlan

NOT_PROFILED = Empty(
    "no layer has a time: the engine was read without a profile",
    "trex process MODEL OUTDIR -p, or trtexec --exportProfile, writes one",
)
NO_LAYERS = Empty("the engine has no layers", "trex doctor PATH tells what was read and what is missing")
NO_PRODUCTS = Empty(
    "no layer tells the sizes of a convolution or matrix product",
    "fused kernels keep them to themselves; --profilingVerbosity=detailed makes the others tell",
)
NO_TRACE = Empty(
    "there is no trace of queries: one time per inference", "trtexec --exportTimes=FILE, or trex process -p, writes one"
)
LAYER_NAMES_ONLY = Empty(
    "no layer tells its place in the model", "names of ONNX nodes as exporters write them (/layer1/conv1/Conv) tell it"
)
MOST_NAMES = 12


def column(rows: pd.DataFrame, name: str) -> pd.Series:
    """The column as numbers; NaN where a cell holds none, or where the table lacks the column."""
    import pandas as pd

    if name not in rows:
        return pd.Series(float("nan"), index=rows.index, dtype="float64")
    return pd.to_numeric(rows[name], errors="coerce").astype("float64")


def texts(rows: pd.DataFrame, name: str) -> list[str]:
    """The column as texts: tuples as ``7×7``, ``Unknown`` where a cell has none."""
    return [_text(cell) for cell in cells(rows, name)]


def cells(rows: pd.DataFrame, name: str) -> list[Any]:
    """The column as it is; None where the table lacks it."""
    return rows[name].tolist() if name in rows else [None] * len(rows)


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell or "Unknown"
    if isinstance(cell, tuple | list):
        return shape_text(tuple(cell)) if all(isinstance(each, int) for each in cell) else str(cell)
    if cell is None or cell != cell:
        return "Unknown"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def known_note(values: pd.Series, one: str, several: str) -> str:
    """``3 layers of 40 are not profiled``, "" when every value is known."""
    missing = int(values.isna().sum())
    return f"{counted(missing, 'layer')} of {len(values)} {one if missing == 1 else several}" if missing else ""


def layer_indexes(rows: pd.DataFrame) -> Sequence[int]:
    """``layer.index`` of every row; empty for a table that has lost the column."""
    return [int(each) for each in rows["layer.index"]] if "layer.index" in rows else ()


def typed_layers(subject: Subject, rows: pd.DataFrame) -> Sequence[Layer]:
    """The plan's layer of every row; empty where there is no plan, or a row's index is none of its."""
    layer_of = {layer.index: layer for layer in subject.plan.layers} if subject.plan is not None else {}
    indexes = layer_indexes(rows)
    return [layer_of[index] for index in indexes] if layer_of.keys() >= set(indexes) else ()


def layers_of(plan: EnginePlan, rows: Sequence[int]) -> Sequence[int]:
    """``layer.index`` of the plan's layers at these places."""
    return [plan.layers[row].index for row in rows]


def colors_for(by: str) -> Mapping[str, str]:
    """The palette for a column."""
    return PRECISION_COLORS if "precision" in by else LAYER_COLORS if by == "type" else {}


def layer_times(subject: Subject, title: str, name: str, axis: Axis, by: str = "type") -> Bars | Empty:
    """One bar per layer of the whole table, by its time."""
    return timed_bars(subject.frame, title, name, axis, by) if len(subject.frame) else NO_LAYERS


def timed_bars(
    rows: pd.DataFrame,
    title: str,
    name: str,
    axis: Axis,
    by: str = "type",
    shade: tuple[str, Axis] | None = None,
    reason: Empty = NOT_PROFILED,
) -> Bars | Empty:
    """One bar per row with a known value, in the table's order.

    by: column that colors them. shade: a column of numbers that colors them instead, with its meaning.
    reason: what is said where no value is known.
    """
    values = column(rows, name)
    known = values.notna()
    if not known.any():
        return reason
    note = known_note(values, "has no known value", "have no known value")
    rows, values = rows[known], values[known]
    told = {each: texts(rows, each) for each in ("type", "precision", by) if each in rows}
    shades = column(rows, shade[0]).tolist() if shade else ()
    return Bars(
        title,
        texts(rows, "Name"),
        values.tolist(),
        Axis("layers in execution order"),
        axis,
        keys=() if shade else texts(rows, by),
        key_title="" if shade else by.removeprefix("attr."),
        shades=shades,
        shade_axis=shade[1] if shade else None,
        shows_names=len(rows) <= MOST_NAMES,
        hover=told,
        note=note,
        layers=layer_indexes(rows),
        colors=colors_for(by),
    )


def grouped_bars(rows: pd.DataFrame, title: str, group: str, values: str | None, axis: Axis, by: str = "") -> Bars:
    """One bar per value of ``group``, the largest first: sums of ``values``, or numbers of rows without any.

    by: a column that divides and colors each bar; else bars have the color of their group.
    """
    names = [group, by] if by else [group]
    table = rows.assign(**{name: texts(rows, name) for name in names})
    if values is None:
        found = count_rows(table, names).rename(columns={"count": "value"})
    else:
        found = summed(table.assign(value=column(table, values)), names, "value")
    total = found.groupby(group)["value"].transform("sum")
    found = found.assign(total=total).sort_values(["total", group], ascending=[False, True], kind="stable")
    found = found[found["value"].notna()]
    key = by or group
    note = "" if values is None else known_note(column(rows, values), "is not profiled", "are not profiled")
    return Bars(
        title,
        found[group].tolist(),
        found["value"].tolist(),
        Axis(group.removeprefix("attr.")),
        axis,
        keys=found[key].tolist(),
        key_title=by,
        note=note,
        colors=colors_for(key),
    )


def shares(rows: pd.DataFrame, title: str, group: str, values: str = "", unit: str = "") -> Slices:
    """A circle of the sums of ``values`` by ``group``, or of the numbers of rows."""
    table = rows.assign(**{group: texts(rows, group)})
    found = summed(table.assign(value=column(table, values)), group, "value") if values else count_rows(table, group)
    return Slices(title, found[group].tolist(), found["value" if values else "count"].tolist(), unit)


def convolution_bars(
    subject: Subject, title: str, name: str, axis: Axis, by: str = "precision", shade: tuple[str, Axis] | None = None
) -> Bars | Empty:
    """One bar per convolution."""
    rows = subject.convolutions
    if rows.empty:
        return no_layers_of("Convolution")
    timed = name == "latency.avg_time" or "efficiency" in name
    return timed_bars(rows, title, name, axis, by, shade, NOT_PROFILED if timed else NO_PRODUCTS)


def no_layers_of(kind: str) -> Empty:
    return Empty(f"the engine has no {kind} layer", "trex summary lists the types that it has")


def rows_of(subject: Subject, kind: str) -> pd.DataFrame:
    """Rows of one type with their ``attr.*`` columns."""
    if subject.plan is not None:
        return subject.plan.get_layers_by_type(kind)
    return frame_by_type(subject.frame, kind)


def layer_sizes(subject: Subject, title: str, name: str, axis: Axis) -> Bars | Empty:
    """One bar per layer, by bytes; layers that are known to have none are left out."""
    if subject.frame.empty:
        return NO_LAYERS
    sizes = column(subject.frame, name)
    return timed_bars(subject.frame[sizes != 0], title, name, axis, reason=_no_sizes(sizes))


def size_histogram(subject: Subject, title: str, name: str, axis: Axis) -> Histogram | Empty:
    """How many layers have how many bytes."""
    sizes = column(subject.frame, name)
    if not sizes.notna().any():
        return NO_LAYERS if subject.frame.empty else _no_sizes(sizes)
    note = known_note(sizes, "is of unknown size", "are of unknown size")
    keys = texts(subject.frame, "type")
    return Histogram(title, sizes.tolist(), axis, keys=keys, key_title="type", note=note, colors=colors_for("type"))


def _no_sizes(sizes: pd.Series) -> Empty:
    if sizes.notna().any():
        return Empty("every layer whose size is known has none of these bytes")
    return Empty(
        "no layer tells the sizes of its tensors", "export the graph of an engine built with detailed verbosity"
    )


def products_of(subject: Subject) -> pd.DataFrame:
    """Rows of convolutions, deconvolutions and matrix products whose sizes are known."""
    import pandas as pd

    if subject.plan is None:
        table = subject.convolutions if "attr.macs" in subject.frame else with_costs(subject.frame)
        return table[column(table, "attr.macs").notna()]
    present = {kind for kind in subject.frame["type"].unique() if isinstance(kind, str)}
    wanted = [kind for kind in (*sorted(CONVOLUTION_TYPES), "conv") if kind in present]
    tables = [
        subject.convolutions if kind == "Convolution" else subject.plan.get_layers_by_type(kind)
        for kind in (*wanted, "MatMul")
    ]
    columns = ["Name", "type", "precision", "layer.index", "latency.avg_time", "total_footprint_bytes"]
    found = [
        table.reindex(columns=[*columns, *(name for name in table.columns if str(name).startswith("attr."))])
        for table in tables
        if len(table) and "attr.macs" in table
    ]
    if not found:
        return pd.DataFrame(columns=[*columns, "attr.macs"])
    table = pd.concat(found).drop_duplicates("layer.index")
    return table[column(table, "attr.macs").notna()]


def product_points(
    subject: Subject,
    title: str,
    names: Sequence[str],
    axes: Sequence[Axis],
    shade: tuple[str, Axis] | None = None,
) -> Points | Empty:
    """One point per product whose values are all known, in the plane or, of three columns, in space."""
    rows = subject.once("products", lambda: products_of(subject))
    if rows.empty:
        return NO_PRODUCTS
    wanted = [*names, shade[0]] if shade else list(names)
    values = {name: column(rows, name) for name in wanted}
    known = column(rows, "attr.macs").notna()
    for each in values.values():
        known &= each.notna()
    if not known.any():
        return NOT_PROFILED
    found = {name: each[known].tolist() for name, each in values.items()}
    rows = rows[known]
    return Points(
        title,
        found[names[0]],
        found[names[1]],
        axes[0],
        axes[1],
        z=found[names[2]] if len(names) > 2 else (),
        z_axis=axes[2] if len(names) > 2 else None,
        texts=texts(rows, "Name"),
        keys=() if shade else texts(rows, "precision"),
        key_title="" if shade else "precision",
        shades=found[shade[0]] if shade else (),
        shade_axis=shade[1] if shade else None,
        note=known_note(known.where(known), "is left out: a value is unknown", "are left out: a value is unknown"),
        layers=layer_indexes(rows),
        colors=PRECISION_COLORS,
    )


def conversion_texts(subject: Subject, rows: pd.DataFrame) -> list[str]:
    """Per row ``FP32 NCHW → INT8 NC/4HW4``: the first input's and the first output's type and layout."""
    layers = typed_layers(subject, rows)
    if layers:
        pairs = [(layer.inputs, layer.outputs) for layer in layers]
    else:
        records = zip(*(cells(rows, name) for name in ("Inputs", "Outputs")), strict=True)
        pairs = [tensors_of(inputs, outputs) for inputs, outputs in records]
    found = []
    for read, written in pairs:
        sides = [tensor_text(tensors[0]) if tensors else "Unknown" for tensors in (read, written)]
        found.append(" → ".join(sides))
    return found


def layer_tree(subject: Subject, title: str, levels: Sequence[str], kind: str) -> Plot | Empty:
    """Average times of layers as parts of parts, by columns; the last level is the layer itself."""
    times = column(subject.frame, "latency.avg_time")
    if not times.notna().any():
        return NOT_PROFILED if len(subject.frame) else NO_LAYERS
    if not (times > 0).any():
        return Empty("every layer that is profiled took no time", "profile with more iterations: --iterations=100")
    columns = [texts(subject.frame, level) for level in levels]
    often = {name for name, count in Counter(columns[-1]).items() if count > 1}
    paths = [
        (*path[:-1], f"{path[-1]} (layer {place})") if path[-1] in often else path
        for place, path in enumerate(zip(*columns, strict=True))
    ]
    return Tree(
        title,
        paths,
        times.tolist(),
        "ms",
        kind,
        keys=texts(subject.frame, "type"),
        key_title="type",
        note=known_note(times, "is not profiled", "are not profiled"),
        layers=layer_indexes(subject.frame),
        colors=LAYER_COLORS,
    )
