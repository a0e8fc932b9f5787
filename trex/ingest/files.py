"""Path → EngineFiles: which files are one engine's."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.printable import shell_line, shell_word
from trex.core.whole_set import FAILED_ENDING, UNFINISHED_RUN, finish_swap, has_unfinished_swap, is_journal
from trex.ingest.archive import Expansion, open_archive, unread_member
from trex.ingest.confinement import is_confined, may_read
from trex.ingest.finding.candidate import Candidate, candidate
from trex.ingest.finding.engine_files import SLOTS, EngineFiles
from trex.ingest.finding.file_kind import HEAD_BYTES, SIMULATED_SCHEMA, Kind, recognize
from trex.ingest.finding.file_names import engine_words, stem_of
from trex.ingest.finding.matching import assembled, is_engine, matched, only_timed
from trex.ingest.finding.recorded_files import REPLACED, replaced
from trex.ingest.finding.run_outcomes import (
    MANIFEST,
    MANIFEST_BYTES,
    UNREAD_MANIFEST,
    RunRecords,
    of_engine,
    records_in,
    records_of,
)
from trex.ingest.logs.run_metadata import RUN_FAILED
from trex.ingest.opening import joined_address, open_file, split_address
from trex.ingest.signature import next_step, signature_of
from trex.ingest.source import read_head

__all__ = ["EngineFiles", "Kind", "find_engines", "recognize", "stem_of"]

# A folder with more files of our kinds than this is a data set, not an engine.
MAX_FILES = 20_000
MAX_FOLDERS = 10_000

_COMPRESSED = (".gz", ".zst", ".zstd")
_BINARIES = (".engine", ".plan", ".trt", ".onnx")
_TEXTS = (".json", ".jsonl", ".log", ".txt", ".out", ".graph", ".profile", ".timing")
_SUFFIXES = frozenset({"", ".tea", *_TEXTS, *_BINARIES, *_COMPRESSED})
_UNREAD = ("", "engine", "onnx")
"""Slots of members whose heads alone are read, or, as of models, within bounds of their own."""
_WITHOUT_LAYERS = ("engine", "onnx", "archive", "monitor")
# What is looked for in the whole folder if a file's namesakes are no graph with its profile: no logs of other runs.
_PARTS = ("graph", "profile", "samples", "timing", "profile_metadata", "build_metadata", "device")

_LISTED = 8
_OF_RUNS = (RUN_FAILED, UNREAD_MANIFEST, UNFINISHED_RUN, REPLACED)


def find_engines(path: str | os.PathLike[str]) -> tuple[EngineFiles, ...]:
    """Every engine at a path, its files matched but not read, sorted by name.

    path: any file of an engine, a stem (``dir/resnet.onnx.engine``, existing or not), a folder, a ``.tea`` archive, or
    ``archive.tea!member``. The folders inside a folder are searched only if it contains no engine itself, one level
    down. Files match by the words of their names that distinguish engines, then by content: a profile belongs to the
    graph whose layers it times (see ``finding/matching.py``). If that leaves a choice, a Note says so.

    Raises TrexError if nothing is at the path (with similar names), or nothing of an engine.
    """
    address = os.fspath(path)
    if not address:
        raise TrexError("the path is empty", "give a file, a folder or the stem of an engine's files")
    if member := split_address(address):
        return _readable(_of_archive(*member))
    if os.path.isdir(address):  # noqa: PTH112 (Path raises for names that cannot be)
        return _readable(_of_folder(address))
    return _readable(_of_file(address))


def run_notes(files: EngineFiles) -> tuple[Note, ...]:
    """What the graph's folder or archive says of the run whose files someone has named one by one: that it failed, that
    its files were not all moved in, or that others replaced them. Raises TrexError if the latter can't be finished.
    """
    graph = files.graph or ""
    if member := split_address(graph):
        with suppress(TrexError):
            engines = (engine for engine in _of_archive(*member) if graph in engine.paths)
            return tuple(note for engine in engines for note in engine.notes if note.code in _OF_RUNS)
        return ()
    folder = os.path.dirname(graph)  # noqa: PTH120
    left = [] if _is_whole(folder) else [_unfinished_run(folder)]
    return (*left, *_with_records(replace(files, notes=()), records_of(folder)).notes)


def engines_in(folder: str) -> tuple[EngineFiles, ...]:
    """The engines whose files are in this very folder; () if none can be read."""
    try:
        return _readable(_engines(*_candidates(folder)))
    except (TrexError, IndexError):
        return ()


def _of_folder(folder: str) -> tuple[EngineFiles, ...]:
    files, notes = _candidates(folder)
    if engines := _engines(files, notes):
        return engines
    folders = [os.path.join(folder, name) for name in _names(folder, os.DirEntry.is_dir)]  # noqa: PTH118
    if len(folders) > MAX_FOLDERS:
        message = f"a folder of {len(folders)} folders: more than {MAX_FOLDERS} are not looked through"
        raise TrexError(message, "give the folders of the engines, some at a time", folder)
    folders = [one for one in folders if not one.endswith(FAILED_ENDING) and may_read(one)]
    folders = list({os.path.realpath(one): one for one in reversed(folders)}.values())[::-1]  # each once, by any link
    inner = [engine for one in folders for engine in _engines(*_candidates(one))]
    if inner:
        return _with_unique_names(inner)
    if timed := only_timed(files, notes):
        return tuple(timed)
    model = next((file.path for file in files if file.slot == "onnx"), "")
    hint = "an engine's folder contains what trtexec wrote: MODEL.graph.json, MODEL.profile.json, logs"
    if model:
        hint = f"build an engine of the ONNX model first: trex process {shell_line((model, folder))}"
    raise TrexError("no file in this folder describes an engine", hint, folder)


def _of_file(path: str) -> tuple[EngineFiles, ...]:
    """The engine of a file, or the engines of a stem: namesakes first, then files of the folder that match."""
    folder, base = os.path.split(path)
    words = engine_words(base)
    files, notes = _candidates(folder, lambda name: engine_words(name) == words)
    if not os.path.lexists(path):
        engines = _engines(files, notes) if words else ()
        exact = [engine for engine in engines if any(Path(part).name.startswith(base) for part in engine.paths)]
        if base and not engines:
            exact = list(_engines(*_candidates(folder, lambda name: name.startswith(f"{base.removesuffix('.')}."))))
        if exact or engines:
            return tuple(exact) or engines
        with open_file(path):  # raises the error that says why it cannot be read
            return ()
    given = candidate(path, base, read_head(path, HEAD_BYTES))
    if given.slot == "archive":
        named = _with_records(assembled([given], stem_of(path), notes), records_of(folder))
        return tuple(_with_notes(one, named.notes) for one in _of_archive(path))
    engines = _engines_with(given, files, notes)
    if given.slot in _PARTS and not any(engine.graph and engine.profile for engine in engines):
        files, notes = _candidates(folder)
        files = [file for file in files if file.slot in _PARTS or file.words == words]
        engines = _engines_with(given, files, notes) or engines
    if not engines or (given.kind is Kind.UNKNOWN and engines[0].graph != path):
        # The user named it, so it is read: the error will say what is wrong with it.
        return (assembled([replace(given, slot=given.slot or "graph", is_empty=False)], stem_of(path), notes),)
    return engines


def _engines_with(given: Candidate, files: Iterable[Candidate], notes: Sequence[Note]) -> tuple[EngineFiles, ...]:
    files = [replace(given, is_named=True), *(file for file in files if file.name != given.name)]
    return tuple(engine for engine in _engines(files, notes) if given.path in engine.paths)


def _of_archive(path: str, member: str = "") -> tuple[EngineFiles, ...]:
    """The engines in an archive, or the one of a member. Its folders are read one by one if several have files of one
    kind.
    """
    folders: dict[str, list[Candidate]] = {}
    records: dict[str, RunRecords] = {}
    sizes: dict[str, int] = {}
    unread: list[TrexError] = []
    with open_archive(path) as archive:
        expansion = Expansion(archive)
        for info in archive.infos:
            folder, _, name = info.filename.rpartition("/")
            if folder.endswith(FAILED_ENDING) or any(map(_is_hidden, info.filename.split("/"))):
                continue
            address = joined_address(path, info.filename)
            try:
                head = archive.head(info, MANIFEST_BYTES + 1 if name == MANIFEST else HEAD_BYTES)
            except TrexError as error:
                unread.append(error)
                continue
            if name == MANIFEST:
                records[folder] = records_in(head, address)
            sizes[address] = info.file_size
            file = _of_member(candidate(address, name, head), head)
            if file.slot in _UNREAD:
                expansion.add(len(head))
            else:
                expansion.add_member(info)
            folders.setdefault(folder, []).append(file)
    kinds = Counter(slot for files in folders.values() for slot in {file.slot for file in files if file.slot})
    if max(kinds.values(), default=0) < 2:
        folders = {"": [file for files in folders.values() for file in files]}
        records = {"": reduce(RunRecords.merged, records.values(), RunRecords())}
    left = [_unfinished_run(path)] if any(is_journal(info.filename) for info in archive.infos) else []
    notes = (*archive.notes, *left, *map(unread_member, unread))
    engines = [
        _with_records(replace(engine, archive=path), records.get(folder, RunRecords()), sizes)
        for folder, files in folders.items()
        if is_engine(files)
        for engine in matched(_without_copies(files), notes)
    ]
    strays = [file for files in folders.values() if not is_engine(files) for file in files]
    apart = {slot: [file.path for file in strays if file.slot == slot] for slot in _PARTS}
    engines = [_with_apart(engine, apart) for engine in engines]
    if len(engines) == 1:
        rest = (file.path for files in folders.values() for file in files if file.path not in engines[0].paths)
        return (replace(engines[0], name=stem_of(path), others=(*engines[0].others, *rest)),)
    if engines:
        engines = [replace(engine, name=stem_of(_in_archive(engine.paths[0], engine))) for engine in engines]
        of_member = [engine for engine in engines if joined_address(path, member) in engine.paths]
        return tuple(of_member) or _with_unique_names(engines)
    if unread:
        message = f"no other member describes an engine's layers: {unread[0].message}"
        raise TrexError(message, unread[0].hint, unread[0].where)
    names = ", ".join(info.filename for info in archive.infos[:8]) or "nothing"
    message = f"no member describes an engine's layers; the archive contains {names}"
    raise TrexError(message, "create one with: trex process MODEL.onnx FOLDER --archive", path)


def _with_apart(engine: EngineFiles, apart: Mapping[str, Sequence[str]]) -> EngineFiles:
    """With a Note on what the engine lacks and folders without an engine contain, by slots."""
    lacks = [path for slot, paths in apart.items() if not getattr(engine, slot) for path in paths[:_LISTED]]
    if not lacks:
        return engine
    listed = ", ".join(_in_archive(path, engine) for path in lacks[:_LISTED])
    message = f"not read, because several folders of the archive have files of one kind: {listed}"
    note = Note("parts-of-other-folders", message, "pack the files of one run into one folder", engine.archive or "")
    return replace(engine, notes=(*engine.notes, note))


def _of_member(file: Candidate, head: bytes) -> Candidate:
    """TREx's archives call the build's log build.txt."""
    is_log = file.kind is Kind.UNKNOWN and file.name == "build.txt" and head
    return replace(file, slot="build_log" if is_log else file.slot.replace("archive", ""))


def _without_copies(files: Sequence[Candidate]) -> list[Candidate]:
    """TREx's archives call the graph plan_cfg.json, and may have it under its own name, too."""
    is_named = any(file.slot == "graph" and file.is_sure and file.words for file in files)
    return [file for file in files if not is_named or file.name != "plan_cfg.json"]


