"""Files of one engine → Artifacts: the engine, its times and its metadata."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from trex.core.collector import collector_paused
from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.provenance import rtx_release
from trex.core.telemetry import Telemetry
from trex.core.timings import LayerTimes, QueryTimes
from trex.ingest.archive import unread_member
from trex.ingest.bindings_from import bindings_of, with_bindings
from trex.ingest.differing_facts import (
    OTHER_GPU,
    built_elsewhere,
    differing_facts,
    name_two_gpus,
    other_build_shapes,
    other_engine,
    other_release,
    run_before_build,
    two_origins,
)
from trex.ingest.differing_times import differing_times
from trex.ingest.dla_layers import with_dla_rows
from trex.ingest.files import EngineFiles, Kind, recognize
from trex.ingest.finding.contradiction import confirmation, contradiction
from trex.ingest.finding.file_kind import HEAD_BYTES, wrong_kind
from trex.ingest.graph_json import NO_LAYERS_HINT, engine_from_documents
from trex.ingest.lenient_json import Parsed, parse
from trex.ingest.logs.consecutive_runs import (
    exported_before,
    interrupted_run,
    loads_engine,
    mark_rebuilt,
    measuring_run,
    runs_of_one_engine,
    times_of_one_run,
    unreported_times,
)
from trex.ingest.logs.inspector_text import inspector_document, parse_inspector_text
from trex.ingest.logs.trtexec_log import LogRun, read_log
from trex.ingest.metadata_json import device_of, listed_devices, read_metadata, warm_up_ms
from trex.ingest.monitor_json import read_monitor
from trex.ingest.polygraphy_results import read_run_results
from trex.ingest.polygraphy_text import DEVICE_MEMORY, read_polygraphy_text
from trex.ingest.profile_json import read_profile
from trex.ingest.rows_from_log import with_rows
from trex.ingest.signature import Signature, next_step
from trex.ingest.source import read_blocks, read_head, read_source
from trex.ingest.spelling.device_facts import device_facts, uuid_of_gpu
from trex.ingest.spelling.shape_options import with_build_ranges
from trex.ingest.text import decode
from trex.ingest.timing_json import mark_warm_up, read_timing

_Part = TypeVar("_Part")

OTHER_ENGINE, CONFIRMED = "log-of-another-engine", "log-confirmed-by-layers"
"""Codes of the Notes on a log that is not used, and on one with the engine's layers that no name ties to it."""

# The parser says what to do with these.
_BINARIES = (Kind.ENGINE_PLAN, Kind.ONNX, Kind.ARCHIVE)
# Not str.splitlines: it also breaks lines at TensorRT's separators 0x1E and 0x1F inside Metadata.
_SLICE = re.compile(r" MIG\b.*", re.DOTALL)
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class Artifacts:
    """Everything known about one engine; None or empty for what no file contains.

    metadata: of the profiling run. build_metadata: of the build. telemetry: of the GPU during the run. files: where all
    this is from.
    """

    engine: Engine
    layer_times: LayerTimes | None = None
    query_times: QueryTimes | None = None
    metadata: Metadata = field(default_factory=Metadata)
    build_metadata: Metadata = field(default_factory=Metadata)
    notes: tuple[Note, ...] = ()
    telemetry: Telemetry | None = None
    files: EngineFiles | None = None


def read_artifacts(files: EngineFiles) -> Artifacts:
    """Reads all files of one engine. Raises TrexError if none of them describes its layers.

    The graph comes from the graph file, else from a log with layers, else from the names in the profile. Other members
    of an archive that cannot be read become Notes.
    """
    with collector_paused():
        return _Reading(files).artifacts()


