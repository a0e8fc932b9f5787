"""JSON lines of trtexec's tuner → TuningLog.

``trtexec --tuneBuildRoutes=… --tuningCacheFile=FILE`` of TensorRT 11 writes a header, then one line for each build::

    {"tuner_version": …, "searching_algorithm": …, "command_line": …, "default_build_route": …, …}
    {"iter": 0, "build_route": "-knob=a", "crash": false, "error_message": "", "accuracy_loss": null, "gpu_time": 1.5}

Known from documentation only: no file of a real run was seen.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import orjson

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.tuning_log import TunedRoute, TuningLog
from trex.ingest.source import read_source

_HEADER, _ROUTE = "tuner_version", "build_route"
_FACTS = (
    "tuner_version",
    "searching_algorithm",
    "accuracy_algorithm",
    "default_build_route",
    "tuning_expr",
    "command_line",
)
_LONGEST_TEXT = 1000
_MOST_LOSSES = 100


def is_tuning_log(head: bytes) -> bool:
    """Whether the first line is a tuner's header, or a line of it without one."""
    first = _mapping(head.lstrip().partition(b"\n")[0])
    return first is not None and (_HEADER in first or (_ROUTE in first and "gpu_time" in first))


def load_tuning_log(path: str | os.PathLike[str]) -> TuningLog:
    """Raises TrexError if the file cannot be read, or has no line of a tuner."""
    source = read_source(path)
    return read_tuning_log(source.data, source.path)


def read_tuning_log(data: bytes, where: str = "") -> TuningLog:
    """As ``load_tuning_log``, of bytes: the last tuning of the file. Lines that are cut, or something else, are counted
    in a Note.
    """
    facts: dict[str, str] = {}
    routes: list[TunedRoute] = []
    unread: list[int] = []
    tunings = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        document = _mapping(line)
        if document is None or not (_HEADER in document or _ROUTE in document):
            unread.append(number)
        elif _ROUTE in document:
            routes.append(_route(document, len(routes), number))
        else:
            tunings += 1
            facts, routes = {name: _text(document[name]) for name in _FACTS if _text(document.get(name))}, []
    if not routes and not facts:
        raise TrexError(
            "this is no log of trtexec's tuner: no line has a build_route",
            "trtexec --tuneBuildRoutes=… --tuningCacheFile=FILE writes one",
            where,
        )
    notes: tuple[Note, ...] = ()
    if tunings > 1:
        message = f"the file has {tunings:,} tunings, and the last one is shown"
        notes = (Note("several-tunings", message, "a file for each keeps them apart", where),)
    if unread:
        message = f"{counted(len(unread), 'line')} of the tuner's log could not be read"
        notes = (
            *notes,
            Note("unread-tuner-lines", message, "the run may have been stopped", f"{where}:{unread[0]}"),
        )
    return TuningLog(where, facts, tuple(routes), notes)


def _mapping(line: bytes) -> dict[str, Any] | None:
    try:
        document = orjson.loads(line)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _route(document: Mapping[str, Any], index: int, line: int) -> TunedRoute:
    iteration, crash, losses = document.get("iter"), document.get("crash"), document.get("accuracy_loss")
    known = (
        {str(name)[:_LONGEST_TEXT]: _number(loss) for name, loss in losses.items()} if isinstance(losses, dict) else {}
    )
    return TunedRoute(
        iteration if isinstance(iteration, int) and not isinstance(iteration, bool) else index,
        _text(document[_ROUTE]),
        _number(document.get("gpu_time")),
        crash if isinstance(crash, bool) else None,
        _text(document.get("error_message")),
        {name: loss for name, loss in list(known.items())[:_MOST_LOSSES] if loss is not None},
        line,
    )


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) and value >= 0 else None


def _text(value: Any) -> str:
    return value[:_LONGEST_TEXT] if isinstance(value, str) else ""
