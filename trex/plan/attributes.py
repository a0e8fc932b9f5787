"""Layers of one type → ``attr.*`` columns, with the costs of convolutions and GEMMs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from trex.core.layer import Layer
from trex.core.shape import Shape
from trex.core.timings import LayerTime
from trex.ingest.spelling.shapes import read_shape
from trex.plan.columns import COLUMN_BY_NAME, COVERED_KEYS, NAN
from trex.plan.dataframe import as_series, record_columns, row_records, typed_array
from trex.plan.gemm import CONVOLUTION_TYPES, Gemm, gemm_of, gemm_of_record, is_matmul, is_product
from trex.plan.listed_operands import CONSTANTS, CORRELATION, DECONVOLUTION, filter_of, product_type

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


def attribute_name(key: str) -> str:
    """``WindowSize`` → ``attr.window_size``, ``NbOperations`` → ``attr.n_operations``."""
    words = [word.lower() for word in _WORD.findall(key)]
    if words[:1] == ["nb"]:
        words[0] = "n"
    return "attr." + ("_".join(words) or key)


_CONVOLUTION_KEYS = """
    Groups OutMaps Stride Kernel HasBias Activation HasReLU Dilation PaddingMode PrePadding PostPadding HasSparseWeights
    HasResidual Operations NbOperations