def _readable(engines: tuple[EngineFiles, ...]) -> tuple[EngineFiles, ...]:
    """Without the engines that are only a binary; TrexError, with the next step, if that leaves none."""
    slots = [slot for slot in SLOTS if slot not in _WITHOUT_LAYERS]
    readable = [engine for engine in engines if any(getattr(engine, slot) for slot in slots)]
    are_read = set(map(id, readable))
    binaries = [engine for engine in engines if id(engine) not in are_read]
    if not readable:
        archive = next((engine.archive for engine in engines if engine.archive), None)
        if archive:
            return _of_archive(archive)
        raise no_layers(engines[0].engine or engines[0].onnx or engines[0].paths[0])
    if binaries:
        command = f"trex summary {shell_word(os.path.basename(binaries[0].paths[0]))}"  # noqa: PTH119
        message = f"only a serialized engine: {', '.join(engine.name for engine in binaries)}"
        note = Note("serialized-only", message, f"{command} says how to export its layers")
        readable[0] = replace(readable[0], notes=(*readable[0].notes, note))
    return tuple(readable)


def _engines(files: Sequence[Candidate], notes: Sequence[Note] = ()) -> tuple[EngineFiles, ...]:
    """The engines of one folder, sorted by name."""
    records = records_of(os.path.dirname(files[0].path)) if files else RunRecords()  # noqa: PTH120
    engines = (inner for engine in matched(files, notes) for inner in _opened(_with_records(engine, records)))
    return tuple(sorted(engines, key=lambda engine: engine.name))


