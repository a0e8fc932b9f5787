"""Polygraphy's RunResults JSON → QueryTimes: the time of every iteration, without its outputs.

Grammar, from files that Polygraphy 0.53 wrote (``polygraphy run … --save-outputs results.json``, ``RunResults.save``)::

    {"lst": [["trt-runner-N0-…", [{
        "outputs": {"y": {"values": {"array": "BASE64", …}, …}},
        "runtime": 0.00118, "runner_name": "trt-runner-N0-…", "polygraphy_class": "IterationResult"}, …]], …], …}

``runtime`` is in seconds: host time around the runner's whole ``infer()`` (``TrtRunner``: copy in, enqueue, copy out,
synchronize, and the Python in between). Warm-up runs are not in the list. The outputs may take gigabytes; they are
skipped a block at a time.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence

import orjson

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.timings import CUT_OFF, HOST_MS, LONGEST_MS, QueryTimes

_NAN = float("nan")
# A quote inside a JSON string is escaped: neither a name nor base64 can look like this.
_RECORD = re.compile(
    rb'"runtime"\s{0,99}:\s{0,99}([-+0-9.eENaInfity]{1,40}|null)\s{0,99},\s{0,99}'
    rb'"runner_name"\s{0,99}:\s{0,99}("(?:[^"\\]|\\.){0,999}")'
)
_LONGEST_RECORD = 3000
_MAX_RUNNERS = 64
# Polygraphy's names of its other runners begin so.
_OTHERS = ("onnxrt", "tf", "pluginref", "onnx-", "torch")
_HINT = "trtexec --loadEngine=MODEL.engine --exportTimes=MODEL.timing.json writes GPU compute and latency of each query"


def read_run_results(blocks: Iterable[bytes], where: str = "") -> QueryTimes:
    """The times of the TensorRT runner's iterations, in milliseconds, as the column ``hostMs``; NaN if unknown.

    blocks: the file's bytes. A name that does not start like one of Polygraphy's other runners is taken for a TensorRT
    runner; those that start with ``trt`` come first. Never raises: results of other runners only, or without times,
    have no column and a Note.
    """
    runners: dict[str, array[float]] = {}
    rest = b""
    for block in blocks:
        rest += block
        end = 0
        for match in _RECORD.finditer(rest):
            end = match.end()
            name = _name(match[2])
            if name in runners or len(runners) < _MAX_RUNNERS:
                runners.setdefault(name, array("d")).append(_milliseconds(match[1]))
        rest = rest[max(end, len(rest) - _LONGEST_RECORD) :]
    notes = []
    if not rest.rstrip().endswith(b"}"):
        message = "Polygraphy's results are cut off; the complete iterations were kept"
        notes.append(Note(CUT_OFF, message, "save them again to get all iterations", where, "problem"))
    runner = min((name for name in runners if not name.startswith(_OTHERS)), key=_is_named, default=None)
    if runner is None:
        contents = f"only times of {', '.join(list(runners)[:4])}" if runners else "no times"
        message = f"Polygraphy's results have {contents}: nothing of the engine was read"
        notes.append(Note("no-times-of-tensorrt", message, "run with --trt or --load-engine", where))
        return QueryTimes({}, None, where, tuple(notes))
    column = runners[runner]
    count = counted(len(column), "iteration")
    message = (
        f"{count} from Polygraphy ({runner}): time on the host, with copies and Python's overhead, not GPU compute"
    )
    notes.append(Note("times-from-polygraphy", message, _HINT, where, "info"))
    if len(runners) > 1:
        notes.append(other_runners([other for other in runners if other != runner], where))
    if unknown := sum(time != time for time in column):
        notes.append(Note("timing-unusable-number", f"{counted(unknown, 'value')} missing or not a time", "", where))
    return QueryTimes({HOST_MS: column}, 0, where, tuple(notes))


def _is_named(name: str) -> bool:
    """False, which sorts first, for Polygraphy's own names of TensorRT runners."""
    return not name.startswith("trt")


def other_runners(names: Sequence[str], where: str) -> Note:
    """On times of other runners than the one that is shown."""
    return Note("other-runners", f"times of other runners were left out: {', '.join(names[:4])}", "", where, "info")


def _name(quoted: bytes) -> str:
    try:
        return str(orjson.loads(quoted))
    except orjson.JSONDecodeError:
        return quoted.decode("utf-8", "replace").strip('"')


def _milliseconds(seconds: bytes) -> float:
    try:
        milliseconds = float(seconds) * 1e3
    except ValueError:  # null
        return _NAN
    return milliseconds if 0.0 <= milliseconds <= LONGEST_MS else _NAN
