"""Files of an engine → Completeness: what was recognized, what is missing, and the commands that would produce it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.artifacts import Artifacts, read_artifacts
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.trtexec_command import (
    NO_ENGINE,
    NO_MODEL,
    UNKNOWN_DIMENSION,
    Recipe,
    build_command,
    logged,
    profile_command,
    recipe_of,
    rtx_command,
)
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Block, Document, Section, Text, folder_of
from trex.views.table import Table, TableColumn

FIRST_RELEASE = (8, 2)

GRAPH, PROFILE, TIMES, METADATA = "layer information", "layer times", "query times", "metadata"
DETAILS = "detailed layer information"
ATTRIBUTES = "the layers' attributes"

_PARTS = (
    ("graph", GRAPH),
    ("profile", PROFILE),
    ("timing", TIMES),
    ("profile_metadata", "metadata of the run"),
    ("build_metadata", "metadata of the build"),
    ("device", "device properties"),
    ("monitor", "telemetry of the GPU"),
    ("build_log", "build log"),
    ("profile_log", "log of the run"),
    ("engine", "serialized engine"),
    ("onnx", "ONNX model"),
    ("archive", "archive"),
)
_WITHOUT = {
    GRAPH: "layers with their tensors, precisions and tactics",
    DETAILS: "tensors, precisions and tactics (rebuild the engine)",
    ATTRIBUTES: "attributes, weights, layouts (a build log lacks them)",
    PROFILE: "which layers are slow",
    TIMES: "how steady the latency was",
    METADATA: "device, clocks, TensorRT's version, build options",
}


@dataclass(frozen=True, slots=True)
class Missing:
    """A part that no file contains, what is unknown without it, and the commands that produce it, in order."""

    part: str
    without_it: str
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Completeness:
    """files: one row per recognized part. error: why the engine cannot be loaded, or empty. layers: how many a table of
    them has, None then.

    remarks: what to know before running the commands. folder: where the files are, for shorter addresses.
    """

    name: str
    files: Table
    layers: int | None
    missing: tuple[Missing, ...]
    notes: tuple[Note, ...]
    error: str = ""
    remarks: tuple[str, ...] = ()
    folder: str = ""

    @property
    def is_healthy(self) -> bool:
        """True when the engine loads, nothing was lost, and times are there."""
        serious = any(note.severity == "problem" for note in self.notes)
        return not self.error and not serious and not self.missing

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that is needed, once, in order."""
        return tuple(dict.fromkeys(command for item in self.missing for command in item.commands))


def completeness_document(reports: Sequence[Completeness]) -> Document:
    """One section per engine: its files, what is missing, the commands that produce it, remarks and notes."""
    healthy = sum(completeness.is_healthy for completeness in reports)
    title = reports[0].name if len(reports) == 1 else f"{healthy} of {counted(len(reports), 'engine')} complete"
    sections = tuple(
        _section(number, completeness, completeness.name if len(reports) > 1 else "")
        for number, completeness in enumerate(reports, 1)
    )
    folder = reports[0].folder if len(reports) == 1 else ""
    return Document("doctor", title, sections=sections, folder=folder, source=tuple(reports))


def _section(number: int, completeness: Completeness, title: str) -> Section:
    layers = "cannot be loaded" if completeness.layers is None else counted(completeness.layers, "layer")
    missing = tuple((item.part, item.without_it) for item in completeness.missing)
    blocks: list[Block] = [Text((f"{layers}, {_verdict(completeness)}",))]
    if completeness.files.rows:
        rows = tuple((part, _below(path, completeness.folder)) for part, path in completeness.files.rows)
        blocks.append(replace(completeness.files, title="Files", key="files", rows=rows))
    if completeness.error:
        blocks.append(Text(tuple(completeness.error.split("\n"))))
    if missing:
        columns = (TableColumn("part"), TableColumn("without it, unknown"))
        blocks.append(Table("Missing", columns, missing, "missing"))
    if completeness.commands:
        blocks += [Text(("Run:",)), Text(completeness.commands, "command")]
    if completeness.remarks:
        blocks.append(Text(completeness.remarks, "hint"))
    data = {
        "engine": completeness.name,
        "folder": completeness.folder,
        "healthy": completeness.is_healthy,
        "error": completeness.error,
        "layers": completeness.layers,
        "commands": list(completeness.commands),
        "remarks": list(completeness.remarks),
    }
    return Section(f"engine-{number}", title, tuple(blocks), completeness.notes, data)


def _below(path: str, folder: str) -> str:
    return path.removeprefix(f"{folder}/") if folder else path


def _verdict(completeness: Completeness) -> str:
    if completeness.is_healthy:
        return "complete"
    problems = sum(note.severity == "problem" for note in completeness.notes)
    missing = ", ".join(item.part for item in completeness.missing)
    if missing:
        return f"without {missing}"
    return counted(problems, "problem") if problems else "with an error"


RTX_REMARK = "trtexec cannot load an engine of TensorRT for RTX; this predicts its times, at fixed shapes"


