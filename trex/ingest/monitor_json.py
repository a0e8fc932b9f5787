"""``….monitor.json`` → Telemetry.

The file, schema ``trex.monitor/1``, is one JSON object::

    schema         "trex.monitor/1"
    gpu            {index, name, uuid}; null for what the driver did not report
    started        wall clock at second 0, ISO 8601 in UTC; monotonic_s: the host's monotonic clock at that moment
    interval_s     requested time between samples
    stages         [{name, start_s, end_s}], seconds since ``started``; end_s null when the run ended inside
    samples        {time_s, temperature_c, power_w, sm_clock_mhz, memory_clock_mhz, gpu_utilization_pct,
                   memory_utilization_pct, memory_used_mib, throttle_reasons}: lists of one length; null for a
                   reading that failed; throttle_reasons contains lists of words
    notes          [{code, severity, message, hint}]

time_s grows. In a long run, neighbors are merged: the time and readings of the first, the reasons of both.
"""

from __future__ import annotations

import math
import re
from array import array
from typing import Any

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import SEVERITIES, Note
from trex.core.telemetry import COLUMNS, Stage, Telemetry
from trex.ingest.lenient_json import parse
from trex.ingest.spelling.printable import printable_name

SCHEMA = "trex.monitor/1"
TIME, REASONS = "time_s", "throttle_reasons"
_CODE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+){0,99}")


def read_monitor(data: bytes, where: str = "") -> Telemetry:
    """The samples in a monitor file; unknown columns of numbers are kept.

    A Note reports samples without a time, which are left out.
    Raises TrexError if the file is something else.
    """
    parsed = parse(data, where)
    document = parsed.documents[0] if parsed.documents else None
    samples = document.get("samples") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(samples, dict) or TIME not in samples:
        raise TrexError("this is not GPU telemetry", "trex process --monitor writes it next to the results", where)
    times = _numbers(samples.get(TIME))
    kept = [index for index, time_s in enumerate(times) if not math.isnan(time_s)]
    notes = [*parsed.notes, *_notes(document.get("notes"), where)]
    if document.get("schema") != SCHEMA:
        message = f"the schema is {document.get('schema')!r}; it was read as {SCHEMA}"
        notes.append(
            Note("monitor-of-another-schema", message, "update trex: a newer release may read more of it", where)
        )
    if len(kept) < len(times):
        message = f"{len(times) - len(kept)} of {len(times)} samples have no time and were left out"
        notes.append(Note("monitor-time-missing", message, "", where))
    lists = {
        name: values for name, values in samples.items() if name not in (TIME, REASONS) and isinstance(values, list)
    }
    # Missing readings become numbers, too: of columns that anyone may add, only as many as there are readings.
    full = {name: values for name, values in lists.items() if name in COLUMNS or 2 * len(values) >= len(times)}
    if len(full) < len(lists):
        message = f"{counted(len(lists) - len(full), 'column')} of readings for less than half of the samples left out"
        notes.append(Note("monitor-column-short", message, "", where))
    columns = {name: array("d", _at(_numbers(values), kept)) for name, values in full.items()}
    reasons = samples.get(REASONS)
    reasons = reasons if isinstance(reasons, list) else []
    gpu = document.get("gpu")
    return Telemetry(
        time_s=array("d", _at(times, kept)),
        columns=columns,
        reasons=tuple(_words(reasons[index]) if index < len(reasons) else None for index in kept),
        stages=tuple(_stages(document.get("stages"))),
        started=str(document.get("started") or ""),
        monotonic_s=_known(document.get("monotonic_s")),
        interval_s=_known(document.get("interval_s")),
        gpu=_facts(gpu),
        source=where,
        notes=tuple(notes),
    )


def monitor_document(telemetry: Telemetry) -> dict[str, Any]:
    """The file's JSON object, with numbers rounded to the precision of the instruments."""
    samples: dict[str, Any] = {TIME: [round(time_s, 4) for time_s in telemetry.time_s]}
    for name, values in telemetry.columns.items():
        samples[name] = [None if math.isnan(value) else round(value, 3) for value in values]
    samples[REASONS] = [None if words is None else list(words) for words in telemetry.reasons]
    return {
        "schema": SCHEMA,
        "gpu": dict(telemetry.gpu),
        "started": telemetry.started,
        "monotonic_s": telemetry.monotonic_s,
        "interval_s": telemetry.interval_s,
        "stages": [
            {
                "name": stage.name,
                "start_s": round(stage.start_s, 4),
                "end_s": None if stage.end_s is None else round(stage.end_s, 4),
            }
            for stage in telemetry.stages
        ],
        "samples": samples,
        "notes": [
            {"code": note.code, "severity": note.severity, "message": note.message, "hint": note.hint}
            for note in telemetry.notes
        ],
    }


def _known(value: Any) -> float | None:
    """A finite number, or None."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e18 else None


def _numbers(values: Any) -> list[float]:
    known = [_known(value) for value in values] if isinstance(values, list) else []
    return [math.nan if value is None else value for value in known]


def _at(values: list[float], indexes: list[int]) -> list[float]:
    return [values[index] if index < len(values) else math.nan for index in indexes]


def _facts(value: Any) -> dict[str, Any]:
    """Texts and finite numbers of the object, null for other values."""
    items = value.items() if isinstance(value, dict) else ()
    return {name: fact if isinstance(fact, str) or _known(fact) is not None else None for name, fact in items}


def _words(value: Any) -> tuple[str, ...] | None:
    return tuple(word for word in value if isinstance(word, str)) if isinstance(value, list) else None


def _stages(values: Any) -> list[Stage]:
    stages = []
    for value in values if isinstance(values, list) else ():
        start_s = _known(value.get("start_s")) if isinstance(value, dict) else None
        if start_s is not None and isinstance(value.get("name"), str):
            stages.append(Stage(value["name"], start_s, _known(value.get("end_s"))))
    return stages


def _notes(values: Any, where: str) -> list[Note]:
    notes = []
    for value in values if isinstance(values, list) else ():
        if isinstance(value, dict) and isinstance(value.get("message"), str):
            severity = value.get("severity")
            notes.append(
                Note(
                    code if isinstance(code := value.get("code"), str) and _CODE.fullmatch(code) else "monitor",
                    printable_name(value["message"]),
                    printable_name(str(value.get("hint") or "")),
                    where,
                    severity if severity in SEVERITIES else "warning",
                )
            )
    return notes