class _Reading:
    def __init__(self, files: EngineFiles) -> None:
        self.files = files
        self.notes: list[Note] = list(files.notes)
        self.unread: list[TrexError] = []

    def artifacts(self) -> Artifacts:
        files = self.files
        build_log, run_log = self._log(files.build_log), self._log(files.profile_log)
        metadata, build_metadata = self._metadata(files.profile_metadata), self._metadata(files.build_metadata)
        described = self._graph(files.graph) if files.graph else None
        if described is not None:
            build_log = self._of_engine(described, build_log, files.build_log, build_metadata)
            run_log = self._of_engine(described, run_log, files.profile_log, build_metadata)
        confirmed = [] if described is None else self._confirmed(described)
        others = [*reversed(build_log), *confirmed]
        runs = [*reversed(run_log), *others]
        measured = metadata.merged(measuring_run(run_log, others))
        runs, notes = times_of_one_run(
            runs, measured, has_latency=bool(metadata.latency), has_layer_times=bool(files.profile)
        )
        self.notes.extend(notes)
        layer_times = self._optional(files.profile, lambda path: self._read(path, read_profile), None)
        if layer_times is not None:
            self.notes.extend(differing_times(layer_times, runs))
        layer_times = layer_times or next((run.layer_times for run in runs if run.layer_times), None)
        if described is not None:
            described = with_rows(described, _with_layers(runs))
        engine = with_dla_rows(described or self._engine(runs, layer_times), layer_times)
        engine = with_bindings(engine, runs, files.onnx)
        for run in run_log[-1:] or [run for run in build_log[-1:] if loads_engine(run)]:
            self.notes.extend(differing_facts(metadata, run.metadata))
        for run in runs[: len(run_log)]:
            metadata = metadata.merged(run.metadata)
        if not metadata.performance:
            metadata = metadata.merged(_run_metadata(runs[len(run_log) :]))
        builds = build_log or (confirmed if build_metadata.is_empty else ())
        if builds:
            built = _build_metadata(builds)
            self.notes.extend(differing_facts(build_metadata, built))
            build_metadata = build_metadata.merged(built)
        self.notes.extend(built_elsewhere(build_metadata, metadata))
        release = build_metadata.tensorrt_version or rtx_release(engine.tensorrt_version)
        built_with = replace(build_metadata, tensorrt_version=release)
        self.notes.extend((*other_engine(build_metadata, metadata), *other_release(built_with, metadata)))
        if build_log and run_log and loads_engine(run_log[-1]) and not loads_engine(build_log[-1]):
            self.notes.extend(run_before_build(build_log[-1].day, run_log[-1].day, files.profile_log or ""))
        self.notes.extend(other_build_shapes(engine, build_metadata))
        metadata, build_metadata = self._with_device(metadata, build_metadata)
        if isinstance(context := engine.extra.get(DEVICE_MEMORY), int):
            metadata = metadata.merged(Metadata(memory={"context_bytes": context}))
        query_times = self._optional(files.timing, lambda path: self._query_times(path, metadata), None)
        last = (run_log or (() if confirmed else build_log))[-1:]
        self.notes.extend(two_origins(layer_times, query_times, metadata))
        self.notes.extend(exported_before(runs, [path for path in (files.profile, files.timing) if path]))
        if layer_times or query_times or metadata.latency:
            self.notes.extend(note for run in last for note in interrupted_run(run))
        if query_times and files.timing and not metadata.latency:
            self.notes.extend(unreported_times(runs, files.timing))
        version = engine.tensorrt_version or build_metadata.tensorrt_version or metadata.tensorrt_version
        return Artifacts(
            engine=replace(
                engine,
                name=files.name,
                tensorrt_version=version,
                bindings=with_build_ranges(engine, build_metadata),
            ),
            layer_times=layer_times,
            query_times=query_times,
            metadata=metadata,
            build_metadata=build_metadata,
            telemetry=self._telemetry(files.monitor, metadata, build_metadata),
            notes=tuple(self.notes),
            files=files,
        )

    def _read(self, path: str, reader: Callable[[bytes, str], _Part]) -> _Part:
        source = read_source(path)
        self.notes.extend(source.notes)
        return reader(source.data, source.path)

    def _graph(self, path: str) -> Engine:
        """The file's bytes are freed before layers are made of what they contain."""
        content = self._read(path, _parsed_graph)
        return _engine_of(content, path)

    def _optional(self, path: str | None, reader: Callable[[str], _Part], without: _Part) -> _Part:
        """The content of a file other than the graph. An unreadable member of an archive is only a Note."""
        if not path:
            return without
        try:
            return reader(path)
        except TrexError as error:
            if self.files.archive is None or not path.startswith(f"{self.files.archive}!"):
                raise
            self.unread.append(error)
            self.notes.append(unread_member(error))
            return without

    def _engine(self, runs: list[LogRun], layer_times: LayerTimes | None) -> Engine:
        run = _with_layers(runs)
        if run is not None:
            return engine_from_run(run, self.files.build_log or self.files.profile_log or "")
        if layer_times and layer_times.records:
            return engine_from_names(layer_times)
        if self.unread:
            raise self.unread[0]
        where = self.files.profile_log or self.files.build_log or self.files.archive or self.files.name
        described = next((run for run in runs if _has_facts(run.metadata)), None)
        if described is not None:
            return engine_without_layers(described, where)
        if self.files.timing:
            hint = NO_LAYERS_HINT if not self.files.engine else next_step(Signature("plan", ""), self.files.engine)
            note = Note("no-layers", "no file contains layers of the engine", hint, self.files.timing, "problem")
            return Engine((), source=self.files.timing, verbosity="log", notes=(note,))
        raise TrexError("none of the files describes the engine's layers", NO_LAYERS_HINT, where)

    def _with_device(self, metadata: Metadata, build: Metadata) -> tuple[Metadata, Metadata]:
        """Both with the facts in the file of the device. Where that names another GPU than the run, there is none."""
        of_run = of_build = device = self._metadata(self.files.device)
        devices = [] if device.device else listed_devices(device)
        if devices:
            of_run, of_build = (replace(device, device=device_of(devices, facts)) for facts in (metadata, build))
        if devices and not of_run.device:
            message = f"the file describes {len(devices)} devices, and nothing says which of them ran the engine"
            self.notes.append(Note("device-unknown", message, "name the GPU: --device NAME", self.files.device or ""))
        self.notes.extend(differing_facts(metadata, of_run))
        if any(note.code == OTHER_GPU for note in self.notes):
            metadata, build, of_run, of_build = (
                replace(facts, device={}) for facts in (metadata, build, of_run, of_build)
            )
        return metadata.merged(of_run), build.merged(of_build)

    def _of_engine(
        self, engine: Engine, runs: tuple[LogRun, ...], path: str | None, build: Metadata
    ) -> tuple[LogRun, ...]:
        """The runs that may be of the engine; of the others nothing is used, and a Note says why."""
        if path is None or path == self.files.graph:
            return runs
        names = self._names(build)
        kept = []
        for run in runs:
            reason = contradiction(engine, run, names, Path(path).name, build)
            if not reason:
                kept.append(run)
                continue
            message = f"the log is of another engine, and nothing of it is used: {reason}"
            hint = "move it to the folder of its engine; if it is of this one, name it like the graph's file"
            self.notes.append(Note(OTHER_ENGINE, message, hint, path, "problem"))
        return tuple(kept)

    def _confirmed(self, engine: Engine) -> list[LogRun]:
        """Runs in the folder's other logs whose layers are the engine's."""
        confirmed = [
            (run, reason, path)
            for path in self.files.more_logs
            for run in reversed(self._log(path))
            if (reason := confirmation(engine, run))
        ]
        kept, notes = runs_of_one_engine([run for run, _, _ in reversed(confirmed)], self.files.name)
        for run, reason, path in confirmed:
            if any(run is one for one in kept):
                message = f"{Path(path).name} completes what the other files lack: {reason}"
                self.notes = [n for n in self.notes if n.where != path or n.code != "unmatched-file"]
                self.notes.append(Note(CONFIRMED, message, "", path, "info"))
        self.notes.extend(notes)
        return [*reversed(kept)]

    def _names(self, build: Metadata) -> list[str]:
        """Names of the engine's files but its logs, and of its model."""
        files = self.files
        paths = (files.graph, files.profile, files.timing, files.engine, files.onnx)
        return [Path(path).name for path in (*paths, str(build.model_options.get("Model") or "")) if path]

    def _log(self, path: str | None) -> tuple[LogRun, ...]:
        nothing: tuple[LogRun, ...] = ()
        return self._optional(path, self._runs, nothing)

    def _runs(self, path: str) -> tuple[LogRun, ...]:
        contents = read_log(read_blocks(path, self.notes), path)
        runs, notes = runs_of_one_engine(contents.runs, path)
        self.notes.extend((*contents.notes, *notes))
        return mark_rebuilt(runs)

    def _metadata(self, path: str | None) -> Metadata:
        return self._optional(path, lambda path: self._read(path, read_metadata), Metadata())

    def _telemetry(self, path: str | None, run: Metadata, build: Metadata) -> Telemetry | None:
        """Nothing depends on it, so an unreadable file is a Note, and so is one of another GPU than the run's."""
        try:
            telemetry = self._read(path, read_monitor) if path else None
        except TrexError as error:
            self.notes.append(Note("monitor-not-read", error.message, error.hint, path or ""))
            return None
        if telemetry is None:
            return None
        names = device_facts(run.device or build.device).name or "", str(telemetry.gpu.get("name") or "")
        uuids = {uuid_of_gpu(run.device), uuid_of_gpu(telemetry.gpu)} - {""}
        if name_two_gpus(*(_SLICE.sub("", name) for name in names)):  # NVML names the card of a slice
            message = f"the telemetry is of {names[1]!r}, the run's GPU is {names[0]!r}"
        elif len(uuids) > 1:
            message = "the telemetry is of another GPU than the run's, by their UUIDs"
        else:
            return telemetry
        message, hint = f"{message}: nothing of the telemetry is used", "keep the files of one run together"
        self.notes.append(Note("telemetry-of-another-gpu", message, hint, path or "", "problem"))
        return None

    def _query_times(self, path: str, metadata: Metadata) -> QueryTimes:
        if recognize(read_head(path, HEAD_BYTES)) is Kind.RUN_RESULTS:
            times = read_run_results(read_blocks(path, self.notes), path)
            if not times.columns and self.files.paths == (path,):
                raise TrexError(times.notes[-1].message, times.notes[-1].hint, path)
            return times
        return mark_warm_up(self._read(path, read_timing), warm_up_ms(metadata))


