"""The columns of the layers' DataFrame, with dtype, unit, meaning and source."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import add, attrgetter
from typing import Any, Generic, TypeVar

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.core.timings import LayerTime
from trex.ingest.spelling.tensor_formats import parse_format

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


Source = TypeVar("Source")


@dataclass(frozen=True)
class Column(Generic[Source]):
    """One declared column.

    dtype: pandas dtype, the same for every engine: ``object`` for text and records, ``float64`` for numbers that may be
    unknown (NaN), ``int64`` for others. unit: "" if there is none. source: origin of the values. values: one per row,
    computed from the rows of the frame or the performance of the plan.
    """

    name: str
    dtype: str
    unit: str
    meaning: str
    source: str
    values: Callable[[Source], Sequence[Any]]


def page() -> str:
    """The columns as a Markdown page."""
    lines = [
        "# Columns of `plan.df`",
        "",
        "One row per layer, in execution order. Unknown numbers are NaN, never 0: sums and means skip them.",
        "Other keys of a layer's JSON record (`Kernel`, `Groups`, `Weights`, …) follow as columns with the same names,",
        "verbatim; `plan.get_layers_by_type(…)` has them typed, as `attr.*` columns.",
        "",
        *columns_table(COLUMNS),
    ]
    return "\n".join(lines) + "\n"


def columns_table(columns: Iterable[Column[Any]]) -> list[str]:
    """The lines of a Markdown table of columns."""
    lines = ["| column | dtype | unit | meaning | source |", "| --- | --- | --- | --- | --- |"]
    for column in columns:
        lines.append(f"| `{column.name}` | {column.dtype} | {column.unit} | {column.meaning} | {column.source} |")
    return lines


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
        record["Format/Datatype"] = _format_with_type(tensor.format.text, tensor.data_type)
    return record


@lru_cache(maxsize=1024)
def _format_with_type(text: str, data_type: DataType) -> str:
    """The layout's sentence with the type in it, as before TensorRT 11: ``Row major linear FP16 format``."""
    if not text or not data_type.is_known or parse_format(text)[0].is_known:
        return text or data_type.label
    layout, is_sentence, rest = text.partition(" format")
    return f"{layout} {data_type.label} format{rest}" if is_sentence else f"{text} {data_type.label}"


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


def _text(name: str, meaning: str, source: str, value: Callable[[Layer], Any]) -> Column[Rows]:
    return Column(name, "object", "", meaning, source, _of_layer(value))


def _integer(name: str, meaning: str, source: str, value: Callable[[Layer], int]) -> Column[Rows]:
    return Column(name, "int64", "", meaning, source, _of_layer(value))


def _time(name: str, meaning: str, source: str, value: Callable[[LayerTime], float | None]) -> Column[Rows]:
    return Column(name, "float64", "ms", meaning, source, _of_time(value))


def _bytes(name: str, meaning: str, source: str, values: Callable[[Rows], list[Any]]) -> Column[Rows]:
    return Column(name, "float64", "bytes", meaning, source, values)


def _tensors(name: str, meaning: str, source: str, side: Callable[[Layer], Sequence[Tensor]]) -> Column[Rows]:
    return _text(name, meaning, source, lambda layer: list(map(tensor_record, side(layer))))


COLUMNS: tuple[Column[Rows], ...] = (
    _text("Name", "Printable name; may repeat", "`Name`, with + for separators", attrgetter("name")),
    _text("type", "Operation", "`ParameterType`, else `LayerType`", attrgetter("type")),
    _text("subtype", "Implementation", "`LayerType`", attrgetter("subtype")),
    _text(
        "precision",
        "Type the layer computes in; `Unknown` without evidence",
        "kernel name, weights and tensors, see `precision.evidence`",
        attrgetter("compute.data_type.label"),
    ),
    _text("output_precision", "Type of the first output; `Unknown` without one", "`Outputs`", _output_precision),
    _text("tactic", "Kernel name; `TensorRT` if none is reported", "`TacticName`", lambda x: x.tactic or "TensorRT"),
    _time("latency.avg_time", "Mean over iterations", "profile `averageMs`", lambda t: t.average_ms),
    _time(
        "latency.median_time",
        "Median over iterations; NaN before TensorRT 8.4",
        "profile `medianMs`",
        lambda t: t.median_ms,
    ),
    _time("latency.time", "Sum over iterations", "profile `timeMs`", lambda t: t.total_ms),
    Column(
        "latency.pct_time",
        "float64",
        "%",
        "Share of the profile's total, 0 to 100",
        "profile `percentage`, else from the averages",
        lambda rows: shares_pct(rows.times),
    ),
    _bytes(
        "total_io_size_bytes",
        "Inputs and outputs, padding included",
        "shapes, types and formats of `Inputs` and `Outputs`",
        lambda rows: rows.io_bytes,
    ),
    _bytes(
        "weights_size",
        "Weights, bias and constants, each in its own type",
        "every `{Type, Count}` and `Constants` of the record; inputs that no layer writes",
        lambda rows: rows.weights_bytes,
    ),
    _bytes(
        "total_footprint_bytes",
        "total_io_size_bytes + weights_size",
        "their sum",
        lambda rows: list(map(add, rows.io_bytes, rows.weights_bytes)),
    ),
    _tensors(
        "Inputs",
        "Records of the tensors read: Name, Location, Dimensions, Format/Datatype",
        "`Inputs`, without stored parameters, views folded",
        attrgetter("inputs"),
    ),
    _tensors("Outputs", "Records of the tensors written", "`Outputs`, views folded", attrgetter("outputs")),
    _integer(
        "layer.index",
        "Position in the engine's execution order, over all profiles",
        "order of the file",
        attrgetter("index"),
    ),
    _integer(
        "layer.occurrence",
        "Number of earlier layers with the same name",
        "order of the file",
        attrgetter("occurrence"),
    ),
    _integer("layer.profile", "Optimization profile", "`[profile N]` in the names", attrgetter("profile")),
    _text("layer.role", "kernel, noop, sync, shape …", "`LayerType`", attrgetter("role.value")),
    _text(
        "layer.fusion",
        "Kind of fusion: none, vertical, pointwise, foreign, myelin …",
        "grammar of the name",
        attrgetter("name_parts.fusion"),
    ),
    _text("layer.origins", "Names of its ONNX nodes", "`Metadata`", attrgetter("origins")),
    _text("layer.module", "Module in the model's module tree", "ONNX node names", attrgetter("module")),
    Column(
        "precision.confidence",
        "float64",
        "0 to 1",
        "Confidence of `precision`: 1 from the file, 0 unknown",
        "`precision.evidence`",
        _of_layer(attrgetter("compute.confidence")),
    ),
    _text(
        "precision.evidence",
        "Evidence for `precision`",
        "kernel name, weights and tensors",
        attrgetter("compute.evidence"),
    ),
    Column("StreamId", "float64", "", "Stream of the layer", "`StreamId`", _of_layer(lambda x: _known(x.stream))),
    _text("TacticValue", "Id of the tactic, verbatim", "`TacticValue`", _tactic_id),
    _text("Metadata", "ONNX origins", "`Metadata`, with + for separators", attrgetter("metadata")),
)

COLUMN_BY_NAME = {column.name: column for column in COLUMNS}
