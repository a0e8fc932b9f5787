"""Model → its engine's files: build, then profile, each only if something changed; a failure keeps earlier files."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from trex.capture.backend import BUILD, PROFILE, CaptureJob, StageResult, prepare_backend
from trex.capture.backup import backup
from trex.capture.child import TIME_LIMIT, ChildResult
from trex.capture.clocks import GPUConfigurator
from trex.capture.folder_lock import locked
from trex.capture.manifest import (
    EngineRecord,
    FileRecord,
    StageRecord,
    files_in_arguments,
    files_of_model,
    fingerprint,
    is_unchanged,
    read_manifest,
    record_of,
    utc_text,
    write_manifest,
)
from trex.capture.monitor import GPUMonitor
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs, make_folder, outputs_of
from trex.capture.phases import Watcher
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.whole_file import write_whole

DRAW = "draw"
STAGES = (BUILD, PROFILE, DRAW)

# trtexec updates its timing cache at every build: it makes builds faster, not different.
_NOT_IN_FINGERPRINT = ("--timingCacheFile=",)
_INCOMPLETE, _USAGE_ERROR = 1, 2
_HEAD_START_S = 0.02
"""For the child: the threads that work next to it would delay its start."""


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """Result of a run. done, up_to_date: stages. record: the engine's entry in the manifest, None without one.

    failure: why it ended early. exit_code: 0, 1 if exported files are incomplete, 2, the child's own, or 128 + N for
    a signal. stopped_by: the signal that trex got, or "". ``outputs`` has the files written until then.
    """

    outputs: Outputs
    done: tuple[str, ...] = ()
    up_to_date: tuple[str, ...] = ()
    record: EngineRecord | None = None
    notes: tuple[Note, ...] = ()
    failure: TrexError | None = None
    stopped_by: str = ""
    exit_code: int = 0


def stages_of(options: CaptureOptions, outputs: Outputs) -> tuple[str, ...]:
    """The stages asked for, without a build if an engine is given. Raises TrexError if none is left."""
    chosen = dict(zip(STAGES, (options.build_engine, options.profile_engine, options.draw_engine), strict=True))
    stages = [name for name in STAGES if chosen[name] or not any(chosen.values())]
    if outputs.model is None and BUILD in stages:
        stages.remove(BUILD)
        if not stages:
            raise TrexError("this is an engine already: there is nothing to build", "-p profiles it", options.model)
    return tuple(stages)


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
        with locked(outputs.folder) as notes:
            result = _run_stages(options, outputs, stages, watcher or Watcher(), notes, meanwhile or (lambda: None))
            if finish is not None:
                finish(result)
            return result
    except TrexError:
        if is_new_folder:
            with suppress(OSError):  # a folder with files stays
                outputs.folder.rmdir()
        raise


def _run_stages(
    options: CaptureOptions,
    outputs: Outputs,
    stages: list[str],
    watcher: Watcher,
    notes: tuple[Note, ...],
    meanwhile: Callable[[], None],
) -> CaptureResult:
    if not stages:
        record = read_manifest(outputs.manifest).engines.get(outputs.name)
        return CaptureResult(outputs, record=record, notes=notes)
    name, job = prepare_backend(options)
    run = _CaptureRun(options, outputs, name, job, watcher, meanwhile, notes=list(notes))
    return run.run(_possible(stages, job, options))


def _possible(stages: list[str], job: CaptureJob, options: CaptureOptions) -> list[str]:
    """The stages that the backend can run. Raises TrexError for one that was asked for, or if none is left."""
    possible = [stage for stage in stages if stage in job.stages]
    if not possible or (options.profile_engine and PROFILE not in job.stages):
        raise TrexError(
            f"--backend {options.backend} only builds: to profile takes a GPU",
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


@dataclass
class _CaptureRun:
    options: CaptureOptions
    outputs: Outputs
    backend: str
    job: CaptureJob
    watcher: Watcher
    meanwhile: Callable[[], None]
    notes: list[Note] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    up_to_date: list[str] = field(default_factory=list)
    failure: TrexError | None = None

    def run(self, stages: list[str]) -> CaptureResult:
        manifest = read_manifest(self.outputs.manifest)
        earlier = manifest.engines.get(self.outputs.name)
        self.notes += self.job.notes
        self.record = self._new_record(earlier)
        pending = [stage for stage in stages if not self._is_up_to_date(stage, stages, earlier)]
        self.up_to_date = [stage for stage in stages if stage not in pending]
        if PROFILE in pending and BUILD not in stages and not self.outputs.engine.is_file():
            raise TrexError(
                "there is no engine to profile", "build it first: leave -p out, or add -b", str(self.outputs.engine)
            )
        last: StageResult | None = None
        with ExitStack() as stack:
            configurator, monitor = self._enter_gpu(stack, pending)
            for stage in pending:
                try:
                    with monitor.stage(stage):
                        last = self._run_stage(stage)
                except TrexError as error:
                    self.failure = error
                    break
                write_manifest(manifest.with_engine(self.record), self.outputs.manifest)
                if not last.succeeded:
                    break
                self.done.append(stage)
        if pending:  # after the clocks were restored: notes say if that failed
            self.notes += (*configurator.notes, *monitor.notes)
            self.record = replace(self.record, notes=tuple(dict.fromkeys(self.notes)))
            write_manifest(manifest.with_engine(self.record), self.outputs.manifest)
        return self._result(last)

    def _new_record(self, earlier: EngineRecord | None) -> EngineRecord:
        from trex import __version__

        return replace(
            earlier or EngineRecord(self.outputs.name),
            trex_version=__version__,
            tensorrt_version=str(self.job.release),
            backend=self.backend,
            program=self.job.program,
            notes=(),
        )

    # ------------------------------------------------------------------------------ what is up to date

    def _is_up_to_date(self, stage: str, stages: list[str], earlier: EngineRecord | None) -> bool:
        known = earlier.stages.get(stage) if earlier else None
        if self.options.force or known is None or not known.is_well or not known.outputs:
            return False
        if stage == PROFILE and BUILD in stages and not self._is_up_to_date(BUILD, stages, earlier):
            return False
        source = self._source(stage)
        if not source.is_file() or self._fingerprint(stage, record_of(source, self._known(stage))) != known.fingerprint:
            return False
        files = self._result_files(stage)
        return all(is_unchanged(record, files[kind]) for kind, record in known.outputs.items() if kind in files)

    def _source(self, stage: str) -> Path:
        """The file that a stage starts from."""
        model = self.outputs.model
        return model if stage == BUILD and model is not None else self.outputs.engine

    def _known(self, stage: str) -> FileRecord | None:
        known = self.record.model if stage == BUILD else self.record.engine
        return known if known is not None and known.path == str(self._source(stage)) else None

    def _fingerprint(self, stage: str, source: FileRecord) -> str:
        folder = Path("OUTDIR")
        model = Path("MODEL") if self.outputs.model else None
        command = self.job.command(stage, Outputs(folder, "NAME", folder / "ENGINE", model))[1:]
        arguments = tuple(argument for argument in command if not argument.startswith(_NOT_IN_FINGERPRINT))
        facts: list[object] = [stage, self.backend, self.record.tensorrt_version, source.sha256, arguments]
        facts.append(files_in_arguments(arguments))
        if stage == BUILD:
            facts.append(files_of_model(self._source(stage)))
        else:
            o = self.options
            clocks = (o.dont_lock_clocks, o.compute_clk_freq, o.memory_clk_freq, o.power_limit)
            facts += [clocks, o.monitor]
        return fingerprint(*facts)

    # -------------------------------------------------------------------------------------- the stages

    def _enter_gpu(self, stack: ExitStack, pending: list[str]) -> tuple[GPUConfigurator, GPUMonitor]:
        """Locks the clocks and monitors the GPU until the stack is left."""
        o = self.options
        runs = bool(pending) and self.job.uses_gpu
        power_limit = o.power_limit if runs and o.power_limit else None
        leaves_clocks = o.dont_lock_clocks or not runs
        configurator = GPUConfigurator(power_limit, o.compute_clk_freq, o.memory_clk_freq, o.gpu, leaves_clocks)
        monitor = GPUMonitor(o.monitor and runs, o.gpu, output=self.outputs.telemetry)
        stack.enter_context(configurator)
        if runs:
            self.record = replace(self.record, clocks=dict(configurator.applied))
        stack.enter_context(monitor)
        return configurator, monitor

    def _run_stage(self, stage: str) -> StageResult:
        with ThreadPoolExecutor(1) as reader, backup(self._outdated_by(stage)) as previous:
            reader.submit(time.sleep, _HEAD_START_S)
            reading = reader.submit(record_of, self._source(stage), self._known(stage))  # many GiB take seconds
            reader.submit(self.meanwhile)
            result = self.job.run(stage, self.outputs, self.watcher)
            previous.restores = not result.succeeded
        source_record = reading.result()
        metadata_notes = self._write_metadata(stage)
        self.notes += result.notes
        if result.succeeded:
            self.notes += [note for note in metadata_notes if note.severity != "info"]
        is_well = result.succeeded and not any(note.severity == "problem" for note in result.notes)
        log = self.outputs.log(stage)
        record = StageRecord(
            name=stage,
            command=result.command,
            exit_code=result.child.exit_code,
            stopped_by=result.child.stopped_by,
            start=utc_text(result.child.started),
            end=utc_text(result.child.ended),
            duration_s=round(result.child.duration_s, 3),
            fingerprint=self._fingerprint(stage, source_record) if is_well else "",
            is_well=is_well,
            log=str(log) if log.is_file() else "",
            message=result.failure.message if result.failure else "",
            peak_memory_bytes=result.child.peak_bytes,
            outputs={kind: record_of(path) for kind, path in self._result_files(stage).items() if path.is_file()},
        )
        if stage == BUILD:
            # A profile of the previous engine is outdated.
            others = {name: other for name, other in self.record.stages.items() if name != PROFILE}
            engine = record.outputs.get("engine")
            self.record = replace(self.record, model=source_record, engine=engine, stages=others)
        else:
            self.record = replace(self.record, engine=source_record)
        self.record = self.record.with_stage(record)
        return result

    def _outdated_by(self, stage: str) -> list[Path]:
        """Files that a stage replaces or makes wrong: a build also outdates measurements and pictures."""
        o = self.outputs
        measured = [o.profile, o.times, o.profile_metadata, o.report]
        return [o.engine, o.graph, o.build_metadata, o.picture, *measured] if stage == BUILD else measured

    def _result_files(self, stage: str) -> dict[str, Path]:
        """Files that must be unchanged for a stage to be up to date. The graph of the profile replaces the build's."""
        o = self.outputs
        if stage == BUILD:
            return {"engine": o.engine, "log": o.build_log, "metadata": o.build_metadata}
        return {
            "graph": o.graph, "profile": o.profile, "times": o.times, "log": o.profile_log,
            "metadata": o.profile_metadata,
        }  # fmt: skip

    def _write_metadata(self, stage: str) -> tuple[Note, ...]:
        from trex.capture.log_metadata import BUILD_SECTIONS, PROFILE_SECTIONS, metadata_bytes, metadata_of_log

        log = self.outputs.log(stage)
        if not log.is_file():
            return ()
        metadata = metadata_of_log(log)
        if metadata.is_empty:
            return ()
        sections = BUILD_SECTIONS if stage == BUILD else PROFILE_SECTIONS
        path = self.outputs.build_metadata if stage == BUILD else self.outputs.profile_metadata
        write_whole(path, metadata_bytes(metadata, sections))
        return metadata.notes

    def _result(self, last: StageResult | None) -> CaptureResult:
        notes = tuple(dict.fromkeys(self.notes))
        result = CaptureResult(self.outputs, tuple(self.done), tuple(self.up_to_date), self.record, notes)
        if self.failure is not None:
            return replace(result, failure=self.failure, exit_code=_USAGE_ERROR)
        if last is None or last.succeeded:
            is_complete = all(self.record.stages[stage].is_well for stage in self.done)
            return result if is_complete else replace(result, exit_code=_INCOMPLETE)
        stopped_by = "" if last.child.stopped_by == TIME_LIMIT else last.child.stopped_by
        return replace(result, failure=last.failure, stopped_by=stopped_by, exit_code=_exit_code(last.child))


def _exit_code(result: ChildResult) -> int:
    if result.stopped_by and result.stopped_by != TIME_LIMIT:
        import signal

        return 128 + int(signal.Signals[result.stopped_by])
    if result.stopped_by or not result.exit_code:
        return _USAGE_ERROR
    return 128 - result.exit_code if result.exit_code < 0 else result.exit_code