def _with_records(engine: EngineFiles, records: RunRecords, sizes: Mapping[str, int] | None = None) -> EngineFiles:
    """With what a manifest says of its run and files. sizes: of the members of an archive, uncompressed."""
    if sizes is None:
        sizes = _size_of_binary(engine) if records.files else {}
    names = {path: os.path.basename(_in_archive(path, engine)) for path in engine.paths}  # noqa: PTH119
    notes = (of_engine(names.values(), records.outcomes), replaced(names, records.files, sizes, records.where))
    return replace(engine, notes=(*engine.notes, *filter(None, notes)))


def _size_of_binary(engine: EngineFiles) -> dict[str, int]:
    """It may have many GiB, and nothing else reads it."""
    with suppress(OSError):
        return {engine.engine: os.stat(engine.engine).st_size} if engine.engine else {}  # noqa: PTH116
    return {}


def _in_archive(path: str, engine: EngineFiles) -> str:
    """The member's own path, if it is one of the engine's archive."""
    return path.removeprefix(joined_address(engine.archive, "")) if engine.archive else path


def _opened(engine: EngineFiles) -> tuple[EngineFiles, ...]:
    """An engine whose only readable file is an archive is read from the archive; what the folder says of it stays."""
    if engine.archive is None or engine.graph or engine.profile or engine.build_log or engine.profile_log:
        return (engine,)
    try:
        inside = _of_archive(engine.archive)
    except TrexError as error:
        note = Note("unreadable-archive", error.message, error.hint, error.where, "problem")
        return (replace(engine, notes=(*engine.notes, note)),)
    inside = tuple(_with_notes(one, engine.notes) for one in inside)
    if len(inside) > 1:
        return tuple(replace(one, name=f"{engine.name}/{one.name}") for one in inside)
    (one,) = inside
    return (replace(one, name=engine.name, engine=one.engine or engine.engine, onnx=one.onnx or engine.onnx),)


