"""A baseline's JSON → Artifacts: a kept run as if it had been read from the engine's own files.

A baseline keeps durations only. Every inference gets the end of the last one, which determines the resolution of the
clocks, and no start.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson

from trex.core.baseline_key import BaselineKey
from trex.core.document_sha256 import SHA256, document_sha256
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
_ENDS = ("endEnqMs", "endComputeMs")
_HINT = "write it again: trex baseline update PATH"
_BEGINNING = 200
_CODE = re.compile(r"[a-z0-9-]{1,80}")


def is_baseline(head: bytes) -> bool:
    """Whether a file with this beginning is a baseline."""
    return b'"schema"' in head[:_BEGINNING] and _FAMILY.encode() in head[:_BEGINNING]


def read_baseline(data: bytes, where: str = "") -> tuple[BaselineKey, Artifacts]:
    """Raises TrexError with the address for another file, a damaged baseline or one of a newer release."""
    return _BaselineReader(where).read(data)


class _BaselineReader:
    def __init__(self, where: str) -> None:
        self.where = where

    def read(self, data: bytes) -> tuple[BaselineKey, Artifacts]:
        document = self._document(data)
        key = BaselineKey.of(*(self._text(document, name) for name in ("model", "gpu", "tensorrt")))
        run = self._mapping(document, "run")
        rows = self._list(document, "layers")
        engine = self._engine(document, rows, str(run.get("tensorrt_version") or ""))
        provenance = self._provenance(document)
        metadata = replace(
            self._metadata(run),
            synthetic=provenance is Provenance.SYNTHETIC,
            simulated=provenance is Provenance.SIMULATED,
            built_on_cpu=provenance is Provenance.BUILT_ON_CPU,
            extra={
                "baseline_metrics": self._mapping(document, "metrics"),
                **_error_bars(document, provenance),
            },
        )
        build = Metadata(build_options=self._mapping(run, "build_options"))
        times = self._layer_times(engine, rows, run.get("layer_profile_iterations"))
        queries = self._query_times(self._mapping(document, "samples"))
        if queries is not None:
            queries = replace(queries, unsteady_pct=dict(self._unsteadiness(document)))
        notes = (*self._notes(document, "problem"), *self._notes(document, "warning"))
        return key, Artifacts(engine, times, queries, metadata, build, notes, telemetry=_telemetry(run))

    def _notes(self, document: Mapping[str, Any], severity: str) -> Iterator[Note]:
        """Of the run that the baseline keeps: its times are as little to be believed as the run's."""
        for row in self._list(document, f"{severity}s"):
            is_pair = isinstance(row, list) and len(row) == 2 and all(isinstance(text, str) for text in row)
            if not is_pair or not _CODE.fullmatch(row[0]):
                raise TrexError(f"the baseline's {severity}s can't be read", _HINT, self.where)
            yield Note(row[0], row[1], "make the baseline again, of a run without it", self.where, severity)

    def _unsteadiness(self, document: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
        for name, value in self._mapping(document, "unsteady_pct").items():
            if not (pct := _number(value)):
                raise TrexError("how unsteady the baseline's run was can't be read", _HINT, self.where)
            yield name, pct

    def _document(self, data: bytes) -> dict[str, Any]:
        try:
            document = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            unmerged = b"<<<<<<< " in data
            message = "the baseline contains conflict markers of a merge" if unmerged else f"not JSON: {error}"
            raise TrexError(message, _HINT, f"{self.where}:{error.lineno}:{error.colno}") from error
        if not isinstance(document, dict) or not str(document.get("schema", "")).startswith(_FAMILY):
            raise TrexError("this is not a baseline", "create one: trex baseline add PATH", self.where)
        if document["schema"] != SCHEMA:
            schema = str(document["schema"])
            raise TrexError(f"the baseline has the schema {schema!r}, not {SCHEMA!r}", _HINT, self.where)
        try:
            is_changed = SHA256 in document and document[SHA256] != document_sha256(data)
        except (ValueError, RecursionError):  # orjson reads deeper lists
            is_changed = True
        if is_changed:
            raise TrexError("the baseline was changed after it was written: edited, or merged", _HINT, self.where)
        return document

    def _engine(self, document: Mapping[str, Any], rows: list[Any], version: str) -> Engine:
        records = [self._record(row) for row in rows if isinstance(row, dict)]
        bindings = [row for row in self._list(document, "bindings") if isinstance(row, list) and row]
        graph: dict[str, Any] = {"Layers": records, "Bindings": [str(row[0]) for row in bindings]}
        verbosity = str(document.get("verbosity") or "detailed")
        engine = engine_from_documents([graph], self.where, verbosity=verbosity, require_layers=False)
        name = str(document.get("engine") or document["model"])
        return replace(engine, name=name, tensorrt_version=version or engine.tensorrt_version)

    def _layer_times(self, engine: Engine, rows: list[Any], count: Any) -> LayerTimes | None:
        if len(engine.layers) != len(rows):
            raise TrexError("the baseline's layers can't be read", _HINT, self.where)
        times = [
            LayerTime(layer.name, layer.occurrence, None, average, _number(row.get("median_ms")), None)
            for layer, row in zip(engine.layers, rows, strict=True)
            if (average := _number(row.get("average_ms"))) is not None
        ]
        if not times:
            return None
        return LayerTimes(tuple(times), count if isinstance(count, int) else None, self.where)

    def _provenance(self, document: Mapping[str, Any]) -> Provenance:
        """Whether the times are synthetic or simulated. Raises TrexError if the baseline does not contain it."""
        name = self._text(document, "provenance").upper()
        if name not in Provenance.__members__:
            known = ", ".join(provenance.lower() for provenance in Provenance.__members__)
            raise TrexError(f"the baseline's provenance is {name.lower()!r}, none of {known}", _HINT, self.where)
        return Provenance[name]

    def _metadata(self, run: Mapping[str, Any]) -> Metadata:
        summaries = self._mapping(run, "latency").items()
        latency = {name: _latency_summary(summary) for name, summary in summaries if isinstance(summary, dict)}
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
        """Every list of samples is a column; a text that names a column stands for one that equals it."""
        columns: dict[str, array[float]] = {}
        for name, column in samples.items():
            if isinstance(column, list) and column:
                numbers = map(_number, column)
                columns[name] = array("d", (float("nan") if number is None else number for number in numbers))
        columns |= {
            name: columns[other] for name, other in samples.items() if isinstance(other, str) and other in columns
        }
        if not columns:
            return None
        kept = {len(column) for column in columns.values()}
        if len(kept) > 1:
            raise TrexError("the baseline's sample columns differ in length", _HINT, self.where)
        count, measured = kept.pop(), samples.get("measured")
        ends = self._mapping(samples, "last_end_ms")
        for name in _ENDS:
            if (last := _number(ends.get(name))) is not None:
                columns[name] = array("d", [last]) * count
        warm_up = None if samples.get("warm_up") == "unknown" else 0
        if not isinstance(measured, int) or measured <= count:
            return QueryTimes(columns, warm_up, self.where)
        message = f"the baseline keeps {count:,} of {measured:,} inferences, spread evenly over the run"
        note = Note("baseline-part-of-samples", message, "", self.where, "info")
        return QueryTimes(columns, warm_up, self.where, (note,), measured)

    def _record(self, row: Mapping[str, Any]) -> dict[str, Any] | str:
        """A layer's record, or its name if the file contained nothing else."""
        return row["layer"] if isinstance(row.get("layer"), str) else self._mapping(row, "layer")

    def _text(self, document: Mapping[str, Any], name: str) -> str:
        value = document.get(name)
        if not isinstance(value, str) or not value:
            raise TrexError(f"the baseline does not contain its {name}", _HINT, self.where)
        return value

    def _mapping(self, document: Mapping[str, Any], name: str) -> dict[str, Any]:
        value = document.get(name, {})
        if not isinstance(value, dict):
            raise TrexError(f"{name!r} in the baseline is not an object", _HINT, self.where)
        return value

    def _list(self, document: Mapping[str, Any], name: str) -> list[Any]:
        value = document.get(name, [])
        if not isinstance(value, list):
            raise TrexError(f"{name!r} in the baseline is not a list", _HINT, self.where)
        return value


def _error_bars(document: Mapping[str, Any], provenance: Provenance) -> dict[str, Any]:
    """A simulated engine's expected times, by which simulator, and what of them is a lower bound, as its own metadata
    contain them.
    """
    bars, version = document.get("expected_ms"), document.get("predicted_by")
    if not provenance.has_predicted_times:
        return {}
    section: dict[str, Any] = {"predicted_by": version} if isinstance(version, str) else {}
    section |= {key: document[key] for key in ("unknown_work", "model_sha256") if key in document}
    if isinstance(bars, list) and len(bars) == 2:
        section |= {"expected_from_ms": _number(bars[0]), "expected_to_ms": _number(bars[1])}
    return {"simulated": section} if section else {}


def _latency_summary(summary: Mapping[str, Any]) -> LatencySummary:
    return LatencySummary(
        _number(summary.get("minimum_ms")),
        _number(summary.get("maximum_ms")),
        _number(summary.get("mean_ms")),
        _number(summary.get("median_ms")),
    )


def _number(value: Any) -> float | None:
    """A duration or a clock in the range of measurements, else None."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= LONGEST_MS else None


def _telemetry(run: Mapping[str, Any]) -> Telemetry | None:
    """The measured clock as two samples; None if the run was not monitored."""
    clock, slowed_by = _number(run.get("clock_mhz")), run.get("slowed_by")
    if clock is None and not isinstance(slowed_by, list):
        return None
    columns = {} if clock is None else {"sm_clock_mhz": array("d", [clock, clock])}
    reasons = tuple(map(str, slowed_by)) if isinstance(slowed_by, list) else None
    return Telemetry((0.0, 1.0), columns, (reasons, reasons))
