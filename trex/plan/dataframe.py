"""Layers → DataFrame, column by column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from trex.core.collector import collector_paused
from trex.core.layer import Layer
from trex.core.timings import LayerTime
from trex.plan.columns import COLUMN_BY_NAME, COLUMNS, COVERED_KEYS, NAN, Rows

# Engines have some fifty keys. A damaged file may have one per layer: a column for each would be quadratic.
MAX_RECORD_COLUMNS = 256
OTHER_KEYS = "raw.other"
EXACT_IN_DOUBLE = 2**53


def build_frame(layers: Sequence[Layer], times: Sequence[LayerTime | None] | None = None) -> pd.DataFrame:
    """One row per layer in execution order: the declared columns, then all other keys of the layers' records.

    times: one per layer, None if it was not profiled; None instead of the sequence without a profile. Unknown values
    are NaN. Beyond 256 distinct keys, the rarest are collected as dicts in ``raw.other``.
    Raises ValueError if times and layers differ in number.
    """
    if times is None:
        times = (None,) * len(layers)
    if len(times) != len(layers):
        raise ValueError(f"{len(times)} times for {len(layers)} layers")
    rows = Rows(layers, times)
    with collector_paused():
        data = {column.name: as_array(column.values(rows), column.dtype) for column in COLUMNS}
        for key, values in record_columns([layer.raw for layer in layers], COVERED_KEYS).items():
            data[key if key not in COLUMN_BY_NAME else f"raw.{key}"] = typed_array(values)
        # With one shared index pandas need not compare an index per column.
        index = pd.RangeIndex(len(layers))
        columns = {name: as_series(values, index) for name, values in data.items()}
        result: pd.DataFrame = pd.DataFrame(columns, index=index, copy=False)
    return result


def record_columns(records: Sequence[Mapping[str, Any]], left_out: Iterable[str] = ()) -> dict[str, list[Any]]:
    """{key: one value per record, NaN if it lacks the key}, in order of appearance."""
    skipped = frozenset(left_out)
    if skipped.issuperset(set().union(*records)):
        return {}
    uses = Counter(key for record in records for key in record if key not in skipped)
    kept = {key for key, _ in uses.most_common(MAX_RECORD_COLUMNS)}
    columns: dict[str, list[Any]] = {key: [NAN] * len(records) for key in uses if key in kept}
    if len(uses) > len(kept):
        columns[OTHER_KEYS] = [NAN] * len(records)
    for row, record in enumerate(records):
        for key, value in record.items():
            if key in kept:
                columns[key][row] = value
            elif key not in skipped:
                others = columns[OTHER_KEYS]
                if not isinstance(others[row], dict):
                    others[row] = {}
                others[row][key] = value
    return columns


def row_records(table: pd.DataFrame, keys: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """One record per row from (column, key) pairs, the inverse of ``record_columns``.

    Missing cells have no key. Whole numbers in a float column become int again; tuples become lists.
    """
    records: list[dict[str, Any]] = [{} for _ in range(len(table))]
    for name, key in keys:
        for record, value in zip(records, table[name].tolist(), strict=True):
            if isinstance(value, tuple):
                record[key] = list(value)
            elif isinstance(value, float):
                if value == value:
                    record[key] = int(value) if value.is_integer() else value
            elif value is not None and value is not pd.NA and value is not pd.NaT:
                record[key] = value
    return records


def as_array(values: Sequence[Any], dtype: str) -> np.ndarray:
    """A one-dimensional array with lists, tuples and dicts as single cells."""
    if dtype != "object":
        return np.array(values, dtype=dtype)
    return np.fromiter(values, dtype=object, count=len(values))


def as_series(values: np.ndarray, index: pd.Index | None = None) -> pd.Series:
    """The array as a Series of the same dtype: pandas 3 would make text ``str``, which accepts no other values."""
    result: pd.Series = pd.Series(values, index=index, dtype=values.dtype, copy=False)
    return result


def select_columns(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The table with these columns, in this order."""
    result: pd.DataFrame = table[list(names)]
    return result


def typed_array(values: Sequence[Any]) -> np.ndarray:
    """The narrowest lossless array: int64 if all values are whole numbers, float64 if some are missing.

    Other values stay objects, as do whole numbers beyond the precision of a double.
    """
    kinds = set(map(type, values))
    if kinds == {int} and all(-EXACT_IN_DOUBLE <= value <= EXACT_IN_DOUBLE for value in values):
        return as_array(values, "int64")
    if kinds and kinds <= {int, float} and any(value == value for value in values):
        exact = all(type(value) is float or -EXACT_IN_DOUBLE <= value <= EXACT_IN_DOUBLE for value in values)
        return as_array(values, "float64" if exact else "object")
    return as_array(values, "object")
