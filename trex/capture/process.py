"""A model → its engine's files: build, then profile, each only where something has changed; what is there is kept."""

from __future__ import annotations

import platform
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from trex.capture.backend import BUILD, PROFILE, Job, StageEnd, prepared
from trex.capture.child import TIME_LIMIT
from trex.capture.clocks import GPUConfigurator
from trex.capture.fingerprints import (
    FileRecord,
    files_in_words,
    files_of_model,
    fingerprint,
    is_unchanged,
    record_of,
)
from trex.capture.folder_lock import locked
from trex.capture.manifest import EngineRecord, StageRecord, read_manifest, utc_text, write_manifest
from trex.capture.monitor import GPUMonitor
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs, make_folder, outputs_of
from trex.capture.set_aside import set_aside
from trex.capture.watcher import Quiet, Watcher
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.whole_file import write_whole

DRAW = "draw"
STAGES = (BUILD, PROFILE, DRAW)

# trtexec appends to its timing cache at every build: it makes builds faster, not different.
_NO_INPUTS = ("--timingCacheFile=",)
_INCOMPLETE, _TO_MEND = 1, 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a run. done, up_to_date: stages. record: what the manifest says of the engine, None without one.

    failure: why it ended early. exit_code: 0, 1 where exported files are incomplete, 2, the child's own, or 128 + N for
    a signal. stopped_by: the signal that we got, "" for none. What was collected until then lies in ``outputs``.
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
    """The stages that are asked for; an engine that is given is not built. Raises TrexError where nothing is left."""
    chosen = dict(zip(STAGES, (options.build_engine, options.profile_engine, options.draw_engine), strict=True))
    stages = [name for name in STAGES if chosen[name] or not any(chosen.values())]
    if outputs.model is None and BUILD in stages:
        stages.remove(BUILD)
        if not stages:
            raise TrexError("this is an engine already: there is nothing to build", "-p profiles it", options.model)
    return tuple(stages)


def commands(options: CaptureOptions) -> list[tuple[str, ...]]:
    """The commands of a run, in order; nothing is run but what tells the release. Raises TrexError."""
    outputs = outputs_of(options.model, options.outdir)
    stages = [stage for stage in stages_of(options, outputs) if stage != DRAW]
    if not stages:
        return []
    _, job = prepared(options)
    return [job.command(stage, outputs) for stage in stages]


def process(
    options: CaptureOptions, watcher: Watcher | None = None, finish: Callable[[Outcome], None] | None = None
) -> Outcome:
    """Builds and profiles as the options say; drawing is left to the caller.

    finish: what is still to be done in the folder, while no other run writes into it; gets the Outcome.
    A stage that fails ends the run and is told in the Outcome; so is a signal. Raises TrexError for what is wrong
    before anything has begun, and while another run writes into the folder.
    """
    outputs = outputs_of(options.model, options.outdir)
    stages = [stage for stage in stages_of(options, outputs) if stage != DRAW]
    was_there = outputs.folder.exists()
    make_folder(outputs.folder)
    try:
        return _processed(options, outputs, stages, watcher or Quiet(), finish)
    except TrexError:
        if not was_there:
            with suppress(OSError):  # a folder that holds something stays
                outputs.folder.rmdir()
        raise


def _processed(
    options: CaptureOptions,
    outputs: Outputs,
    stages: list[str],
    watcher: Watcher,
    finish: Callable[[Outcome], None] | None,
) -> Outcome:
    with locked(outputs.folder) as notes:
        if stages:
            name, job = prepared(options)
            with ThreadPoolExecutor(1) as meanwhile:
                run = _Run(options, outputs, name, job, watcher, meanwhile, notes=list(notes))
                outcome = run.run(stages)
        else:
            record = read_manifest(outputs.manifest).engines.get(outputs.name)
            outcome = Outcome(outputs, record=record, notes=notes)
        if finish is not None:
            finish(outcome)
    return outcome


def archive(outputs: Outputs) -> Path:
    """Everything that is there of an engine, in one file. Raises TrexError."""
    kinds = (
        outputs.engine, outputs.graph, outputs.profile, outputs.times, outputs.build_log, outputs.build_metadata,
        outputs.profile_log, outputs.profile_metadata, outputs.telemetry, outputs.picture, outputs.report,
        outputs.timing_cache, outputs.manifest,
    )  # fmt: skip
    from trex.capture.archive import write_archive

    return write_archive(outputs.archive, kinds)


