"""DataFrame → DataFrame: grouped, stacked, reordered and cleaned for display. Arguments are never changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from trex.core.tensor import Tensor
from trex.ingest.graph_json import layers_from_raw
from trex.plan.attributes import ATTRIBUTES, hashable
from trex.plan.columns import COLUMN_BY_NAME
from trex.plan.dataframe import build_frame, row_records, select_columns

COUNT = "count"
FIRST_COLUMNS = (
    "Name",
    "type",
    "Inputs",
    "Outputs",
    "latency.avg_time",
    "latency.pct_time",
    "total_footprint_bytes",
    "tactic",
)
# Columns about how a row was read, not about the layer.
BOOKKEEPING = ("subtype", "TacticValue", "precision", "total_io_size_bytes")
BOOKKEEPING_PREFIXES = ("layer.", "precision.")


def counted(df: pd.DataFrame, by: str | Sequence[str]) -> pd.DataFrame:
    """Number of rows per value of ``by`` (or combination of values), sorted by it, in the column ``count``."""
    names, groups = _groups(df, by, ())
    return _in_order(groups.size().reset_index(name=COUNT), names)


def summed(df: pd.DataFrame, by: str | Sequence[str], values: str | Sequence[str]) -> pd.DataFrame:
    """Sums of the known values per group; NaN for a group without known values."""
    wanted = _names(values)
    names, groups = _groups(df, by, wanted)
    return _in_order(groups[wanted].sum(min_count=1).reset_index(), names)


def averaged(df: pd.DataFrame, by: str | Sequence[str], values: str | Sequence[str]) -> pd.DataFrame:
    """Means of the known values per group."""
    wanted = _names(values)
    names, groups = _groups(df, by, wanted)
    return _in_order(groups[wanted].mean().reset_index(), names)


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _groups(df: pd.DataFrame, by: str | Sequence[str], values: Sequence[str]) -> tuple[list[str], Any]:
    names = _names(by)
    keys = {name: _keys(df[name]) if df[name].dtype == object else df[name] for name in names}
    table = pd.DataFrame({**keys, **{name: df[name] for name in values if name not in keys}}, index=df.index)
    return names, table.groupby(names, dropna=False, sort=False)


def _keys(column: pd.Series) -> pd.Series:
    return pd.Series([group_key(value) for value in column], index=column.index, dtype=object)


def group_key(value: Any) -> Hashable:
    """A hashable value: lists become tuples, other unhashable values their text."""
    key: Hashable = hashable(value)
    try:
        hash(key)
    except TypeError:
        return str(key)
    return key


def _in_order(table: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    result: pd.DataFrame = table.sort_values(names, key=_sortable, kind="stable", ignore_index=True)
    return result


def _sortable(column: pd.Series) -> pd.Series:
    return column.where(column.isna(), column.astype(str)) if column.dtype == object else column


def stacked(dicts: Sequence[Mapping[Any, Any]], empty: Any = 0) -> dict[Any, list[Any]]:
    """{key: its value in each dict, or ``empty``}; keys in order of first appearance."""
    keys = dict.fromkeys(key for mapping in dicts for key in mapping)
    return {key: [mapping.get(key, empty) for mapping in dicts] for key in keys}


def totals(df: pd.DataFrame, names: str, values: str) -> dict[Any, Any]:
    """{name: value}; the values of a repeated name add up."""
    sums: dict[Any, Any] = {}
    for name, value in zip(df[names].map(group_key), df[values], strict=True):
        sums[name] = sums[name] + value if name in sums else value
    return sums


def reordered(df: pd.DataFrame) -> pd.DataFrame:
    """The frame with its ``FIRST_COLUMNS`` first."""
    front = [name for name in FIRST_COLUMNS if name in df.columns]
    return select_columns(df, front + [name for name in df.columns if name not in front])


def without(df: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """The frame without these columns, which may be missing."""
    unwanted = set(columns)
    return select_columns(df, [name for name in df.columns if name not in unwanted])


def tensor_text(tensor: Tensor) -> str:
    """``FP16 NHWC8``: type and layout; only the type if the layout is unknown."""
    layout = f" {tensor.format.label}" if tensor.format.is_known else ""
    return tensor.precision + layout


def row_as_record(row: pd.Series) -> dict[str, Any]:
    """Raw layer record of a row of ``plan.df``: name, kind and tensors."""
    tensors = {key: row[key] if isinstance(row.get(key), list) else [] for key in ("Inputs", "Outputs")}
    return {"Name": str(row.get("Name", "")), "LayerType": str(row.get("subtype", row.get("type", ""))), **tensors}


def tensors_of(inputs: Any, outputs: Any) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Typed tensors of a row's ``Inputs`` and ``Outputs`` cells; empty for a cell without records."""
    record = {
        "Name": "row",
        "LayerType": "Row",  # a type of Myelin, in lower case, would have weights among its inputs
        "Inputs": inputs if isinstance(inputs, list) else [],
        "Outputs": outputs if isinstance(outputs, list) else [],
    }
    (layer,) = layers_from_raw([record])
    return layer.inputs, layer.outputs