"""
_KEYS = {
    "Convolution": _CONVOLUTION_KEYS,
    "Deconvolution": _CONVOLUTION_KEYS,
    "PointWise": "Operations NbOperations NbInputArgs",
    "PointWiseV2": "Operations NbOperations NbInputArgs",
    "Reformat": "Origin",
    "Pooling": "PoolingType WindowSize PaddingMode Stride PrePadding PostPadding",
    "Scale": "Mode Shift Scale Power Activation",
    "Shuffle": "FirstTranspose SecondTranspose Reshape",
    "Resize": "Mode Scales Scale",
    "Slice": "Start Stride Size Mode",
}
# {type: {key of the layer's record: attribute}}. Other types have all their keys, named by attribute_name.
ATTRIBUTES = {kind: {key: attribute_name(key) for key in keys.split()} for kind, keys in _KEYS.items()}
ATTRIBUTES["Convolution"]["HasReLU"] = ATTRIBUTES["Deconvolution"]["HasReLU"] = "attr.has_relu"
ATTRIBUTES["Scale"]["ChannelAxis"] = "attr.ch_axis"
ATTRIBUTES["Resize"] |= {"ResizeMode": "attr.mode", "ResizeScales": "attr.scales"}
ATTRIBUTES["ConvActPool"] = {
    **{f"{prefix}{key}": name for prefix in ("Conv", "Convolution") for key, name in ATTRIBUTES["Convolution"].items()},
    **{f"Pooling{key}": f"attr.pooling_{name[5:]}" for key, name in ATTRIBUTES["Pooling"].items()},
    "PoolingPoolingType": "attr.pooling_type",
}

COST_COLUMNS = (
    "attr.macs",
    "attr.M",
    "attr.N",
    "attr.K",
    "attr.arithmetic_intensity",
    "attr.compute_efficiency",
    "attr.memory_efficiency",
)
# More MACs than a double has come from damaged extents.
_MOST_MACS = sys.float_info.max
_OF_MYELIN = {"convolution": CORRELATION, "deconvolution": DECONVOLUTION}
_BIAS_KEYS = ("Bias", "ConvBias", "ConvolutionBias")


def layers_by_type(
    layers: Sequence[Layer], times: Sequence[LayerTime | None], frame: pd.DataFrame, type_name: str
) -> pd.DataFrame:
    """The frame's rows of one type, with their attributes as ``attr.*`` columns; empty if there is no such layer.

    type_name: a *type* (``Convolution``, ``gemm``), otherwise a *subtype* (``CaskConvolution``), ignoring case
    without an exact match; ``MatMul`` matches every spelling of a matrix multiplication, ``Convolution`` and
    ``Deconvolution`` those of Myelin (``correlation``, ``deconv``) in an engine without the former, each also fused
    with other operations.
    frame: built from ``layers``. Its column ``layer.index`` identifies the rows, so it may be filtered, sorted and
    extended; without this column it must have one row per layer.
    Attributes come from the layers. Convolutions and GEMMs also have ``attr.macs, attr.M, attr.N, attr.K,
    attr.arithmetic_intensity, attr.compute_efficiency, attr.memory_efficiency`` (see ``cost_columns``). Lists become
    tuples, so that columns can be grouped. Unknown values are NaN.
    """
    wanted = set(rows_of_type(map(_kind, layers), type_name))
    rows, positions = _rows_of(frame, layers, wanted)
    picked = [layers[position] for position in positions]
    table = _without_empty_record_columns(frame.iloc[rows])
    records = [layer.raw for layer in picked]
    table = _with(table, attribute_columns(records, [(layer.type, layer.subtype) for layer in picked]))
    table = _with_filters(table, picked)
    if not any(map(_has_cost, picked)) and not _names_costly_type(type_name):
        return table
    costs = cost_columns(
        [gemm_of(layer) for layer in picked],
        [NAN if (size := layer.total_footprint_bytes) is None else size for layer in picked],
        [NAN if (time := times[position]) is None else time.average_ms for position in positions],
    )
    return _with(table, costs)


def frame_by_type(frame: pd.DataFrame, type_name: str) -> pd.DataFrame:
    """``layers_by_type`` without the layers: attributes come from the frame's record columns (``Kernel``, …).

    Myelin's GEMMs have NaN: the frame's ``Inputs`` do not contain their stored operands.
    """
    kinds = list(zip(frame["type"], frame["subtype"] if "subtype" in frame else frame["type"], strict=True))
    rows = list(rows_of_type(kinds, type_name))
    table = _without_empty_record_columns(frame.iloc[rows])
    kinds = [kinds[row] for row in rows]
    table = _with(table, attribute_columns(_records(table), kinds))
    if not any(kind in CONVOLUTION_TYPES for kind, _ in kinds) and not _names_costly_type(type_name):
        return table
    return with_costs(table)


def with_costs(table: pd.DataFrame) -> pd.DataFrame:
    """A copy of a table of convolutions with the cost columns, from its ``attr.*`` or record columns.

    Costs are NaN unless ``Inputs`` and ``Outputs`` are records.
    """
    records = _records(table)
    kinds = table.get("type", ["Convolution"] * len(table))
    subtypes = table.get("subtype", kinds)
    gemms = [
        gemm_of_record(kind, subtype, record, _first_shape(record, "Inputs"), _first_shape(record, "Outputs"))
        for kind, subtype, record in zip(kinds, subtypes, records, strict=True)
    ]
    unknown = [NAN] * len(table)
    size, time_ms = table.get("total_footprint_bytes", unknown), table.get("latency.avg_time", unknown)
    return _with(table, cost_columns(gemms, size, time_ms))


def cost_columns(
    gemms: Sequence[Gemm | None], size_bytes: Iterable[Any], average_ms: Iterable[Any]
) -> dict[str, np.ndarray]:
    """Costs of the GEMMs, NaN if unknown.

    attr.macs: MACs (1 MAC = 2 FLOPs). attr.M, attr.N, attr.K: see ``Gemm``.
    attr.arithmetic_intensity: MACs / bytes of inputs, outputs and weights, each in its own type (the roofline model of
    Williams, Waterman and Patterson, in MACs).
    attr.compute_efficiency: MACs / average ms. attr.memory_efficiency: bytes / average ms.
    """
    none = (NAN, NAN, NAN, NAN)
    rows = [none if p is None or p.macs > _MOST_MACS else (p.macs, p.m, p.n, p.k) for p in gemms]
    numbers = np.array(rows, dtype="float64").reshape(len(rows), 4)
    size, time_ms = _positive(size_bytes), _positive(average_ms)
    macs = numbers[:, 0]
    with np.errstate(over="ignore", under="ignore"):  # times such as 1e-320 ms
        values = (*numbers.T, macs / size, macs / time_ms, size / time_ms)
    return dict(zip(COST_COLUMNS, values, strict=True))


def attribute_columns(records: Sequence[Mapping[str, Any]], kinds: Sequence[tuple[str, str]]) -> dict[str, np.ndarray]:
    """``attr.*`` columns of the records. kinds: (type, subtype) per row. A table's columns always exist."""
    tables = {kind: ATTRIBUTES.get(kind[0]) or ATTRIBUTES.get(kind[1]) for kind in set(kinds)}
    named: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for record, kind in zip(records, kinds, strict=True):
        table = tables[kind]
        if table is None:
            for key in record:
                if key not in names and key not in COVERED_KEYS and key != CONSTANTS:
                    names[key] = attribute_name(key)
            named.append({names[key]: hashable(value) for key, value in record.items() if key in names})
            continue
        row = {name: hashable(record[key]) for key, name in table.items() if key in record}
        if kind[0] in CONVOLUTION_TYPES:
            _complete(row, record)
        named.append(row)
    columns = record_columns(named)
    for table in tables.values():
        for name in (table or {}).values():
            columns.setdefault(name, [NAN] * len(records))
    return {name: typed_array(columns[name]) for name in _in_table_order(columns, tables.values())}


def rows_of_type(kinds: Iterable[tuple[str, str]], type_name: str) -> Iterable[int]:
    """Positions of the layers that a type name matches; see ``layers_by_type``."""
    listed = [(str(kind), str(subtype)) for kind, subtype in kinds]
    name, lowered = str(type_name), str(type_name).lower()
    myelin = _OF_MYELIN.get(lowered, "")
    matches: tuple[Callable[[str, str], bool], ...] = (
        lambda kind, subtype: kind == name,
        lambda kind, subtype: subtype == name,
        lambda kind, subtype: kind.lower() == lowered,
        lambda kind, subtype: subtype.lower() == lowered,
        lambda kind, subtype: is_matmul(lowered, "") and is_matmul(kind, subtype),
        lambda kind, subtype: bool(myelin) and myelin in (kind, subtype),
    )
    rows = ([row for row, pair in enumerate(listed) if is_match(*pair)] for is_match in matches)
    return next(filter(None, rows), [])