@dataclass
class _Run:
    options: CaptureOptions
    outputs: Outputs
    backend: str
    job: Job
    watcher: Watcher
    meanwhile: ThreadPoolExecutor
    notes: list[Note] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    up_to_date: list[str] = field(default_factory=list)
    failure: TrexError | None = None

    def run(self, stages: list[str]) -> Outcome:
        manifest = read_manifest(self.outputs.manifest)
        earlier = manifest.engines.get(self.outputs.name)
        self.notes += self.job.notes
        self.record = self._begun(earlier)
        pending = [stage for stage in stages if not self._is_up_to_date(stage, stages, earlier)]
        self.up_to_date = [stage for stage in stages if stage not in pending]
        if PROFILE in pending and BUILD not in stages and not self.outputs.engine.is_file():
            raise TrexError(
                "there is no engine to profile", "build it first: leave -p out, or add -b", str(self.outputs.engine)
            )
        end: StageEnd | None = None
        with ExitStack() as around:
            configurator, monitor = self._around(around, pending)
            for stage in pending:
                try:
                    with monitor.stage(stage):
                        end = self._stage(stage)
                except TrexError as error:
                    self.failure = error
                    break
                self.record = replace(self.record, end=_now())
                write_manifest(manifest.with_engine(self.record), self.outputs.manifest)
                if end.failure or end.stopped_by:
                    break
                self.done.append(stage)
        if pending:  # what did not work with the clocks is told to the end: also that they could not be put back
            self.notes += (*configurator.notes, *monitor.notes)
            self.record = replace(self.record, notes=tuple(dict.fromkeys(self.notes)))
            write_manifest(manifest.with_engine(self.record), self.outputs.manifest)
        return self._outcome(end)

    def _begun(self, earlier: EngineRecord | None) -> EngineRecord:
        from trex import __version__

        return EngineRecord(
            name=self.outputs.name,
            trex_version=__version__,
            tensorrt_version=str(self.job.release),
            backend=self.backend,
            program=self.job.program,
            platform=platform.platform(),
            model=earlier.model if earlier else None,
            engine=earlier.engine if earlier else None,
            gpu=earlier.gpu if earlier else {},
            driver=earlier.driver if earlier else None,
            clocks=earlier.clocks if earlier else {},
            start=_now(),
            stages=earlier.stages if earlier else {},
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
        kept = self._kept(stage)
        return all(is_unchanged(record, kept[kind]) for kind, record in known.outputs.items() if kind in kept)

    def _source(self, stage: str) -> Path:
        """What a stage begins with."""
        model = self.outputs.model
        return model if stage == BUILD and model is not None else self.outputs.engine

    def _known(self, stage: str) -> FileRecord | None:
        known = self.record.model if stage == BUILD else self.record.engine
        return known if known is not None and known.path == str(self._source(stage)) else None

    def _fingerprint(self, stage: str, source: FileRecord) -> str:
        place = Path("OUTDIR")
        model = Path("MODEL") if self.outputs.model else None
        words = self.job.command(stage, Outputs(place, "NAME", place / "ENGINE", model))[1:]
        words = tuple(word for word in words if not word.startswith(_NO_INPUTS))
        facts: list[object] = [stage, self.backend, self.record.tensorrt_version, source.sha256, words]
        facts.append(files_in_words(words))
        if stage == BUILD:
            facts.append(files_of_model(self._source(stage)))
        else:
            o = self.options
            clocks = (o.dont_lock_clocks, o.compute_clk_freq, o.memory_clk_freq, o.power_limit)
            facts += [clocks, o.monitor]
        return fingerprint(*facts)

    # -------------------------------------------------------------------------------------- the stages

    def _around(self, stack: ExitStack, pending: list[str]) -> tuple[GPUConfigurator, GPUMonitor]:
        """Clocks are locked and the GPU is watched while anything is built or measured."""
        o = self.options
        runs = bool(pending) and self.job.uses_gpu
        power_limit = o.power_limit if runs and o.power_limit else None
        leaves_clocks = o.dont_lock_clocks or not runs
        configurator = GPUConfigurator(power_limit, o.compute_clk_freq, o.memory_clk_freq, o.gpu, leaves_clocks)
        monitor = GPUMonitor(o.monitor and runs, o.gpu, output=self.outputs.telemetry)
        stack.enter_context(configurator)
        if runs:
            self.record = replace(self.record, clocks=dict(configurator.applied))
            self.driver = self.meanwhile.submit(_driver, o.gpu)
        stack.enter_context(monitor)
        return configurator, monitor

    def _stage(self, stage: str) -> StageEnd:
        source = self._source(stage)
        known = self._known(stage)
        hashed: Future[FileRecord] = self.meanwhile.submit(record_of, source, known)
        with set_aside(self._replaced_by(stage)) as aside:
            end = self.job.run(stage, self.outputs, self.watcher)
            aside.restores = end.failure is not None or bool(end.stopped_by)
        source_record = hashed.result()
        if self.job.uses_gpu:
            self.record = replace(self.record, driver=self.driver.result())
        metadata_notes = self._write_metadata(stage)
        self.notes += end.notes
        if end.failure is None and not end.stopped_by:
            self.notes += [note for note in metadata_notes if note.severity != "info"]
        is_well = end.failure is None and not end.stopped_by and not any(n.severity == "problem" for n in end.notes)
        log = self.outputs.log(stage)
        record = StageRecord(
            stage,
            end.command,
            end.exit_code,
            end.stopped_by,
            utc_text(end.started),
            utc_text(end.ended),
            round(end.duration_s, 3),
            self._fingerprint(stage, source_record) if is_well else "",
            is_well,
            str(log) if log.is_file() else "",
            end.failure.message if end.failure else "",
            {kind: record_of(path) for kind, path in self._kept(stage).items() if path.is_file()},
        )
        if stage == BUILD:
            self.record = replace(self.record, model=source_record, engine=record.outputs.get("engine"))
            # A profile of the engine that was there before tells nothing of this one.
            stale = {name: each for name, each in self.record.stages.items() if name != PROFILE}
            self.record = replace(self.record, stages=stale)
        else:
            self.record = replace(self.record, engine=source_record)
        self.record = self.record.with_stage(record)
        return end

    def _replaced_by(self, stage: str) -> list[Path]:
        """What is another one after the stage, or gone: measurements and pictures of an engine go with it."""
        o = self.outputs
        measured = [o.profile, o.times, o.profile_metadata, o.report]
        return [o.engine, o.graph, o.build_metadata, o.picture, *measured] if stage == BUILD else measured

    def _kept(self, stage: str) -> dict[str, Path]:
        """What tells that a stage has been done. The layers are told by both; those of a profile stay."""
        o = self.outputs
        if stage == BUILD:
            return {"engine": o.engine, "log": o.build_log, "metadata": o.build_metadata}
        return {
            "graph": o.graph, "profile": o.profile, "times": o.times, "log": o.profile_log,
            "metadata": o.profile_metadata,
        }  # fmt: skip

    def _write_metadata(self, stage: str) -> tuple[Note, ...]:
        # Reading logs takes modules that nobody waits for while the child is not yet started.
        from trex.capture.log_facts import BUILD_SECTIONS, PROFILE_SECTIONS, metadata_bytes, metadata_of_log

        log = self.outputs.log(stage)
        if not log.is_file():
            return ()
        metadata = metadata_of_log(log)
        if metadata.is_empty:
            return ()
        sections = BUILD_SECTIONS if stage == BUILD else PROFILE_SECTIONS
        path = self.outputs.build_metadata if stage == BUILD else self.outputs.profile_metadata
        write_whole(path, metadata_bytes(metadata, sections))
        if metadata.device:
            self.record = replace(self.record, gpu={key: str(value) for key, value in metadata.device.items()})
        return metadata.notes

    def _outcome(self, end: StageEnd | None) -> Outcome:
        outcome = Outcome(
            self.outputs, tuple(self.done), tuple(self.up_to_date), self.record, tuple(dict.fromkeys(self.notes))
        )
        if self.failure is not None:
            return replace(outcome, failure=self.failure, exit_code=_TO_MEND)
        if end is None or (end.failure is None and not end.stopped_by):
            is_whole = all(self.record.stages[stage].is_well for stage in self.done)
            return outcome if is_whole else replace(outcome, exit_code=_INCOMPLETE)
        stopped = "" if end.stopped_by == TIME_LIMIT else end.stopped_by
        return replace(outcome, failure=end.failure, stopped_by=stopped, exit_code=_exit_code(end))


def _exit_code(end: StageEnd) -> int:
    if end.stopped_by and end.stopped_by != TIME_LIMIT:
        import signal

        return 128 + int(signal.Signals[end.stopped_by])
    if end.stopped_by or not end.exit_code:
        return _TO_MEND
    return 128 - end.exit_code if end.exit_code < 0 else end.exit_code


def _driver(gpu_id: int) -> str | None:
    """The version of the GPU's driver; None where nothing tells it."""
    from trex.capture.nvml import open_gpu, text_of

    try:
        with open_gpu(gpu_id) as gpu:
            return text_of(gpu.nvml.nvmlSystemGetDriverVersion())
    except Exception:  # a fact for the record only: whatever the driver does, the run goes on
        return None


def _now() -> str:
    return utc_text(datetime.now(timezone.utc))