def read_graph_or_text(data: bytes, where: str) -> Engine:
    """The engine in a graph JSON, an inspector's text, or a log that contains either."""
    with collector_paused():
        return _engine_of(_parsed_graph(data, where), where)


def _engine_of(content: Engine | Parsed, where: str) -> Engine:
    if isinstance(content, Engine):
        return content
    return engine_from_documents(content.documents, where, content.notes)


def _parsed_graph(data: bytes, where: str) -> Engine | Parsed:
    """The documents that describe the layers, or the engine where a text needs to be read as a whole."""
    kind = recognize(data, Path(where).name)
    if kind is Kind.INSPECTOR_TEXT:
        text, notes = decode(data, where)
        layers, bindings, more = parse_inspector_text(_LINE_END.split(text), where)
        return Parsed([inspector_document(layers, bindings)], (*notes, *more))
    if kind is Kind.POLYGRAPHY_TEXT:
        return read_polygraphy_text(decode(data, where)[0], where)
    if kind is Kind.LOG:
        return _engine_of_runs(runs_of_one_engine(read_log(data, where).runs, where)[0], where)
    if kind not in (Kind.GRAPH, Kind.UNKNOWN, *_BINARIES):
        raise wrong_kind(data, Kind.GRAPH, NO_LAYERS_HINT, where)
    return parse(data, where)


