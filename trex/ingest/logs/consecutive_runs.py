"""Consecutive runs in one log → those of one engine: a log that is appended to holds others, too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.differing_facts import are_two_gpus, sizes_of_two_engines
from trex.ingest.logs.log_run import LogRun
from trex.ingest.logs.run_metadata import RUN_CRASHED, RUN_UNFINISHED
from trex.ingest.spelling.shape_options import run_shapes

INTERRUPTED_RUN = "times-of-an-earlier-run"
"""Code of the problem that the last run of a log printed no times, and those of a run before it are used."""
_FILE = re.compile(r"--(onnx|loadEngine|saveEngine)[= ]['\"]?([^\s'\"]+)")


def runs_of_one_engine(runs: Sequence[LogRun], where: str = "") -> tuple[tuple[LogRun, ...], tuple[Note, ...]]:
    """The last run that did not fail, and those that may be of its engine; a Note about the others, which are left out,
    and one on times of a run before the last one, which did not come to its own.

    Times at other shapes are left out, too.
    """
    if len(runs) < 2:
        return tuple(runs), ()
    chosen = next((run for run in reversed(runs) if run.passed is not False), runs[-1])
    kept, reasons = [], list[str]()
    for run in runs:
        if run is not chosen and (reason := _difference(run, chosen)):
            reasons.append(reason)
        else:
            kept.append(run if run is chosen or not _has_other_shapes(run, chosen) else _without_times(run))
    notes = tuple(_of_the_run_before(kept, where))
    if not reasons:
        return tuple(kept), notes
    words = counted(len(reasons), "run is", "runs are")
    message = f"{words} of another engine than the one from line {chosen.first_line}, and left out: {reasons[-1]}"
    return tuple(kept), (Note("other-runs-in-log", message, "keep one log per engine", where), *notes)


def _of_the_run_before(runs: Sequence[LogRun], where: str) -> Iterator[Note]:
    last = runs[-1]
    ended = {note.code for note in last.all_notes} & {RUN_UNFINISHED, RUN_CRASHED}
    if ended and not _has_times(last) and any(map(_has_times, runs)):
        message = f"the run from line {last.first_line} was interrupted: the times are those of a run before it"
        yield Note(
            INTERRUPTED_RUN, message, "run it again, with a log of its own", f"{where}:{last.first_line}", "problem"
        )


def _has_times(run: LogRun) -> bool:
    return bool(run.metadata.latency) or run.layer_times is not None


def _difference(run: LogRun, chosen: LogRun) -> str:
    """Why they are not of one engine; "" if they may be."""
    one, other = run.metadata, chosen.metadata
    if are_two_gpus(one, other):
        return "it ran on another GPU"
    if one.tensorrt_version and other.tensorrt_version and one.tensorrt_version != other.tensorrt_version:
        return f"it is of TensorRT {one.tensorrt_version}"
    files = [dict(_FILE.findall(metadata.command_line)) for metadata in (one, other)]
    for names in ("onnx",), ("loadEngine", "saveEngine"):
        own, more = ({PurePath(file[name]).name for name in names if name in file} for file in files)
        if own and more and not own & more:
            return f"it names {min(own)!r}"
    own_precision, precision = (str(facts.build_options.get("Precision") or "") for facts in (one, other))
    if own_precision and precision and own_precision != precision:
        return f"it builds for {own_precision}"
    if sizes := sizes_of_two_engines(one, other):
        return f"its engine has {sizes[0]}"
    return ""


def _has_other_shapes(run: LogRun, chosen: LogRun) -> bool:
    own, other = run_shapes(run.metadata), run_shapes(chosen.metadata)
    return any(own[name] != other[name] for name in own.keys() & other.keys())


def _without_times(run: LogRun) -> LogRun:
    metadata = replace(run.metadata, performance={}, latency={}, inference_options={})
    return replace(run, metadata=metadata, layer_times=None)