def _with_notes(engine: EngineFiles, notes: Sequence[Note]) -> EngineFiles:
    """What the folder says of an archive's run comes before what the archive says."""
    return replace(engine, notes=(*notes, *engine.notes))


def _candidates(
    folder: str, is_wanted: Callable[[str], bool] = lambda name: True
) -> tuple[list[Candidate], list[Note]]:
    """The recognized files of one folder, and a Note if there are too many to check."""
    is_whole = _is_whole(folder)
    names = [name for name in _names(folder, os.DirEntry.is_file) if _has_known_suffix(name) and is_wanted(name)]
    if is_confined():
        names = [name for name in names if may_read(os.path.join(folder, name))]  # noqa: PTH118
    notes = []
    if not is_whole:
        notes.append(_unfinished_run(folder))
    if len(names) > MAX_FILES:
        message = f"only the first {MAX_FILES} of {len(names)} files in the folder were checked"
        notes.append(Note("too-many-files", message, "give the path of the engine's own folder or files", folder))
    files = []
    for name in names[:MAX_FILES]:
        path = os.path.join(folder, name)  # noqa: PTH118
        head = read_head(path, 4096 if name.lower().endswith(_BINARIES) else HEAD_BYTES)
        files.append(candidate(path, name, head))
    return files, notes


