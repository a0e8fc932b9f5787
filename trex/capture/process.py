"""Model → its engine's files: build, then profile, each only if something changed.

A run writes into a folder of its own (``staging``), and its files are moved in together: the output folder holds what
it held before, or all that is new.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from trex.capture.backend import BUILD, PROFILE, CaptureJob, prepare_backend
from trex.capture.capture_run import CaptureResult, CaptureRun
from trex.capture.folder_lock import FolderLock, locked
from trex.capture.manifest import check_manifest, read_manifest, record_of
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs, make_folder, outputs_of
from trex.capture.phases import Watcher
from trex.capture.staging import Staging
from trex.capture.tensorrt_api.files import may_be_timing_cache
from trex.capture.tensorrt_api.tactics import cache_path
from trex.core.errors import TrexError
from trex.core.note import Note

DRAW = "draw"
STAGES = (BUILD, PROFILE, DRAW)
_READ = ("loadInputs", "calib", "plugins", "staticPlugins", "dynamicPlugins", "setPluginsToSerialize")
_WRITTEN = ("exportOutput", "saveDebugTensors")
"""Options of trtexec with files, beyond those that trex gives it."""


def asked_stages(options: CaptureOptions) -> list[str]:
    chosen = dict(zip(STAGES, (options.build_engine, options.profile_engine, options.draw_engine), strict=True))
    return [name for name in STAGES if chosen[name] or not any(chosen.values())]


def stages_of(options: CaptureOptions, outputs: Outputs) -> tuple[str, ...]:
    """The stages asked for, without a build if an engine is given. Raises TrexError if none is left, and for files that
    the run would damage or cannot read.
    """
    stages = asked_stages(options)
    if outputs.model is None and BUILD in stages:
        stages.remove(BUILD)
        if not stages:
            raise TrexError("this is an engine already: there is nothing to build", "-p profiles it", options.model)
    if BUILD not in stages and (options.record_tactics or options.replay_tactics):
        hint = "name the ONNX model, and leave -p and -d out or add -b"
        raise TrexError("tactics are recorded and replayed by a build, and this run builds nothing", hint)
    caches = [("timing cache", path) for path in options.timing_caches]
    for what, path in (*caches, ("record of tactics", options.replay_tactics)):
        if path and Path(path).exists() and not Path(path).is_file():
            raise TrexError(f"this is a folder, a device or a pipe, not a {what}", "name a file", path)
    if BUILD in stages:
        for path in options.timing_caches:
            if not may_be_timing_cache(path):  # the build would write over it
                hint = "name one, or a file that does not exist; one of TensorRT before 8.6 must end in .cache"
                raise TrexError("this file is not a timing cache", hint, path)
    _refuse_overwriting(options, outputs)
    return tuple(stages)


def _refuse_overwriting(options: CaptureOptions, outputs: Outputs) -> None:
    """Raises TrexError if an option of trtexec writes over what the run reads, or over other files of the run."""
    used = _used(options, outputs)
    for option in _WRITTEN:
        for path in _paths_of(option, options):
            if os.path.realpath(path) in used:
                message = "trtexec would write over a file of this run"
                raise TrexError(message, f"name another for {option}", path)


def is_used(path: str, options: CaptureOptions) -> bool:
    """Whether the run reads or writes this file, or would."""
    written = {os.path.realpath(file) for option in _WRITTEN for file in _paths_of(option, options)}
    return os.path.realpath(path) in written | _used(options, outputs_of(options.model, options.outdir))


def _used(options: CaptureOptions, outputs: Outputs) -> set[str]:
    """What the run reads, and what it writes without an option of trtexec that names it."""
    named = [path for option in _READ for path in _paths_of(option, options)]
    named += [options.model, *options.timing_caches]
    for record in filter(None, (options.record_tactics, options.replay_tactics)):
        named += [record, cache_path(record)]
    named += map(str, (*outputs.files, outputs.manifest, outputs.timing_cache, outputs.archive))
    return {os.path.realpath(path) for path in named if path}


def _paths_of(option: str, options: CaptureOptions) -> list[str]:
    """Of a path, or of ``name:path,…``."""
    texts = list(options.values_for_trtexec(option))
    return texts + [part.partition(":")[2] for text in texts for part in text.split(",") if ":" in part]


def commands(options: CaptureOptions) -> list[tuple[str, ...]]:
    """The command lines of a run, in order; only the backend's release is asked for. Raises TrexError."""
    outputs = outputs_of(options.model, options.outdir)
    stages = [stage for stage in stages_of(options, outputs) if stage != DRAW]
    if not stages:
        return []
    _, job = prepare_backend(options)
    return [job.command(stage, outputs) for stage in _possible(stages, job, options)]


