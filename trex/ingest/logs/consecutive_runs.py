"""Runs in the logs of one engine → those of the engine, with the times of one: a log may hold other runs, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from trex.core.counted import counted
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.ingest.differing_facts import are_two_gpus, are_two_releases, sizes_of_two_engines
from trex.ingest.logs.log_run import LogRun
from trex.ingest.logs.run_metadata import RUN_CRASHED, RUN_FAILED, RUN_UNFINISHED
from trex.ingest.logs.warning_table import NO_END_TO_END
from trex.ingest.spelling.shape_options import run_shapes

INTERRUPTED_RUN = "times-of-an-earlier-run"
"""Code of the problem that times are of a run before the last one, or before the engine was built again."""
EARLIER_ENGINE = "engine-of-an-earlier-run"
"""Code of the problem that sizes and times are of the engine before the one that the last run built, or failed to."""
_FILE = re.compile(r"--(onnx|loadEngine|saveEngine)[= ]['\"]?([^\s'\"]+)")
_EXPORTED = re.compile(r"--export(?:Times|Profile)[= ]['\"]?([^\s'\"]+)")
_ONLY_BUILDS = re.compile(r"--(?:skipInference|buildOnly)\b")
_BUILT = ("engine_built_s", "engine_generation_s")
_NAMES = "it names "
_REBUILT = "before the engine was built again"
_TIMES: tuple[tuple[str, Callable[[LogRun], object]], ...] = (
    ("latency", lambda run: run.metadata.latency),
    ("layer times", lambda run: run.layer_times),
)


def runs_of_one_engine(runs: Sequence[LogRun], where: str = "") -> tuple[tuple[LogRun, ...], tuple[Note, ...]]:
    """The last run that did not fail, and those that may be of its engine; a Note about the others, which are left
    out. A failure that a later run made good is a warning.
    """
    if len(runs) < 2:
        return tuple(runs), ()
    runs = list(_made_good(runs))
    last = next((number for number, run in reversed([*enumerate(runs)]) if run.passed is not False), len(runs) - 1)
    chosen = runs[last]
    kept, reasons, notes = [], list[str](), list[Note]()
    for number, run in enumerate(runs):
        is_later = number > last
        if run is chosen or not (reason := engine_difference(run, chosen)):
            kept.append(run)
            if is_later and _replaces_engine(run) and not _has_engine(run) and _has_engine(chosen):
                notes = [_earlier_engine(run, chosen, where)]
            continue
        reasons.append(reason)
        if is_later and _replaces_engine(run) and not reason.startswith(_NAMES):
            failures = [note for note in run.metadata.notes if note.code in (RUN_FAILED, RUN_CRASHED)]
            notes = [*failures, _earlier_engine(run, chosen, where, f": {reason}")]
    if not reasons:
        return tuple(kept), tuple(notes)
    words = counted(len(reasons), "run is", "runs are")
    line = f"line {chosen.first_line}" + "".join(f" of {PurePath(path).name}" for path in chosen.metadata.sources[:1])
    message = f"{words} of another engine than the one from {line}, and left out: {reasons[-1]}"
    return tuple(kept), (Note("other-runs-in-log", message, "keep one log per engine", where), *notes)


def _earlier_engine(failed: LogRun, chosen: LogRun, where: str, reason: str = "") -> Note:
    """A later run of the same files failed: what is reported is of the engine before."""
    message = (
        f"the run from line {failed.first_line} failed, of another engine than the one reported, which is from line "
        f"{chosen.first_line}{reason}"
    )
    return Note(EARLIER_ENGINE, message, "run it again, with a log of its own", where, "problem")


def _replaces_engine(run: LogRun) -> bool:
    """Whether it was to write an engine; also where its command is not known."""
    command = run.metadata.command_line
    return not command or "saveEngine" in dict(_FILE.findall(command))


def _has_engine(run: LogRun) -> bool:
    return not run.metadata.milestones.keys().isdisjoint(_BUILT)


def _made_good(runs: Sequence[LogRun]) -> Iterator[LogRun]:
    passed = [number for number, run in enumerate(runs) if run.passed]
    timed = [number for number in passed if _has_times(runs[number])]
    for number, run in enumerate(runs):
        later = timed if _has_times(run) else passed
        if not later or later[-1] <= number:
            yield run
            continue
        notes = (
            replace(note, severity="warning") if note.code in (RUN_FAILED, RUN_CRASHED) else note
            for note in run.metadata.notes
        )
        yield replace(run, metadata=replace(run.metadata, notes=tuple(notes)))


def mark_rebuilt(runs: Sequence[LogRun]) -> tuple[LogRun, ...]:
    """The runs of one log, in order. Those before its last build that printed no times are of an earlier engine; not if
    that build left no file and they did, as one that fills a timing cache.
    """
    files = [_writes_files(run) for run in runs]
    builds = [number for number, run in enumerate(runs) if _is_build(run) and not _has_times(run)]
    last = max((number for number in builds if files[number] or not any(files[:number])), default=0)
    return tuple(replace(run, is_rebuilt=number < last) for number, run in enumerate(runs))


def _writes_files(run: LogRun) -> bool:
    """Of an engine; also where its command is not known."""
    command = run.metadata.command_line
    return not command or "saveEngine" in dict(_FILE.findall(command)) or bool(_EXPORTED.search(command))


def _is_build(run: LogRun) -> bool:
    return _has_engine(run) and run.passed is not False and not loads_engine(run)


def exported_before(runs: Sequence[LogRun], paths: Sequence[str]) -> Iterator[Note]:
    """A problem for each file of times that only runs before the last build in their log wrote."""
    later = {name for run in runs if not run.is_rebuilt for name in _exported(run)}
    earlier = {name: run for run in runs if run.is_rebuilt for name in _exported(run) if name not in later}
    for path in paths:
        if run := earlier.get(PurePath(path).name):
            message = f"by {_address(run)}, these times were exported before the engine was built again"
            yield Note(INTERRUPTED_RUN, message, "profile the engine again, with a log of its own", path, "problem")


def _exported(run: LogRun) -> set[str]:
    return {PurePath(path).name for path in _EXPORTED.findall(run.metadata.command_line)}


def times_of_one_run(
    runs: Sequence[LogRun], measured: Metadata, *, has_latency: bool = False, has_layer_times: bool = False
) -> tuple[list[LogRun], list[Note]]:
    """The runs without the times of those that are not like the measured one; a Note on times that only those have.

    has_latency, has_layer_times: whether a file that is no log has them.
    """
    reasons = [_REBUILT if run.is_rebuilt else _other_run(run.metadata, measured) for run in runs]
    kept = [_without_times(run) if reason else run for run, reason in zip(runs, reasons, strict=True)]
    known = {"latency": has_latency, "layer times": has_layer_times}
    left_out = [what for what, of in _TIMES if any(map(of, runs)) and not (known[what] or any(map(of, kept)))]
    if not left_out:
        return kept, []
    run, reason = next((run, reason) for run, reason in zip(runs, reasons, strict=True) if reason and _has_times(run))
    message = f"left out: {' and '.join(left_out)} of a run {reason}"
    hint = "profile the engine again, with a log of its own"
    return kept, [Note("times-of-another-run", message, hint, _address(run))]


def measuring_run(run_log: Sequence[LogRun], others: Sequence[LogRun]) -> Metadata:
    """Of the run that the times should be of: the last in its log that did not fail, or the first other with times."""
    last = (run for run in reversed(run_log) if run.passed is not False and _may_measure(run))
    return next(
        (run.metadata for run in (*last, *(run for run in others if _has_times(run) and not run.is_rebuilt))),
        Metadata(),
    )


def interrupted_run(run: LogRun) -> Iterator[Note]:
    """A problem if the run ended before it had times. trtexec exports times after it has printed them."""
    ended = {note.code for note in run.all_notes} & {RUN_UNFINISHED, RUN_CRASHED}
    if ended and not _has_times(run) and not _ONLY_BUILDS.search(run.metadata.command_line):
        message = f"the run from line {run.first_line} was interrupted before it had times: they are of another run"
        yield Note(INTERRUPTED_RUN, message, "run it again, with a log of its own", _address(run), "problem")


def unreported_times(runs: Sequence[LogRun], path: str) -> Iterator[Note]:
    """A Note if no run of the engine reports the times of queries that a file has, and one of them says why: with the
    profiler on, trtexec neither prints nor exports them. A problem if its command asked for them. runs: newest first.
    """
    newest = next((run for run in runs if any(note.code == NO_END_TO_END for note in run.all_notes)), None)
    if newest is None or any(run.metadata.latency for run in runs):
        return
    message = f"by {_address(newest)}, the run reported no times of queries, which trtexec then does not export"
    severity = "problem" if "--exportTimes" in newest.metadata.command_line else "warning"
    hint = "measure again with --separateProfileRun, or keep the log of the run that exported the times"
    yield Note(INTERRUPTED_RUN, f"{message}: they are of another run", hint, path, severity)


def loads_engine(run: LogRun) -> bool:
    """Whether it is certainly no build."""
    return any(option == "loadEngine" for option, _ in _FILE.findall(run.metadata.command_line))


def _may_measure(run: LogRun) -> bool:
    options = run.metadata.inference_options
    return not run.is_rebuilt and (
        _has_times(run) or bool(options and not _ONLY_BUILDS.search(run.metadata.command_line))
    )


def _has_times(run: LogRun) -> bool:
    return bool(run.metadata.latency) or run.layer_times is not None


def _address(run: LogRun) -> str:
    source = next(iter(run.metadata.sources), "")
    return f"{source}:{run.first_line}" if source else ""


def engine_difference(run: LogRun, chosen: LogRun) -> str:
    """Why they are not of one engine; "" if they may be."""
    one, other = run.metadata, chosen.metadata
    if are_two_gpus(one, other):
        return "it ran on another GPU"
    if are_two_releases(one, other):
        return f"it is of TensorRT {one.tensorrt_version}"
    files = [dict(_FILE.findall(metadata.command_line)) for metadata in (one, other)]
    for names in ("onnx",), ("loadEngine", "saveEngine"):
        own, more = ({PurePath(file[name]).name for name in names if name in file} for file in files)
        if own and more and not own & more:
            return f"{_NAMES}{min(own)!r}"
    own_precision, precision = (str(facts.build_options.get("Precision") or "") for facts in (one, other))
    if own_precision and precision and own_precision != precision:
        return f"it builds for {own_precision}"
    if sizes := sizes_of_two_engines(one, other):
        return f"its engine has {sizes[0]}"
    return ""


def _other_run(run: Metadata, measured: Metadata) -> str:
    """In which way the times of two runs are not those of one; "" if they may be."""
    if are_two_gpus(run, measured):
        return "on another GPU"
    if are_two_releases(run, measured):
        return f"by TensorRT {run.tensorrt_version}"
    own, other = run_shapes(run), run_shapes(measured)
    is_known = bool(measured.inference_options) and bool(own) != bool(other)
    if is_known or any(own[name] != other[name] for name in own.keys() & other.keys()):
        return "at other shapes"
    return ""


def _without_times(run: LogRun) -> LogRun:
    metadata = replace(run.metadata, performance={}, latency={}, inference_options={})
    return replace(run, metadata=metadata, layer_times=None)