def _is_whole(folder: str) -> bool:
    """Finishes a swap that was left, if it is ours and may be."""
    return not has_unfinished_swap(folder) if is_confined() else finish_swap(folder)


def _unfinished_run(address: str) -> Note:
    message = "a run was killed while its files were moved in, and this was not finished: files may be of two runs"
    return Note(UNFINISHED_RUN, message, "build again, or remove .trex.run from it", address, "problem")


def _names(folder: str, is_kind: Callable[[os.DirEntry[str]], bool]) -> list[str]:
    """Names of the files or folders in a folder, hidden ones left out; () if it cannot be read."""
    names = []
    with suppress(OSError, ValueError), os.scandir(folder or ".") as entries:
        for entry in entries:
            with suppress(OSError):  # a link that leads in a circle
                if not _is_hidden(entry.name) and is_kind(entry):
                    names.append(entry.name)
    return sorted(names)


def _is_hidden(name: str) -> bool:
    """The latter is what macOS packs with a folder."""
    return name.startswith(".") or name == "__MACOSX"


def _has_known_suffix(name: str) -> bool:
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122
    return (os.path.splitext(stem)[1] if suffix in _COMPRESSED else suffix) in _SUFFIXES  # noqa: PTH122


def _with_unique_names(engines: Sequence[EngineFiles]) -> tuple[EngineFiles, ...]:
    """Engines of several folders: those that share a name get their folders' names in front."""
    counts = Counter(engine.name for engine in engines)
    named = (
        replace(engine, name=f"{folder}/{engine.name}")
        if counts[engine.name] > 1 and (folder := Path(_in_archive(engine.paths[0], engine)).parent.name)
        else engine
        for engine in engines
    )
    return tuple(sorted(named, key=lambda engine: engine.name))


def no_layers(path: str) -> TrexError:
    """For an engine, a model or telemetry without files that describe its layers."""
    head = read_head(path, 4096)
    signature = signature_of(head)
    if signature:
        what, hint = signature.description, next_step(signature, path)
    elif SIMULATED_SCHEMA.encode() in head:
        return _of_simulated(path)
    else:
        kind = recognize(head, os.path.basename(path))  # noqa: PTH119
        what = "a file without layers" if kind is Kind.UNKNOWN else kind.label
        hint = "pass the JSON or the log that trtexec wrote"
    return TrexError(f"this is {what}, and no file next to it describes its layers", hint, path)


def _of_simulated(path: str) -> TrexError:
    folder, name = os.path.split(path)
    words = ["trex", "process", path, folder or ".", "--profile-engine", "--backend", "simulated"]
    return TrexError(
        "this is a simulated engine: TensorRT cannot load it, and the predicted layers and times are not next to it",
        f"bring {name}.graph.json, {name}.profile.json and the others of its folder, or predict again: "
        f"{shell_line(words)}",
        path,
    )