def process(
    options: CaptureOptions,
    watcher: Watcher | None = None,
    finish: Callable[[CaptureResult], None] | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> CaptureResult:
    """Builds and profiles; drawing is left to the caller.

    finish: gets the result while the folder is still locked, for more files to write. meanwhile: called in another
    thread while a stage runs, to prepare what comes after it; what it raises is ignored. A stage that fails and a
    signal end the run and are in the result. Raises TrexError for mistakes found before any stage starts, and while
    another run writes into the folder.
    """
    outputs = outputs_of(options.model, options.outdir)
    stages = [stage for stage in stages_of(options, outputs) if stage != DRAW]
    is_new_folder = not outputs.folder.exists()
    make_folder(outputs.folder)
    try:
        with locked(outputs.folder) as lock:
            check_manifest(outputs.manifest)
            staging, result = Staging(outputs), None
            try:
                shown = _Shown(watcher or Watcher(), lock)
                result = _run_stages(options, staging, outputs, stages, shown, meanwhile or (lambda: None))
            finally:
                staging.close(succeeded=result is not None and result.is_well)
            other = () if BUILD in stages else _of_other_model(outputs)
            older = _older_archive(outputs) if result.done and result.is_well and not options.archive else ()
            result = replace(result, notes=(*lock.notes, *other, *older, *result.notes))
            if finish is not None:
                finish(result)
            return result
    except TrexError:
        if is_new_folder:
            with suppress(OSError):  # a folder with files stays
                outputs.folder.rmdir()
        raise


def _of_other_model(outputs: Outputs) -> tuple[Note, ...]:
    """A note if the engine that a run without a build takes was built from another model than the one named."""
    record = read_manifest(outputs.manifest).engines.get(outputs.name)
    known = record.model if record is not None else None
    if known is None or outputs.model is None or not outputs.model.is_file():
        return ()
    if record_of(outputs.model, known if known.path == str(outputs.model) else None).sha256 == known.sha256:
        return ()
    message = f"the engine was built from another model than {outputs.model.name}: {known.path} as it was then"
    return (Note("other-model", message, "build again: leave -p and -d out", str(outputs.model), "problem"),)


def _older_archive(outputs: Outputs) -> tuple[Note, ...]:
    if not outputs.archive.is_file():
        return ()
    message = "this archive is older than the files that were written now"
    return (Note("older-archive", message, "--archive writes it anew", str(outputs.archive)),)


class _Shown(Watcher):
    """Shows what another watcher shows, and names the child in the lock."""

    def __init__(self, watcher: Watcher, lock: FolderLock) -> None:
        self.phase = watcher.phase  # type: ignore[method-assign]
        self.line = watcher.line  # type: ignore[method-assign]
        self._started = watcher.started
        self._lock = lock

    def started(self, process: int) -> None:
        self._lock.names_child(process)
        self._started(process)


def _run_stages(
    options: CaptureOptions,
    staging: Staging,
    outputs: Outputs,
    stages: list[str],
    watcher: Watcher,
    meanwhile: Callable[[], None],
) -> CaptureResult:
    if not stages:
        record = read_manifest(outputs.manifest).engines.get(outputs.name)
        return CaptureResult(outputs, record=record)
    name, job = prepare_backend(options)
    return CaptureRun(options, outputs, staging, name, job, watcher, meanwhile).run(_possible(stages, job, options))


def _possible(stages: list[str], job: CaptureJob, options: CaptureOptions) -> list[str]:
    """The stages that the backend can run. Raises TrexError for one that was asked for, or if none is left."""
    possible = [stage for stage in stages if stage in job.stages]
    if not possible or (options.profile_engine and PROFILE not in job.stages):
        raise TrexError(
            f"--backend {options.backend} only builds here: to profile takes a GPU that it runs on",
            "leave -p out, or predict the times: --device NAME",
        )
    return possible


def archive(outputs: Outputs) -> Path:
    """All files of an engine in one archive. Raises TrexError."""
    files = (
        outputs.engine, outputs.graph, outputs.profile, outputs.times, outputs.build_log, outputs.build_metadata,
        outputs.profile_log, outputs.profile_metadata, outputs.telemetry, outputs.picture, outputs.report,
        outputs.timing_cache, outputs.manifest,
    )  # fmt: skip
    from trex.capture.engine_archive import write_archive

    return write_archive(outputs.archive, files)
