"""The stages of one run: what is up to date, what runs, what is kept of it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from trex.capture.backend import BUILD, PROFILE, CaptureJob, StageResult
from trex.capture.child import TIME_LIMIT, ChildResult
from trex.capture.clocks import GPUConfigurator
from trex.capture.kept_caches import caches_kept
from trex.capture.manifest import (
    EngineRecord,
    FileRecord,
    Manifest,
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
from trex.capture.outputs import Outputs
from trex.capture.phases import Watcher
from trex.capture.staging import Staging, set_aside_of
from trex.capture.tensorrt_api.tactics import cache_path
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.whole_file import write_whole

# trtexec updates its timing cache at every build: it makes builds faster, not different.
_NOT_IN_FINGERPRINT = ("--timingCacheFile=",)
_WRITTEN = "--recordTactics="
"""What the build writes itself."""

_FAILED, _USAGE_ERROR, _OF_A_SIGNAL = 1, 2, 128
_HEAD_START_S = 0.02
"""For the child: the threads that work next to it would delay its start."""


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """Result of a run. done, up_to_date: stages. record: the engine's entry in the manifest, None without one.

    failure: why it ended early. exit_code: 0, 1 if exported files are incomplete or the child died of a signal, 2, the
    child's own, or 128 + N for a signal that trex got. stopped_by: that signal, or "". outputs: the files in the output
    folder. set_aside: what a run wrote that did not succeed, None for one that did.
    """

    outputs: Outputs
    done: tuple[str, ...] = ()
    up_to_date: tuple[str, ...] = ()
    record: EngineRecord | None = None
    notes: tuple[Note, ...] = ()
    failure: TrexError | None = None
    stopped_by: str = ""
    exit_code: int = 0
    set_aside: Outputs | None = None

    @property
    def is_well(self) -> bool:
        """Whether the output folder now holds what was asked for."""
        has_failed = self.failure is not None or self.stopped_by or self.set_aside is not None
        return not has_failed and bool(self.done or self.up_to_date)


@dataclass
class CaptureRun:
    """Runs stages into staging, and moves their files in; one object per run."""

    options: CaptureOptions
    outputs: Outputs
    staging: Staging
    backend: str
    job: CaptureJob
    watcher: Watcher
    meanwhile: Callable[[], None]
    notes: list[Note] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    up_to_date: list[str] = field(default_factory=list)
    outdated: set[Path] = field(default_factory=set)
    failure: TrexError | None = None

    def run(self, stages: list[str]) -> CaptureResult:
        manifest = read_manifest(self.outputs.manifest)
        earlier = manifest.engines.get(self.outputs.name)
        if not self.options.force:
            if earlier is None:
                _refuse_unknown(self.outputs, BUILD in stages, self.options.archive)
            elif BUILD in stages or self.outputs.model is None:
                _refuse_other_source(self.outputs, earlier)
        self.written = self.staging.outputs
        self.replaces_whole = _is_whole(self.outputs, earlier)
        self.notes += self.job.notes
        self.record = self._new_record(earlier)
        pending = [stage for stage in stages if not self._is_up_to_date(stage, stages, earlier)]
        self.up_to_date = [stage for stage in stages if stage not in pending]
        if not pending:
            return self._result(None)
        if BUILD not in pending:
            self._use_engine(self.outputs.engine)
            if not self.outputs.engine.is_file():
                hint = "build it first: leave -p out, or add -b"
                raise TrexError("there is no engine to profile", hint, str(self.outputs.engine))
        elif self._takes_build(manifest):
            self._keep(manifest, BUILD)
            pending.remove(BUILD)
        last: StageResult | None = None
        with ExitStack() as stack:
            configurator, monitor = self._enter_gpu(stack, pending)
            for stage in pending:
                try:
                    with monitor.stage(stage):
                        last = self._run_stage(stage)
                    if last.succeeded:
                        self.done.append(stage)
                        self._keep(manifest, stage)
                except TrexError as error:
                    self.failure = error
                if self.failure is not None or (last is not None and not last.succeeded):
                    break
        # after the clocks were restored: notes say if that failed
        self.notes += (*configurator.notes, *monitor.notes)
        self.record = replace(self.record, notes=tuple(dict.fromkeys(self.notes)))
        result = self._result(last)
        is_kept = (
            result.failure is None and not result.stopped_by and (result.exit_code == 0 or not self.replaces_whole)
        )
        try:
            if self.staging.is_empty and not is_kept:  # it failed before it wrote anything
                return self._placed(result, self.outputs)
            write_manifest(manifest.with_engine(self.record), self.written.manifest)
            if is_kept:
                self._swap_in()
                return self._placed(result, self.outputs)
        except TrexError as error:
            result = replace(result, failure=result.failure or error, exit_code=result.exit_code or _USAGE_ERROR)
        self.staging.fail()
        if result.failure is None and not result.stopped_by:
            message = "the files of this run are incomplete; those of the earlier run stay in their place"
            where = str(self.staging.set_aside.folder)
            note = Note("set-aside", message, "--force repeats the run", where, "problem")
            result = replace(result, notes=(*result.notes, note))
        return replace(self._placed(result, self.staging.set_aside), set_aside=self.staging.set_aside)

    # ---------------------------------------------------------------------------- from staging to the folder

    def _keep(self, manifest: Manifest, stage: str) -> None:
        """A stage that succeeded: into the folder at once if nothing whole is lost by it, else with the next one."""
        self.outdated |= set(self._outdated_by(stage))
        write_manifest(manifest.with_engine(self.record), self.written.manifest)
        if stage == BUILD and not self.replaces_whole:
            self._swap_in()
            self._use_engine(self.outputs.engine)

    def _swap_in(self) -> None:
        self.staging.swap_in(self.outdated)
        self.outdated.clear()

    def _use_engine(self, engine: Path) -> None:
        self.written = replace(self.staging.outputs, engine=engine)

    def _takes_build(self, manifest: Manifest) -> bool:
        """Whether a run that failed later, or was killed, left this very build; then it is taken and not repeated."""
        left = set_aside_of(self.outputs)
        record = read_manifest(left.manifest).engines.get(self.outputs.name)
        stage = record.stages.get(BUILD) if record else None
        if record is None or stage is None or not stage.is_well or self.options.force or self.outputs.model is None:
            return False
        model = record_of(self.outputs.model, record.model)
        files = _result_files(left, BUILD)
        del files["graph"]  # the run may have begun to profile, which writes it anew
        is_same = self._fingerprint(BUILD, model) == stage.fingerprint
        if (
            not is_same
            or not self._has_tactics(stage)
            or not all(is_unchanged(known, files[kind]) for kind, known in stage.outputs.items() if kind in files)
        ):
            return False
        self.staging.take(left)
        self.record = replace(self.record, model=model, engine=stage.outputs.get("engine"), stages={BUILD: stage})
        self.up_to_date = [BUILD]
        return True

    def _placed(self, result: CaptureResult, holder: Outputs) -> CaptureResult:
        """The addresses in what is reported, where the files have been moved to."""
        old, new = str(self.staging.outputs.folder), str(holder.folder)
        if result.failure is not None:
            f = result.failure
            parts = (text.replace(old, new) for text in (f.message, f.hint, f.where, f.excerpt))
            result = replace(result, failure=TrexError(*parts))
        notes = (
            replace(note, message=note.message.replace(old, new), where=note.where.replace(old, new))
            for note in result.notes
        )
        return replace(result, notes=tuple(notes))

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
        if stage == BUILD and not self._has_tactics(known):
            return False
        if stage == PROFILE and BUILD in stages and not self._is_up_to_date(BUILD, stages, earlier):
            return False
        source = self._source(stage)
        if not source.is_file() or self._fingerprint(stage, record_of(source, self._known(stage))) != known.fingerprint:
            return False
        files = _result_files(self.outputs, stage)
        profile = earlier.stages.get(PROFILE) if earlier else None
        if stage == BUILD and profile is not None and "graph" in profile.outputs:  # it replaced the build's
            del files["graph"]
        return all(is_unchanged(record, files[kind]) for kind, record in known.outputs.items() if kind in files)

    @property
    def _tactics(self) -> dict[str, Path]:
        """The two files of the record that the build writes."""
        name = self.options.record_tactics
        return {"tactics": Path(name), "tactics cache": Path(cache_path(name))} if name else {}

    def _has_tactics(self, build: StageRecord) -> bool:
        """Whether the record, if one is wanted, is still this build's."""
        return all(is_unchanged(build.outputs.get(kind), path) for kind, path in self._tactics.items())

    def _source(self, stage: str) -> Path:
        """The file that a stage starts from, at its final place."""
        model = self.outputs.model
        return model if stage == BUILD and model is not None else self.outputs.engine

    def _record_of(self, path: Path, known: FileRecord | None = None) -> FileRecord:
        """Of a file that may still be in staging, with its final path."""
        record = record_of(path, known)
        return replace(record, path=record.path.replace(str(self.staging.outputs.folder), str(self.outputs.folder)))

    def _known(self, stage: str) -> FileRecord | None:
        known = self.record.model if stage == BUILD else self.record.engine
        return known if known is not None and known.path == str(self._source(stage)) else None

    def _fingerprint(self, stage: str, source: FileRecord) -> str:
        folder = Path("OUTDIR")
        model = Path("MODEL") if self.outputs.model else None
        command = self.job.command(stage, Outputs(folder, "NAME", folder / "ENGINE", model))[1:]
        arguments = tuple(argument for argument in command if not argument.startswith(_NOT_IN_FINGERPRINT))
        facts: list[object] = [stage, self.backend, self.record.tensorrt_version, source.sha256, arguments]
        facts.append(self.job.decisive(stage))
        facts.append(files_in_arguments(argument for argument in arguments if not argument.startswith(_WRITTEN)))
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
        monitor = GPUMonitor(o.monitor and runs, o.gpu, output=self.written.telemetry)
        stack.enter_context(configurator)
        if runs:
            self.record = replace(self.record, clocks=dict(configurator.applied))
        stack.enter_context(monitor)
        return configurator, monitor

    def _run_stage(self, stage: str) -> StageResult:
        written = self.written
        source = written.engine if stage == PROFILE else self._source(stage)
        with self._in_staging():
            self.staging.create()
            if stage == BUILD and self.outputs.timing_cache.is_file():  # trtexec changes it in its place
                shutil.copyfile(self.outputs.timing_cache, written.timing_cache)
        with ThreadPoolExecutor(1) as reader:
            reader.submit(time.sleep, _HEAD_START_S)
            reading = reader.submit(self._record_of, source, self._known(stage))  # many GiB take seconds
            reader.submit(self.meanwhile)
            with caches_kept(self.options.timing_caches if stage == BUILD else ()) as kept:
                result = self.job.run(stage, written, self.watcher)
        self.notes += kept
        source_record = reading.result()
        metadata_notes = self._write_metadata(stage)
        self.notes += result.notes
        if result.succeeded:
            self.notes += [note for note in metadata_notes if note.severity != "info"]
        is_well = result.succeeded and not any(note.severity == "problem" for note in result.notes)
        log = self.outputs.log(stage)
        files = _result_files(written, stage) | (self._tactics if stage == BUILD else {})
        record = StageRecord(
            name=stage,
            command=self.job.command(stage, self.outputs),
            exit_code=result.child.exit_code,
            stopped_by=result.child.stopped_by,
            start=utc_text(result.child.started),
            end=utc_text(result.child.ended),
            duration_s=round(result.child.duration_s, 3),
            fingerprint=self._fingerprint(stage, source_record) if is_well else "",
            is_well=is_well,
            log=str(log) if written.log(stage).is_file() else "",
            message=result.failure.message if result.failure else "",
            peak_memory_bytes=result.child.peak_bytes,
            outputs={kind: self._record_of(path) for kind, path in files.items() if path.is_file()},
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
        """Files that a stage replaces or makes wrong: a build also outdates measurements."""
        o = self.outputs
        measured = [o.profile, o.times, o.profile_log, o.profile_metadata, o.telemetry, o.picture, o.report]
        return [o.graph, o.build_metadata, *measured] if stage == BUILD else measured

    @contextmanager
    def _in_staging(self) -> Iterator[None]:
        """Raises TrexError where the output folder takes no files."""
        try:
            yield
        except OSError as error:
            hint = "check the folder, its space and permissions"
            reason = error.strerror or error
            raise TrexError(f"the run's files cannot be written: {reason}", hint, str(self.outputs.folder)) from None

    def _write_metadata(self, stage: str) -> tuple[Note, ...]:
        from trex.capture.log_metadata import BUILD_SECTIONS, PROFILE_SECTIONS, metadata_bytes, metadata_of_log

        log = self.written.log(stage)
        if not log.is_file():
            return ()
        metadata = metadata_of_log(log)
        if metadata.is_empty:
            return ()
        sections = BUILD_SECTIONS if stage == BUILD else PROFILE_SECTIONS
        path = self.written.build_metadata if stage == BUILD else self.written.profile_metadata
        staged, final = (json.dumps(str(o.folder))[1:-1].encode() for o in (self.staging.outputs, self.outputs))
        write_whole(path, metadata_bytes(metadata, sections).replace(staged, final))
        return metadata.notes

    def _result(self, last: StageResult | None) -> CaptureResult:
        notes = tuple(dict.fromkeys(self.notes))
        result = CaptureResult(self.outputs, tuple(self.done), tuple(self.up_to_date), self.record, notes)
        if self.failure is not None:
            return replace(result, failure=self.failure, exit_code=_USAGE_ERROR)
        if last is None or last.succeeded:
            is_complete = all(self.record.stages[stage].is_well for stage in self.done)
            return result if is_complete else replace(result, exit_code=_FAILED)
        stopped_by = "" if last.child.stopped_by == TIME_LIMIT else last.child.stopped_by
        return replace(result, failure=last.failure, stopped_by=stopped_by, exit_code=_exit_code(last.child))


def _refuse_unknown(outputs: Outputs, builds: bool, is_archived: bool) -> None:
    """Raises TrexError for a file that the run would replace and that no run of trex wrote; pictures and reports are of
    what it replaces.
    """
    of_profile = (outputs.profile, outputs.times, outputs.profile_log, outputs.profile_metadata, outputs.telemetry)
    built = (outputs.engine,) if outputs.model else ()
    of_build = (*built, outputs.build_log, outputs.build_metadata) if builds else ()
    files = (outputs.graph, *of_profile, *of_build, *((outputs.archive,) if is_archived else ()))
    if unknown := next((path for path in files if path.is_file()), None):
        message = "trex has no record of this file, and would replace it"
        hint = f"give {outputs.model or outputs.engine} a folder of its own; --force replaces it"
        raise TrexError(message, hint, str(unknown))


def _refuse_other_source(outputs: Outputs, earlier: EngineRecord) -> None:
    """Raises TrexError if the folder holds files of another model, or engine, of this name, which is where it was."""
    source = outputs.model or outputs.engine
    known = earlier.model if outputs.model else earlier.engine
    if known is None or not source.is_file() or not Path(known.path).is_file():
        return
    if source.samefile(known.path) or not any(path.is_file() for path in outputs.files):
        return
    if record_of(source).sha256 != known.sha256:
        kind = "model" if outputs.model else "engine"
        message = f"the files of {outputs.name} in this folder are of another {kind}: {known.path}"
        raise TrexError(message, f"give {source} a folder of its own; --force replaces them", str(outputs.folder))


def _is_whole(outputs: Outputs, record: EngineRecord | None) -> bool:
    """Whether the folder holds files of an earlier run, or from elsewhere, that are worth more than incomplete ones."""
    is_well = record is None or all(stage.is_well for stage in record.stages.values())
    return is_well and any(path.is_file() for path in _results(outputs))


def _results(outputs: Outputs) -> tuple[Path, ...]:
    engine = (outputs.engine,) if outputs.model else ()
    return (*engine, outputs.graph, outputs.profile, outputs.times)


def _result_files(o: Outputs, stage: str) -> dict[str, Path]:
    """Files that must be unchanged for a stage to be up to date. The graph of the profile replaces the build's."""
    if stage == BUILD:
        return {"engine": o.engine, "graph": o.graph, "log": o.build_log, "metadata": o.build_metadata}
    return {
        "graph": o.graph, "profile": o.profile, "times": o.times, "log": o.profile_log,
        "metadata": o.profile_metadata,
    }  # fmt: skip


def _exit_code(result: ChildResult) -> int:
    if result.stopped_by and result.stopped_by != TIME_LIMIT:
        import signal

        return _OF_A_SIGNAL + int(signal.Signals[result.stopped_by])
    if result.stopped_by or not result.exit_code:
        return _USAGE_ERROR
    # A shell reports 128 + N of a child that died of a signal; from trex it would be a crash of trex.
    return result.exit_code if 0 < result.exit_code < _OF_A_SIGNAL else _FAILED
