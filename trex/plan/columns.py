"""The columns of the layers' DataFrame, with dtype, unit, meaning and source."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import add, attrgetter
from typing import Any

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.core.timings import LayerTime

NAN = float("nan")

# Keys of a layer's record that declared columns show; every other key becomes a column with its own name.
COVERED_KEYS = frozenset(
    ("Name", "LayerType", "ParameterType", "TacticName", "TacticValue", "StreamId", "Metadata", "Inputs", "Outputs")
)


@dataclass(frozen=True)
class Rows:
    """Input of the columns: layers in execution order, and their times (None if not profiled)."""

    layers: Sequence[Layer]
    times: Sequence[LayerTime | None]

    @cached_property
    def io_bytes(self) -> list[float]:
        """Bytes of each layer's inputs and outputs, NaN if unknown."""
        return [_known(layer.total_io_size_bytes) for layer in self.layers]

    @cached_property
    def weights_bytes(self) -> list[float]:
        """Bytes of each layer's weights, NaN if unknown."""
        return [_known(layer.weights_size_bytes) for layer in self.layers]


@dataclass(frozen=True, slots=True)
class Column:
    """One declared column.

    dtype: pandas dtype, the same for every engine: ``object`` for text and records, ``float64`` for numbers that may be
    unknown (NaN), ``int64`` for others. unit: "" if there is none. source: origin of the values. values: computes one
    value per row.
    """

    name: str
    dtype: str
    unit: str
    meaning: str
    source: str
    values: Callable[[Rows], list[Any]]


def page() -> str:
    """The columns as a Markdown page."""
    lines = [
        "# Columns of `plan.df`",
        "",
        "One row per layer, in execution order. Unknown numbers are NaN, never 0: sums and means skip them.",
        "Other keys of a layer's JSON record (`Kernel`, `Groups`, `Weights`, …) follow as columns with the same names,",
        "verbatim; `plan.get_layers_by_type(…)` has them typed, as `attr.*` columns.",
        "",
        "| column | dtype | unit | meaning | source |",
        "| --- | --- | --- | --- | --- |",
    ]
    for column in COLUMNS:
        lines.append(f"| `{column.name}` | {column.dtype} | {column.unit} | {column.meaning} | {column.source} |")
    return "\n".join(lines) + "\n"


def tensor_record(tensor: Tensor) -> dict[str, Any]:
    """A copy of the tensor's record with the classic keys: Name, Location, Dimensions, Format/Datatype.

    The name is the layers' name of the tensor; missing keys are added.
    """
    record = tensor.raw.copy()
    record["Name"] = tensor.name
    if "Location" not in record and tensor.location:
        record["Location"] = tensor.location
    if "Dimensions" not in record and tensor.shape is not None:
        record["Dimensions"] = [-1 if dim is None else dim for dim in tensor.shape]
    if "Format/Datatype" not in record:
        record["Format/Datatype"] = tensor.format.text or tensor.precision
    return record


def shares_pct(times: Sequence[LayerTime | None]) -> list[float]:
    """Each row's percentage of the profile's total, from its record.

    Without a percentage in the record, its average over the sum of all averages; NaN for a row without a record.
    """
    known_ms = math.fsum(t.average_ms for t in times if t is not None and t.average_ms is not None)
    return [_share_pct(time, known_ms) for time in times]


def _share_pct(time: LayerTime | None, known_ms: float) -> float:
    if time is None:
        return NAN
    if time.share_pct is not None:
        return time.share_pct
    if time.average_ms is None or not known_ms > 0:
        return NAN
    return 100.0 * time.average_ms / known_ms


def _known(value: float | None) -> float:
    return NAN if value is None else value


def _of_layer(value: Callable[[Layer], Any]) -> Callable[[Rows], list[Any]]:
    return lambda rows: list(map(value, rows.layers))


def _of_time(value: Callable[[LayerTime], float | None]) -> Callable[[Rows], list[Any]]:
    return lambda rows: [NAN if time is None else _known(value(time)) for time in rows.times]


def _output_precision(layer: Layer) -> str:
    return layer.outputs[0].precision if layer.outputs else "Unknown"


def _tactic_id(layer: Layer) -> Any:
    return layer.raw.get("TacticValue", NAN)