def _engine_of_runs(runs: Sequence[LogRun], where: str) -> Engine:
    run = _with_layers(runs[::-1])
    if run is not None:
        return engine_from_run(run, where)
    raise TrexError("the log contains no layers of the engine", NO_LAYERS_HINT, where)


def _with_layers(runs: Sequence[LogRun]) -> LogRun | None:
    """The first run with the inspector's layers, else the first with the builder's."""
    return next((run for run in runs if run.raw_layers), None) or next((run for run in runs if run.layer_rows), None)


def _has_facts(metadata: Metadata) -> bool:
    return bool(not metadata.is_empty or metadata.latency or "polygraphy_average_ms" in metadata.milestones)


def _run_metadata(runs: Sequence[LogRun]) -> Metadata:
    """The metadata of the first run with an inference, as trtexec runs one after a build; empty if all skipped it."""
    ran = next((run.metadata for run in runs if run.metadata.performance), None)
    return Metadata() if ran is None else replace(ran, model_options={}, build_options={}, notes=())


def _build_metadata(runs: Sequence[LogRun]) -> Metadata:
    """The metadata of the last run that built an engine; one that loads an engine has no facts about its build."""
    built = next((run.metadata for run in reversed(runs) if run.metadata.build_options), runs[-1].metadata)
    others = tuple(note for run in runs if run.metadata is not built for note in run.metadata.notes)
    return replace(built, notes=(*built.notes, *others))


def engine_from_run(run: LogRun, where: str) -> Engine:
    """The engine in a log: from the inspector's text if there is one, else from the builder's rows."""
    if run.raw_layers:
        return engine_from_documents([inspector_document(run.raw_layers, run.bindings)], where, run.notes)
    note = Note(
        "engine-from-build-log",
        "the layers are from the rows of a build log, without attributes, weights and memory layouts",
        "for all facts, add --exportLayerInfo=MODEL.graph.json --profilingVerbosity=detailed to trtexec",
        where,
    )
    rows = run.layer_rows or []
    return engine_from_documents([inspector_document(rows, run.bindings)], where, (*run.notes, note), verbosity="log")


def engine_without_layers(run: LogRun, where: str) -> Engine:
    """An engine whose log has options, device and latency, but no layers."""
    note = Note("no-layers", "the log contains no layers of the engine", NO_LAYERS_HINT, where, "problem")
    return Engine((), bindings_of(run), source=where, verbosity="log", notes=(*run.notes, note))


def engine_from_names(layer_times: LayerTimes) -> Engine:
    """A names-only engine of the layers in a profile."""
    note = Note(
        "engine-from-profile",
        "no graph file: the layers are the names in the profile",
        NO_LAYERS_HINT,
        layer_times.source,
        "problem",
    )
    names = [record.name for record in layer_times.records]
    return engine_from_documents([{"Layers": names}], layer_times.source, (note,), verbosity="names")