def completeness_of(files: EngineFiles) -> Completeness:
    """Reads the engine's files; raises nothing for files it cannot read."""
    rows = [(part, path) for slot, part in _PARTS if (path := getattr(files, slot))]
    rows += [("not used", path) for path in files.others]
    table = Table("", (TableColumn("what"), TableColumn("file", "name")), tuple(rows))
    folder = folder_of(files.paths[0]) if files.paths else ""
    try:
        plan, error = _plan(read_artifacts(files))
    except TrexError as unreadable:
        plan, error = None, str(unreadable)
    missing, remarks = _missing(files, plan, list(_wanted(files, plan, bool(error))))
    notes = tuple(dict.fromkeys(Performance(plan).notes if plan else files.notes))
    layers = len(plan.working_layers) if plan else None
    if plan and plan.statement:
        remarks = (plan.statement, *remarks)
    return Completeness(files.name, table, layers, missing, notes, error, remarks, folder)


def missing_of(plan: EnginePlan) -> tuple[tuple[Missing, ...], tuple[str, ...]]:
    """What the files of a plan lack, the commands that get it, and remarks; reads no file."""
    files = plan.files or EngineFiles(plan.name)
    return _missing(files, plan, list(_wanted(files, plan, has_error=False)))


def _plan(artifacts: Artifacts) -> tuple[EnginePlan, str]:
    """The plan, if need be without its profile: a graph is worth seeing even when the profile is of another engine."""
    try:
        return EnginePlan.from_artifacts(artifacts), ""
    except TrexError as error:
        return EnginePlan.from_artifacts(replace(artifacts, layer_times=None)), str(error)


def _wanted(files: EngineFiles, plan: EnginePlan | None, has_error: bool) -> Iterator[str]:
    """The parts that no file contains, or that could not be used."""
    if plan is None:
        slots = {GRAPH: None, PROFILE: files.profile, TIMES: files.timing}
        yield from (part for part, path in slots.items() if not path)
        return
    verbosity = plan.engine.verbosity
    if verbosity == "names" and files.graph:
        yield DETAILS
    elif verbosity == "log" and plan.engine.layers:
        yield ATTRIBUTES
    elif verbosity != "detailed" or not plan.engine.layers:
        yield GRAPH
    if plan.layer_times is None or has_error:
        yield PROFILE
    if plan.query_times is None:
        yield TIMES
    if plan.metadata.is_empty and plan.build_metadata.is_empty:
        yield METADATA


def _missing(
    files: EngineFiles, plan: EnginePlan | None, parts: list[str]
) -> tuple[tuple[Missing, ...], tuple[str, ...]]:
    if not parts:
        return (), ()
    recipe = recipe_of(files, plan.engine, plan.metadata, plan.build_metadata) if plan else recipe_of(files)
    is_old = any(note.code == "tensorrt-7-log" for note in plan.notes) if plan else False
    if is_old or (recipe.release is not None and recipe.release < FIRST_RELEASE):
        return (
            tuple(Missing(part, _WITHOUT[part], ()) for part in parts),
            ("TensorRT before 8.2 does not export layers: build and profile the engine with 8.2 or later",),
        )
    if plan is not None and plan.is_for_rtx:
        command = rtx_command(recipe)
        return tuple(Missing(part, _WITHOUT[part], (command,)) for part in parts), (RTX_REMARK,)
    rebuilt = DETAILS in parts
    run = profile_command(
        recipe,
        graph=GRAPH in parts or ATTRIBUTES in parts or rebuilt,
        profile=PROFILE in parts or rebuilt,
        times=TIMES in parts or rebuilt,
    )
    if METADATA in parts:
        run = logged(run, recipe)
    commands = (build_command(recipe), run) if rebuilt else (run,)
    return tuple(Missing(part, _WITHOUT[part], commands) for part in parts), tuple(_remarks(recipe, commands, rebuilt))


def _remarks(recipe: Recipe, commands: tuple[str, ...], rebuilt: bool) -> Iterator[str]:
    text = " ".join(commands)
    unknown = [word for word in (NO_MODEL, NO_ENGINE) if word in text]
    shapes = next((flag for flag in recipe.run_flags if flag.startswith("--shapes=")), "")
    if f"x{UNKNOWN_DIMENSION}" in shapes.replace(":", "x"):
        unknown.append(f"{UNKNOWN_DIMENSION} (a dimension)")
    if unknown:
        yield f"Replace with your own: {', '.join(unknown)}"
    if rebuilt:
        yield "Add the other options of your own build (plugins, calibration, shapes …)"
        yield "In Python: config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED before building"
    if recipe.release is None and "--separateProfileRun" in text:
        yield "TensorRT 11 only warns of --noDataTransfers, --useSpinWait, --separateProfileRun: they are its defaults"
    if not rebuilt and "--exportLayerInfo" in text:
        yield "If it exports nothing but names, the engine must be rebuilt with --profilingVerbosity=detailed"