COLUMNS: tuple[Column, ...] = (
    Column(
        "Name",
        "object",
        "",
        "Printable name; may repeat",
        "`Name`, with + for separators",
        _of_layer(attrgetter("name")),
    ),
    Column("type", "object", "", "Operation", "`ParameterType`, else `LayerType`", _of_layer(attrgetter("type"))),
    Column("subtype", "object", "", "Implementation", "`LayerType`", _of_layer(attrgetter("subtype"))),
    Column(
        "precision",
        "object",
        "",
        "Type the layer computes in; `Unknown` without evidence",
        "kernel name, weights and tensors, see `precision.evidence`",
        _of_layer(attrgetter("compute.data_type.label")),
    ),
    Column(
        "output_precision",
        "object",
        "",
        "Type of the first output; `Unknown` without one",
        "`Outputs`",
        _of_layer(_output_precision),
    ),
    Column(
        "tactic",
        "object",
        "",
        "Kernel name; `TensorRT` if none is reported",
        "`TacticName`",
        _of_layer(lambda x: x.tactic or "TensorRT"),
    ),
    Column(
        "latency.avg_time",
        "float64",
        "ms",
        "Mean over iterations",
        "profile `averageMs`",
        _of_time(lambda t: t.average_ms),
    ),
    Column(
        "latency.median_time",
        "float64",
        "ms",
        "Median over iterations; NaN before TensorRT 8.4",
        "profile `medianMs`",
        _of_time(lambda t: t.median_ms),
    ),
    Column("latency.time", "float64", "ms", "Sum over iterations", "profile `timeMs`", _of_time(lambda t: t.total_ms)),
    Column(
        "latency.pct_time",
        "float64",
        "%",
        "Share of the profile's total, 0 to 100",
        "profile `percentage`, else from the averages",
        lambda rows: shares_pct(rows.times),
    ),
    Column(
        "total_io_size_bytes",
        "float64",
        "bytes",
        "Inputs and outputs, padding included",
        "shapes, types and formats of `Inputs` and `Outputs`",
        lambda rows: rows.io_bytes,
    ),
    Column(
        "weights_size",
        "float64",
        "bytes",
        "Weights, bias and constants, each in its own type",
        "every `{Type, Count}` and `Constants` of the record; inputs that no layer writes",
        lambda rows: rows.weights_bytes,
    ),
    Column(
        "total_footprint_bytes",
        "float64",
        "bytes",
        "total_io_size_bytes + weights_size",
        "their sum",
        lambda rows: list(map(add, rows.io_bytes, rows.weights_bytes)),
    ),
    Column(
        "Inputs",
        "object",
        "",
        "Records of the tensors read: Name, Location, Dimensions, Format/Datatype",
        "`Inputs`, without stored parameters, views folded",
        lambda rows: [list(map(tensor_record, layer.inputs)) for layer in rows.layers],
    ),
    Column(
        "Outputs",
        "object",
        "",
        "Records of the tensors written",
        "`Outputs`, views folded",
        lambda rows: [list(map(tensor_record, layer.outputs)) for layer in rows.layers],
    ),
    Column(
        "layer.index",
        "int64",
        "",
        "Position in the engine's execution order, over all profiles",
        "order of the file",
        _of_layer(attrgetter("index")),
    ),
    Column(
        "layer.occurrence",
        "int64",
        "",
        "Number of earlier layers with the same name",
        "order of the file",
        _of_layer(attrgetter("occurrence")),
    ),
    Column(
        "layer.profile",
        "int64",
        "",
        "Optimization profile",
        "`[profile N]` in the names",
        _of_layer(attrgetter("profile")),
    ),
    Column(
        "layer.role", "object", "", "kernel, noop, sync, shape …", "`LayerType`", _of_layer(attrgetter("role.value"))
    ),
    Column(
        "layer.fusion",
        "object",
        "",
        "Kind of fusion: none, vertical, pointwise, foreign, myelin …",
        "grammar of the name",
        _of_layer(attrgetter("name_parts.fusion")),
    ),
    Column(
        "layer.origins",
        "object",
        "",
        "Names of its ONNX nodes",
        "`Metadata`",
        _of_layer(attrgetter("origins")),
    ),
    Column(
        "layer.module",
        "object",
        "",
        "Module in the model's module tree",
        "ONNX node names",
        _of_layer(attrgetter("module")),
    ),
    Column(
        "precision.confidence",
        "float64",
        "0 to 1",
        "Confidence of `precision`: 1 from the file, 0 unknown",
        "`precision.evidence`",
        _of_layer(attrgetter("compute.confidence")),
    ),
    Column(
        "precision.evidence",
        "object",
        "",
        "Evidence for `precision`",
        "kernel name, weights and tensors",
        _of_layer(attrgetter("compute.evidence")),
    ),
    Column("StreamId", "float64", "", "Stream of the layer", "`StreamId`", _of_layer(lambda x: _known(x.stream))),
    Column("TacticValue", "object", "", "Id of the tactic, verbatim", "`TacticValue`", _of_layer(_tactic_id)),
    Column("Metadata", "object", "", "ONNX origins, verbatim", "`Metadata`", _of_layer(attrgetter("metadata"))),
)

COLUMN_BY_NAME = {column.name: column for column in COLUMNS}
