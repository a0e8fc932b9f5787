"""The tables of a store and their columns, each with type, unit and meaning, for docs and schemas, too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.store.run import FACT_FIELDS

if TYPE_CHECKING:
    import pyarrow

TEXT, INTEGER, REAL, TRUTH = "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"
TIME, TEXTS, INTEGERS, PAIRS = "TIMESTAMP_MS", "VARCHAR[]", "BIGINT[]", "MAP(VARCHAR, VARCHAR)"


@dataclass(frozen=True, slots=True)
class StoreColumn:
    """type: of DuckDB. unit: "" if there is none."""

    name: str
    type: str
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class StoreTable:
    """meaning: what one row is."""

    name: str
    meaning: str
    columns: tuple[StoreColumn, ...]

    @property
    def empty_sql(self) -> str:
        """A query with the table's columns and no rows."""
        columns = ", ".join(f'NULL::{column.type} AS "{column.name}"' for column in self.columns)
        return f"SELECT {columns} WHERE false"

    def schema(self) -> pyarrow.Schema:
        import pyarrow as pa

        text = pa.string()
        types = {
            TEXT: text,
            INTEGER: pa.int64(),
            REAL: pa.float64(),
            TRUTH: pa.bool_(),
            TIME: pa.timestamp("ms"),
            TEXTS: pa.list_(text),
            INTEGERS: pa.list_(pa.int64()),
            PAIRS: pa.map_(text, text),
        }
        return pa.schema([(column.name, types[column.type]) for column in self.columns])


_TYPES = {
    "str": TEXT,
    "int": INTEGER,
    "float": REAL,
    "bool": TRUTH,
    "datetime": TIME,
    "Mapping[str, str]": PAIRS,
}

_RUN = (
    StoreColumn("id", TEXT, "", "the run"),
    StoreColumn("model", TEXT, "", "its model, as in `runs`"),
)


def _run_columns() -> Iterable[StoreColumn]:
    for entry in FACT_FIELDS:
        kind = _TYPES[str(entry.type).removesuffix(" | None")]
        yield StoreColumn(entry.name, kind, entry.metadata["unit"], entry.metadata["meaning"])


RUNS = StoreTable("runs", "one run of one engine", tuple(_run_columns()))

LAYERS = StoreTable(
    "layers",
    "one layer of a run, in execution order",
    (
        *_RUN,
        StoreColumn("layer", INTEGER, "", "position in the engine's execution order"),
        StoreColumn("name", TEXT, "", "printable name; may repeat"),
        StoreColumn("occurrence", INTEGER, "", "number of earlier layers with the same name"),
        StoreColumn("type", TEXT, "", "operation"),
        StoreColumn("subtype", TEXT, "", "implementation: TensorRT's `LayerType`"),
        StoreColumn("precision", TEXT, "", "type it computes in; null if unknown"),
        StoreColumn("output_precision", TEXT, "", "type of the first output; null if unknown"),
        StoreColumn("tactic", TEXT, "", "name of the kernel; null if not reported"),
        StoreColumn("tactic_value", TEXT, "", "id of the tactic, verbatim"),
        StoreColumn("time_ms", REAL, "ms", "median time, else the average; what comparisons use"),
        StoreColumn("average_ms", REAL, "ms", "average time"),
        StoreColumn("median_ms", REAL, "ms", "median time; null before TensorRT 8.4"),
        StoreColumn("share_pct", REAL, "%", "share of the sum of all layer times; null if one has no time"),
        StoreColumn("io_bytes", INTEGER, "bytes", "inputs and outputs, padding included"),
        StoreColumn("weights_bytes", INTEGER, "bytes", "weights, bias and constants"),
        StoreColumn("inputs", TEXT, "", "shapes, types and formats of the inputs"),
        StoreColumn("outputs", TEXT, "", "shapes, types and formats of the outputs"),
        StoreColumn("role", TEXT, "", "`kernel`, `noop`, `constant`, `sync`, `shape` …"),
        StoreColumn("fusion", TEXT, "", "kind of fusion by its name: `none`, `vertical`, `pointwise` …"),
        StoreColumn("origins", TEXTS, "", "names of its ONNX nodes"),
        StoreColumn("module", TEXT, "", "module in the model's module tree; null if the names have none"),
        StoreColumn("stream", INTEGER, "", "stream of the layer"),
        StoreColumn("profile", INTEGER, "", "optimization profile"),
    ),
)

TACTICS = StoreTable(
    "tactics",
    "one kernel of a run, with the layers that use it",
    (
        *_RUN,
        StoreColumn("tactic", TEXT, "", "name of the kernel"),
        StoreColumn("layers", INTEGER, "", "number of layers that use it"),
        StoreColumn("time_ms", REAL, "ms", "sum of their known times"),
        StoreColumn("share_pct", REAL, "%", "share of the sum of all layer times; null if one has no time"),
        StoreColumn("library", TEXT, "", "`xmma`, `cutlass`, `cudnn`, `cublas`, `Myelin`; null if unknown"),
        StoreColumn("family", TEXT, "", "grammar of the name"),
        StoreColumn("kind", TEXT, "", "`convolution`, `gemm`, `pooling`, `attention`, `generated`, `pointwise` …"),
        StoreColumn("input_type", TEXT, "", "type of the activations"),
        StoreColumn("accumulate_type", TEXT, "", "type of the accumulator"),
        StoreColumn("output_type", TEXT, "", "type of the output"),
        StoreColumn("tensor_cores", TRUTH, "", "whether it uses tensor cores; null if the name does not say"),
        StoreColumn("tile", TEXT, "", "tile of one thread block: m x n x k"),
        StoreColumn("sm", INTEGER, "", "compute capability of the kernel, times ten"),
    ),
)

SAMPLES = StoreTable(
    "samples",
    "one measured inference of a run; at most 1000 of a run, spread evenly (its file has all)",
    (
        *_RUN,
        StoreColumn("query", INTEGER, "", "its number in the run, from 0 after the warm-up"),
        StoreColumn("gpu_compute_ms", REAL, "ms", "GPU compute time"),
        StoreColumn("latency_ms", REAL, "ms", "latency: GPU compute and transfers"),
        StoreColumn("enqueue_ms", REAL, "ms", "host time to enqueue it"),
        StoreColumn("h2d_ms", REAL, "ms", "transfer of the inputs"),
        StoreColumn("d2h_ms", REAL, "ms", "transfer of the outputs"),
    ),
)

FINDINGS = StoreTable(
    "findings",
    "one finding of `trex lint` in a run",
    (
        *_RUN,
        StoreColumn("code", TEXT, "", "code of the rule: `QDQ008`"),
        StoreColumn("rule", TEXT, "", "name of the rule"),
        StoreColumn("title", TEXT, "", "title of the rule"),
        StoreColumn("severity", TEXT, "", "`note`, `warning`, `error`"),
        StoreColumn("confidence", REAL, "0 to 1", "how certain it is that the cause is the one named"),
        StoreColumn("message", TEXT, "", "the finding in one sentence"),
        StoreColumn("likely_savings_ms", REAL, "ms", "likely savings"),
        StoreColumn("savings_ms", REAL, "ms", "savings at most"),
        StoreColumn("share_pct", REAL, "%", "savings at most, as a share of the engine's time"),
        StoreColumn("layers", INTEGERS, "", "its layers, as in `layers.layer`"),
        StoreColumn("layer_names", TEXTS, "", "their names"),
    ),
)

TABLES = {table.name: table for table in (RUNS, LAYERS, TACTICS, SAMPLES, FINDINGS)}
