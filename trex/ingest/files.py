"""Path → EngineFiles: which files belong to which engine, by their names, and what each of them is, by its content."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.finding.archive import UNREAD_MEMBER, archive_heads
from trex.ingest.finding.engine_files import SLOTS, Artifact, EngineFiles, artifact, assembled, is_telling
from trex.ingest.finding.evidence import Evidence
from trex.ingest.finding.file_kind import HEAD_BYTES, Kind, recognize
from trex.ingest.finding.file_names import engine_key, stem_of
from trex.ingest.finding.opening import joined_address, missing_file, split_address
from trex.ingest.finding.pairing import paired
from trex.ingest.finding.serialized_only import layers_untold
from trex.ingest.source import read_head

__all__ = ["EngineFiles", "Kind", "find_engines", "recognize", "stem_of"]

# A folder with more files of our kinds than this is a data set, not an engine.
MAX_FILES = 2000
MAX_FOLDERS = 1000

_SUFFIXES = frozenset(
    {"", ".json", ".jsonl", ".log", ".txt", ".out", ".engine", ".plan", ".trt", ".onnx", ".tea", ".gz", ".zst", ".zstd"}
)
_COMPRESSED = (".gz", ".zst", ".zstd")
_MODEL_SUFFIXES = (".engine", ".plan", ".trt", ".onnx")

_NOTHING_TOLD = ("engine", "onnx", "archive", "monitor")
_PAIRED = ("graph", "profile", "samples", "timing", "profile_metadata", "build_metadata", "device")


def find_engines(path: str | os.PathLike[str]) -> tuple[EngineFiles, ...]:
    """Every engine at a path, its files paired but not read; in the order of their names.

    path: any one file of an engine (its siblings are found by their names; where those say nothing, a graph of the
    folder and the profile of its layers go together), a stem (``dir/resnet.onnx.engine``,
    existing or not), a folder, a ``.tea`` archive, or ``archive.tea!member``. A folder is not searched below, unless it
    holds no artifact itself: then its folders are looked at, one level down.
    Files pair by the words of their names that tell engines apart; where those say nothing, by content: a profile goes
    to the graph whose layers it times. A folder with one graph and one file of each other kind is one engine whatever
    the names. Where that leaves a choice, a Note in ``EngineFiles.notes`` tells it.

    Raises TrexError when there is nothing at the path (with names that are near), or nothing of an engine.
    """
    address = os.fspath(path)
    if not address:
        raise TrexError("the path is empty", "give a file, a folder or the stem of an engine's files")
    member = split_address(address)
    if member is not None:
        return (_of_archive(member[0]),)
    try:
        if Path(address).is_dir():
            return _of_folder(address)
        exists = Path(address).exists()
    except PermissionError:
        exists = True
    except (OSError, ValueError):
        exists = False
    return _of_file(address) if exists else _of_stem(address)


def _of_folder(folder: str) -> tuple[EngineFiles, ...]:
    found, notes = _artifacts(folder)
    engines = _engines(found, notes, anyhow=True)
    if not engines:
        for inner in _folders(folder):
            engines += _engines(*_artifacts(inner), anyhow=True)
        engines = _with_unique_names(engines)
    if not engines:
        raise _nothing_in(folder, found)
    return _readable(engines)


def _of_file(file: str) -> tuple[EngineFiles, ...]:
    head = read_head(file, HEAD_BYTES)
    given = artifact(file, Path(file).name, head)
    if given.slot == "archive":
        return (_of_archive(file),)
    key = given.key
    siblings, notes = _artifacts(os.path.dirname(file), lambda name: engine_key(name) == key)  # noqa: PTH120
    others = [found for found in siblings if found.name != given.name]
    engines = [files for files in _engines([given, *others], notes) if file in files.paths]
    engines = _completed(given, engines)
    if not engines or (given.kind is Kind.UNKNOWN and engines[0].graph != file):
        # Named by the user, so it is read: the error will say what is wrong with it.
        engines = [assembled([replace(given, slot=given.slot or "graph", is_empty=False)], stem_of(file), notes)]
    return _readable(tuple(engines))


def _completed(given: Artifact, engines: list[EngineFiles]) -> list[EngineFiles]:
    """Where a file's namesakes make no graph with its profile: its engine by the content of the folder's files.

    Files named otherwise may be of other engines: a profile must have the graph's layer names, and without one nothing
    is added to a graph. Logs are left out, since a folder may hold those of any run.
    """
    if given.slot not in _PAIRED or any(files.graph and files.profile for files in engines):
        return engines
    found, notes = _artifacts(os.path.dirname(given.path))  # noqa: PTH120
    found = [one for one in found if one.slot in _PAIRED]
    if not any(one.slot == "graph" for one in found):
        return engines
    whole = [files for files in _engines(found, notes, anyhow=True) if given.path in files.paths]
    for files in whole:
        if files.graph and (Evidence().fits(files.graph, files.profile) if files.profile else given.slot != "graph"):
            return whole
    # A profile that may be of this graph was not taken: better told than missed.
    doubts = [note for files in whole for note in files.notes if note.code == "ambiguous-file"]
    return [replace(files, notes=(*files.notes, *(n for n in doubts if n not in files.notes))) for files in engines]


def _readable(engines: tuple[EngineFiles, ...]) -> tuple[EngineFiles, ...]:
    """Without the engines of which only a binary is there; TrexError, with the next step, when that leaves none."""
    readable = tuple(
        files for files in engines if any(getattr(files, slot) for slot in SLOTS if slot not in _NOTHING_TOLD)
    )
    if not readable:
        archive = next((files.archive for files in engines if files.archive), None)
        if archive:
            return (_of_archive(archive),)
        raise layers_untold(engines[0].engine or engines[0].onnx or engines[0].paths[0])
    if len(readable) < len(engines):
        alone = [files for files in engines if files not in readable]
        names = ", ".join(files.name for files in alone)
        hint = f"trex summary {shlex.quote(os.path.basename(alone[0].paths[0]))} tells how to export its layers"  # noqa: PTH119
        note = Note("serialized-only", f"of {names} only the serialized engine is there", hint)
        readable = (replace(readable[0], notes=(*readable[0].notes, note)), *readable[1:])
    return readable


def _of_stem(stem: str) -> tuple[EngineFiles, ...]:
    folder, base = os.path.split(stem)
    key = engine_key(base)
    if base and key:
        found, notes = _artifacts(folder, lambda name: engine_key(name) == key)
        engines = _engines(found, notes)
        exact = tuple(files for files in engines if any(Path(p).name.startswith(base) for p in files.paths))
        if exact or engines:
            return _readable(exact or engines)
    if base:
        found, notes = _artifacts(folder, lambda name: name.startswith(base))
        if engines := _engines(found, notes):
            return _readable(engines)
    raise missing_file(stem)


def _of_archive(archive: str) -> EngineFiles:
    """The one engine in an archive. TREx's own archives call the graph plan_cfg.json and the build's log build.txt."""
    heads, notes = archive_heads(archive, HEAD_BYTES)
    found = []
    for name, head in heads:
        one = artifact(joined_address(archive, name), name.rpartition("/")[2], head)
        if one.kind is Kind.UNKNOWN and one.name == "build.txt" and head:
            one = replace(one, slot="build_log")
        found.append(replace(one, slot="") if one.slot == "archive" else one)
    if not is_telling(found):
        for unread in (note for note in notes if note.code == UNREAD_MEMBER):
            raise TrexError(f"no other member tells an engine's layers: {unread.message}", unread.hint, unread.where)
        names = ", ".join(name for name, _ in heads[:8]) or "nothing"
        raise TrexError(
            f"the archive holds no file that tells an engine's layers, but {names}",
            "make it with: trex process MODEL.onnx FOLDER --archive",
            archive,
        )
    return replace(assembled(found, stem_of(archive), notes), archive=archive)


def _artifacts(folder: str, wanted: Callable[[str], bool] | None = None) -> tuple[list[Artifact], list[Note]]:
    """The recognized files of one folder, and a Note when there are too many to look at."""
    names = [name for name in _files(folder) if _is_candidate(name) and (wanted is None or wanted(name))]
    notes = []
    if len(names) > MAX_FILES:
        message = f"only the first {MAX_FILES} of {len(names)} files in the folder were looked at"
        notes.append(Note("too-many-files", message, "give the path of the engine's own folder or files", folder))
    found = []
    for name in names[:MAX_FILES]:
        path = os.path.join(folder, name)  # noqa: PTH118
        head = read_head(path, 4096 if name.lower().endswith(_MODEL_SUFFIXES) else HEAD_BYTES)
        found.append(artifact(path, name, head))
    return found, notes


def _engines(found: list[Artifact], notes: Iterable[Note] = (), anyhow: bool = False) -> tuple[EngineFiles, ...]:
    """Groups artifacts of one folder into engines, in the order of their names; see ``pairing``."""
    engines = [_opened(files) for files in paired(found, notes, anyhow)]
    return tuple(sorted(engines, key=lambda files: files.name))


def _opened(files: EngineFiles) -> EngineFiles:
    """An engine of which only the archive is there is read from the archive."""
    if files.archive is None or files.graph or files.profile or files.build_log or files.profile_log:
        return files
    try:
        inside = _of_archive(files.archive)
    except TrexError as error:
        note = Note("unreadable-archive", error.message, error.hint, error.where, "problem")
        return replace(files, notes=(*files.notes, note))
    return replace(inside, name=files.name, engine=inside.engine or files.engine, onnx=inside.onnx or files.onnx)


def _files(folder: str) -> list[str]:
    try:
        with os.scandir(folder or ".") as entries:
            return sorted(entry.name for entry in entries if not entry.name.startswith(".") and _is(entry.is_file))
    except (OSError, ValueError):
        return []


def _is(question: Callable[[], bool]) -> bool:
    """The answer about one entry; False for a link that leads in a circle, which is no reason to miss the others."""
    try:
        return question()
    except OSError:
        return False


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            inner = sorted(entry.path for entry in entries if not entry.name.startswith(".") and _is(entry.is_dir))
    except OSError:
        return []
    return inner[:MAX_FOLDERS]


def _is_candidate(name: str) -> bool:
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122
    if suffix in _COMPRESSED:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122
    return suffix in _SUFFIXES


def _with_unique_names(engines: tuple[EngineFiles, ...]) -> tuple[EngineFiles, ...]:
    """Engines of several folders: those that share a name are told apart by their folders."""
    count = Counter(files.name for files in engines)
    named = (
        replace(files, name=f"{Path(files.paths[0]).parent.name}/{files.name}") if count[files.name] > 1 else files
        for files in engines
    )
    return tuple(sorted(named, key=lambda files: files.name))


def _nothing_in(folder: str, found: Iterable[Artifact]) -> TrexError:
    models = [one for one in found if one.slot == "onnx"]
    hint = "a folder of an engine holds what trtexec wrote: MODEL.graph.json, MODEL.profile.json, logs"
    if models:
        hint = f"build an engine of the ONNX model first: trex process {models[0].path} {folder}"
    return TrexError("no file in this folder tells anything about an engine", hint, folder)