def hashable(value: Any) -> Any:
    """Lists as tuples, recursively; other values unchanged."""
    if type(value) is not list:
        return value
    return tuple([hashable(item) if type(item) is list else item for item in value])


def _kind(layer: Layer) -> tuple[str, str]:
    """(type, subtype), the latter that of the product in a kernel that Myelin fused."""
    product = product_type(layer)
    return layer.type, layer.subtype if product == layer.type else product


def _with_filters(table: pd.DataFrame, layers: Sequence[Layer]) -> pd.DataFrame:
    """The table with the attributes of Myelin's convolutions that follow from the shape of their filter."""
    filters = [filter_of(layer) for layer in layers]
    if not any(filters):
        return table
    none = (NAN, NAN, NAN)
    rows = [none if one is None else (one.groups, one.window, one.maps) for one in filters]
    names = ("attr.groups", "attr.kernel", "attr.out_maps")
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return _with(table, {name: typed_array(list(values)) for name, values in columns})


def _complete(row: dict[str, Any], record: Mapping[str, Any]) -> None:
    """Adds missing HasBias and HasReLU from the bias count and the activation."""
    if "attr.has_bias" not in row:
        bias = next((record[key] for key in _BIAS_KEYS if key in record), None)
        count = bias.get("Count") if isinstance(bias, dict) else None
        if isinstance(count, int):
            row["attr.has_bias"] = int(count > 0)
    if "attr.has_relu" not in row and isinstance(row.get("attr.activation"), str):
        row["attr.has_relu"] = int(row["attr.activation"] == "RELU")


def _in_table_order(columns: Iterable[str], tables: Iterable[Mapping[str, str] | None]) -> list[str]:
    order = {name: index for table in tables for index, name in enumerate((table or {}).values())}
    return sorted(columns, key=lambda name: order.get(name, len(order)))


def _has_cost(layer: Layer) -> bool:
    return is_product(product_type(layer), layer.subtype)


def _names_costly_type(type_name: str) -> bool:
    return type_name in CONVOLUTION_TYPES or is_matmul(str(type_name), "")


def _rows_of(frame: pd.DataFrame, layers: Sequence[Layer], wanted: set[int]) -> tuple[list[int], list[int]]:
    """(rows of the frame, positions of their layers), for the wanted positions that the frame contains."""
    if "layer.index" not in frame:
        if len(frame) != len(layers):
            raise ValueError("the frame has neither the column 'layer.index' nor one row per layer")
        both = sorted(wanted)
        return both, both
    position_of = {layers[position].index: position for position in wanted}
    pairs = [(row, position_of[index]) for row, index in enumerate(frame["layer.index"]) if index in position_of]
    return [row for row, _ in pairs], [position for _, position in pairs]


def _without_empty_record_columns(table: pd.DataFrame) -> pd.DataFrame:
    empty = table.isna().all()
    gone = [name for name in table.columns if empty[name] and name not in COLUMN_BY_NAME]
    kept: pd.DataFrame = table.drop(columns=gone)
    return kept


def _with(table: pd.DataFrame, columns: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """A copy of the table with these columns replaced or appended."""
    kept = table.drop(columns=[name for name in columns if name in table])
    added = {name: as_series(values).set_axis(table.index) for name, values in columns.items()}
    result: pd.DataFrame = pd.concat([kept, pd.DataFrame(added, index=table.index)], axis=1)
    result.attrs.update(table.attrs)
    return result


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """One record per row with the layers' own keys; ``attr.*`` columns replace missing keys."""
    present = [name for name in table.columns if isinstance(name, str)]
    keys = [(name, name) for name in present if name in ("Inputs", "Outputs") or name not in COLUMN_BY_NAME]
    for kind in ("Convolution", "ConvActPool"):
        keys += [(name, key) for key, name in ATTRIBUTES[kind].items() if name in table and key not in table]
    return row_records(table, keys)


def _first_shape(record: Mapping[str, Any], key: str) -> Shape | None:
    tensors = record.get(key)
    if not isinstance(tensors, list) or not tensors or not isinstance(tensors[0], dict):
        return None
    return read_shape(tensors[0].get("Dimensions"))


def _positive(values: Iterable[Any]) -> np.ndarray:
    """Positive numbers; other values become NaN."""
    numbers = pd.to_numeric(pd.Series(list(values), dtype=object), errors="coerce").to_numpy(dtype="float64")
    return np.where(numbers > 0, numbers, np.nan)
