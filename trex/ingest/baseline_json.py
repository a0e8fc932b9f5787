"""Baseline JSON → Artifacts, as if read from the engine's own files.

A baseline keeps only the durations of its samples: all end at the end of the run, which preserves the resolution of
the clocks, and none has a start.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from trex.core.baseline_key import BaselineKey
from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.provenance import Provenance
from trex.core.telemetry import Telemetry
from trex.core.timings import LONGEST_MS, LayerTime, LayerTimes, QueryTimes
from trex.ingest.artifacts import Artifacts
from trex.ingest.graph_json import engine_from_documents

SCHEMA = "trex.baseline/1"
_FAMILY = "trex.baseline/"
_HINT = "replace it: trex baseline update PATH"
_BEGINNING = 200


def is_baseline(head: bytes) -> bool:
    """Whether a file with these first bytes is a baseline."""
    return b'"schema"' in head[:_BEGINNING] and _FAMILY.encode() in head[:_BEGINNING]


def read_baseline(data: bytes, where: str = "") -> tuple[BaselineKey, Artifacts]:
    """Raises TrexError, with the position, for what is not a baseline, is damaged, or is from a newer release."""
    return _Reader(where).read(data)


class _Reader:
    def __init__(self, where: str) -> None:
        self.where = where

    def read(self, data: bytes) -> tuple[BaselineKey, Artifacts]:
        try:
            document = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            merged = b"<<<<<<< " in data
            message = "the baseline contains conflict markers of a merge" if merged else f"this is not JSON: {error}"
            raise TrexError(message, _HINT, f"{self.where}:{error.lineno}:{error.colno}") from error
        if not isinstance(document, dict) or not str(document.get("schema", "")).startswith(_FAMILY):
            raise TrexError("this is not a baseline", "create one: trex baseline add PATH", self.where)
        if document["schema"] != SCHEMA:
            schema = str(document["schema"])
            raise TrexError(f"the baseline's schema is {schema!r}, not {SCHEMA!r}", _HINT, self.where)
        key = BaselineKey.of(*(self._text(document, name) for name in ("model", "gpu", "tensorrt")))
        run = self._mapping(document, "run")
        rows = self._list(document, "layers")
        engine = self._engine(document, rows, str(run.get("tensorrt_version") or ""))
        provenance = self._provenance(document)
        is_synthetic, is_simulated = provenance is Provenance.SYNTHETIC, provenance is Provenance.SIMULATED
        metadata = replace(self._metadata(run), synthetic=is_synthetic, simulated=is_simulated)
        metadata = replace(metadata, extra=_error_bars(document) if is_simulated else {})
        build = Metadata(build_options=self._mapping(run, "build_options"))
        times = self._layer_times(engine, rows, run.get("layer_profile_iterations"))
        queries = self._query_times(self._mapping(document, "samples"))
        return key, Artifacts(engine, times, queries, metadata, build, telemetry=_telemetry(run))

    def _engine(self, document: Mapping[str, Any], rows: list[Any], version: str) -> Engine:
        records = [self._record(row) for row in rows if isinstance(row, dict)]
        names = [str(row[0]) for row in self._list(document, "bindings") if isinstance(row, list) and row]
        graph: dict[str, Any] = {"Layers": records, "Bindings": names}
        verbosity = str(document.get("verbosity") or "detailed")
        engine = engine_from_documents([graph], self.where, verbosity=verbosity, require_layers=False)
        name = str(document.get("engine") or document["model"])
        return replace(engine, name=name, tensorrt_version=version or engine.tensorrt_version)

    def _layer_times(self, engine: Engine, rows: list[Any], count: Any) -> LayerTimes | None:
        if len(engine.layers) != len(rows):
            raise TrexError("the baseline's layers do not match its records", _HINT, self.where)
        records = [
            LayerTime(layer.name, layer.occurrence, None, average, _number(row.get("median_ms")), None)
            for layer, row in zip(engine.layers, rows, strict=True)
            if (average := _number(row.get("average_ms"))) is not None
        ]
        if not records:
            return None
        return LayerTimes(tuple(records), count if isinstance(count, int) else None, self.where)

    def _provenance(self, document: Mapping[str, Any]) -> Provenance:
        """Whether the times are measured. Raises TrexError if the file does not say."""
        word = self._text(document, "provenance").upper()
        if word not in Provenance.__members__:
            known = ", ".join(name.lower() for name in Provenance.__members__)
            raise TrexError(f"the baseline's provenance is {word.lower()!r}, none of {known}", _HINT, self.where)
        return Provenance[word]

    def _metadata(self, run: Mapping[str, Any]) -> Metadata:
        latency = {}
        for name, row in self._mapping(run, "latency").items():
            if isinstance(row, dict):
                low, high, mean, median = (
                    _number(row.get(f"{key}_ms")) for key in ("minimum", "maximum", "mean", "median")
                )
                latency[name] = LatencySummary(low, high, mean, median)
        return Metadata(
            system_options=self._mapping(run, "system_options"),
            inference_options=self._mapping(run, "inference_options"),
            device=self._mapping(run, "device"),
            performance=self._mapping(run, "performance"),
            latency=latency,
            tensorrt_version=str(run.get("tensorrt_version") or ""),
            sources=(self.where,),
        )

    def _query_times(self, samples: Mapping[str, Any]) -> QueryTimes | None:
        columns: dict[str, array[float]] = {}
        ends = self._mapping(samples, "last_end_ms")
        for name in ("computeMs", "latencyMs", "enqueueMs"):
            column = samples.get(name)
            column = samples.get(column) if isinstance(column, str) else column
            if not isinstance(column, list) or not column:
                continue
            values = array("d", (float("nan") if (number := _number(value)) is None else number for value in column))
            if name == "enqueueMs":
                start = _number(ends.get("endEnqMs")) or 0.0
                columns["startEnqMs"] = array("d", [start]) * len(values)
                columns["endEnqMs"] = array("d", (start + value for value in values))
            else:
                columns[name] = values
        if not columns:
            return None
        if len({len(column) for column in columns.values()}) > 1:
            raise TrexError("the baseline's columns of samples have different lengths", _HINT, self.where)
        if (last := _number(ends.get("endComputeMs"))) is not None:
            columns["endComputeMs"] = array("d", [last]) * len(next(iter(columns.values())))
        kept, measured = len(next(iter(columns.values()))), samples.get("measured")
        notes: tuple[Note, ...] = ()
        if isinstance(measured, int) and measured > kept:
            message = f"the baseline keeps {kept:,} of {measured:,} queries, spread evenly over the run"
            notes = (Note("baseline-part-of-samples", message, "", self.where, "info"),)
        return QueryTimes(columns, 0, self.where, notes)

    def _record(self, row: Mapping[str, Any]) -> dict[str, Any] | str:
        """A layer's record, or its name if the file has no more."""
        return row["layer"] if isinstance(row.get("layer"), str) else self._mapping(row, "layer")

    def _text(self, document: Mapping[str, Any], name: str) -> str:
        value = document.get(name)
        if not isinstance(value, str) or not value:
            raise TrexError(f"the baseline has no {name}", _HINT, self.where)
        return value

    def _mapping(self, document: Mapping[str, Any], name: str) -> dict[str, Any]:
        value = document.get(name, {})
        if not isinstance(value, dict):
            raise TrexError(f"{name!r} of the baseline is not an object", _HINT, self.where)
        return value

    def _list(self, document: Mapping[str, Any], name: str) -> list[Any]:
        value = document.get(name, [])
        if not isinstance(value, list):
            raise TrexError(f"{name!r} of the baseline is not a list", _HINT, self.where)
        return value


def _error_bars(document: Mapping[str, Any]) -> dict[str, Any]:
    """The error bar of a simulated engine, as in its own metadata; {} if the baseline has none."""
    ends = document.get("expected_ms")
    if not isinstance(ends, list) or len(ends) != 2:
        return {}
    return {"simulated": {"expected_from_ms": _number(ends[0]), "expected_to_ms": _number(ends[1])}}


def _number(value: Any) -> float | None:
    """A number in the range of measurements, else None."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) <= LONGEST_MS else None


def _telemetry(run: Mapping[str, Any]) -> Telemetry | None:
    """The clock during the run, as two samples; None if it was not recorded."""
    clock, slowed_by = _number(run.get("clock_mhz")), run.get("slowed_by")
    if clock is None and not isinstance(slowed_by, list):
        return None
    columns = {} if clock is None else {"sm_clock_mhz": array("d", [clock, clock])}
    held = tuple(map(str, slowed_by)) if isinstance(slowed_by, list) else None
    return Telemetry((0.0, 1.0), columns, (held, held))