def with_readable_tensors(df: pd.DataFrame, text: Callable[[Tensor], str] = tensor_text) -> pd.DataFrame:
    """A copy with ``Inputs`` and ``Outputs`` as text, type and layout per tensor: ``FP16 NHWC8, FP16 NCHW``."""
    readable: pd.DataFrame = df.copy()
    known: dict[str, str] = {}
    for name in ("Inputs", "Outputs"):
        if name in df.columns:
            texts = [_tensors_text(cell, text, known) for cell in df[name]]
            readable[name] = pd.Series(texts, index=df.index, dtype=object)
    return readable


def _tensors_text(cell: Any, text: Callable[[Tensor], str], known: dict[str, str]) -> Any:
    """known: the texts of records by all that they contain but the name; reading a record takes most of the time."""
    if not isinstance(cell, list):
        return cell
    texts = []
    for record in cell:
        key = repr(
            {name: value for name, value in record.items() if name != "Name"} if type(record) is dict else record
        )
        if key not in known:
            known[key] = ", ".join(map(text, tensors_of([record], [])[0]))
        texts.append(known[key])
    return ", ".join(filter(None, texts))


def cleaned(df: pd.DataFrame) -> pd.DataFrame:
    """A copy with readable tensors, without the record columns that ``attr.*`` columns replace."""
    keys = {key for table in ATTRIBUTES.values() for key in table}
    return without(with_readable_tensors(df), keys)


def for_display(df: pd.DataFrame) -> pd.DataFrame:
    """A cleaned copy with the main columns first, without bookkeeping columns."""
    unwanted = {*BOOKKEEPING, *(n for n in df.columns if isinstance(n, str) and n.startswith(BOOKKEEPING_PREFIXES))}
    return without(reordered(cleaned(df)), unwanted)


def from_raw_frame(df: pd.DataFrame) -> pd.DataFrame:
    """The frame with declared columns of a frame of raw layer records (one key per column), with the same index.

    Other columns (such as a merged latency) stay unchanged. A frame that already has ``type`` and ``subtype`` is
    copied.
    """
    built: pd.DataFrame
    if {"type", "subtype"} <= set(df.columns):
        built = df.copy()
        return built
    names = [name for name in df.columns if isinstance(name, str) and name not in COLUMN_BY_NAME]
    names += [
        name for name in ("Name", "Inputs", "Outputs", "StreamId", "TacticValue", "Metadata") if name in df.columns
    ]
    records = row_records(df, [(name, name) for name in names])
    built = build_frame(layers_from_raw(records)).set_axis(df.index)
    for name in df.columns:
        if name not in names:
            built[name] = df[name]
    return built
