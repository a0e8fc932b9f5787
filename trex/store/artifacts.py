"""Files of one engine ↔ compressed artifacts of a store."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.printable import encodable
from trex.core.whole_file import whole_file
from trex.ingest.finding.engine_files import SLOTS, EngineFiles
from trex.ingest.finding.run_outcomes import MANIFEST
from trex.ingest.opening import MEMBER_MARK, open_file
from trex.store.layout import artifact_file
from trex.store.run import Artifact
from trex.store.storage import LocalStorage, Storage

_LEVEL = 3
_CHUNK = 1 << 20
_MOST_EXPANSION, _MOST_EXPANDED = 1_000, 16_000_000
_BINARIES = ("engine", "onnx")
"""Slots of files that can be GiB and that no reading needs."""


@dataclass(frozen=True)
class Collected:
    """The files of one engine, hashed. sources: {artifact's name: path}. files: with artifacts' names as addresses.

    identity: hashes of what the plan is read from. newest: time of the newest of those, seconds since 1970.
    """

    artifacts: tuple[Artifact, ...]
    sources: Mapping[str, str]
    files: EngineFiles
    identity: tuple[str, ...]
    newest: float
    states: Mapping[str, tuple[int, int]]

    def sha256_of(self, slot: str) -> str | None:
        name = getattr(self.files, slot)
        return next((item.sha256 for item in self.artifacts if item.name == name), None)

    def size_of(self, slot: str) -> int | None:
        name = getattr(self.files, slot)
        return next((item.size_bytes for item in self.artifacts if item.name == name), None)

    def check_unchanged(self) -> None:
        """Raises TrexError if a file was written since it was hashed."""
        for path, state in self.states.items():
            if _state(path) != state:
                raise TrexError("the file changed while it was added", "add the folder again when its run ended", path)


def collect(files: EngineFiles, keeps_binaries: bool) -> Collected:
    """Reads and hashes all files of an engine. Raises TrexError for one that can't be read."""
    paths = dict.fromkeys(map(_outer, (*files.paths, *files.more_logs)))
    manifest = Path(next(iter(paths))).parent / MANIFEST
    if manifest.is_file():
        paths[str(manifest)] = None
    binaries = {_outer(path) for slot in _BINARIES if (path := getattr(files, slot)) and _outer(path) == path}
    read = {
        _outer(path) for slot in SLOTS if slot not in _BINARIES and (path := getattr(files, slot))
    }  # fmt: skip
    names = _unique_names(paths)
    if unnamed := next((path for path, name in names.items() if encodable(name) != name), None):
        raise TrexError("the file's name is not UTF-8: the store could not give it back", "rename it", unnamed)
    states = {path: _state(path) for path in paths}
    artifacts = []
    for path, name in names.items():
        digest, size = _hashed(path)
        artifacts.append(Artifact(name, digest, size, keeps_binaries or path not in binaries))
    by_name = {item.name: item for item in artifacts}
    return Collected(
        tuple(artifacts),
        {name: path for path, name in names.items()},
        _renamed(files, names),
        (*(by_name[names[path]].sha256 for path in paths if path in read), *_members(files)),
        max((states[path][1] / 1e9 for path in paths if path in read), default=0.0),
        states,
    )


def _members(files: EngineFiles) -> list[str]:
    """Of an archive, which may hold several engines."""
    paths = (path for slot in SLOTS if slot not in _BINARIES and (path := getattr(files, slot)))
    members = (path.partition(MEMBER_MARK)[2] for path in paths)
    return sorted(filter(None, members))


def write_artifacts(storage: LocalStorage, collected: Collected) -> None:
    """What the store does not contain yet, each file whole."""
    for artifact in collected.artifacts:
        if artifact.is_kept and not _has(storage, artifact):
            _write(storage, artifact, collected.sources[artifact.name])


def _has(storage: LocalStorage, artifact: Artifact) -> bool:
    """Whether the store has it, undamaged; it becomes young, which keeps it from ``gc``."""
    path = artifact_file(artifact.sha256)
    if not storage.exists(path):
        return False
    with suppress(OSError):  # of another user
        os.utime(storage.path(path))
    try:
        check_artifact(storage, artifact)
    except TrexError:
        return False
    return True


def _write(storage: LocalStorage, artifact: Artifact, source: str) -> None:
    import zstandard

    digest = hashlib.sha256()
    with open_file(source) as file, storage.writing(artifact_file(artifact.sha256)) as written:
        with zstandard.ZstdCompressor(_LEVEL).stream_writer(written, closefd=False) as compressed:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                compressed.write(chunk)
        if _is_bomb(file.tell(), written.tell()):
            message = f"the file is hardly more than one byte again and again: {artifact.size_bytes:,} bytes"
            raise TrexError(message, "remove what is behind its end", source)
        if digest.hexdigest() != artifact.sha256:
            raise TrexError("the file changed while it was added", "add the folder again when its run ended", source)


def artifact_chunks(storage: Storage, sha256: str, size_bytes: int | None = None) -> Iterator[bytes]:
    """The file's content, checked by its hash when all of it was read. size_bytes: the most it may have, if known.

    Raises TrexError if the store lacks it, has it damaged, or if it expands to more than 16 MB and a thousand times.
    """
    import zstandard

    path = artifact_file(sha256)
    where, digest, size = storage.address(path), hashlib.sha256(), 0
    try:
        with storage.open(path) as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
            compressed = file.seek(0, os.SEEK_END)
            file.seek(0)
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
                if size_bytes is not None and size > size_bytes:
                    raise _damaged(where, f"it has more than {size_bytes:,} bytes")
                if _is_bomb(size, compressed):
                    raise _damaged(where, f"it expands to more than {_MOST_EXPANSION:,} times its size")
                yield chunk
    except FileNotFoundError:
        hint = "add the run's folder again, or sync the store"
        raise TrexError("the store lacks this file", hint, where) from None
    except (OSError, zstandard.ZstdError) as error:
        raise _damaged(where, str(error)) from error
    if digest.hexdigest() != sha256:
        raise _damaged(where, "its SHA-256 differs")


def check_artifact(storage: Storage, artifact: Artifact) -> None:
    """Reads the whole file. Raises TrexError as ``artifact_chunks``."""
    for _ in artifact_chunks(storage, artifact.sha256, artifact.size_bytes):
        pass


def _is_bomb(size: int, compressed: int) -> bool:
    return size > max(_MOST_EXPANDED, _MOST_EXPANSION * compressed)


def _damaged(where: str, reason: str) -> TrexError:
    return TrexError(f"the file is damaged: {reason}", "trex store fsck lists the damage", where)


def copy_artifacts(storage: Storage, artifacts: Iterable[Artifact], folder: Path) -> list[Path]:
    """Writes those that the store keeps into the folder, under their names."""
    with suppress(OSError):  # what is written next says why
        folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for artifact in artifacts:
        if artifact.is_kept:
            path = folder / artifact.name
            with whole_file(path) as file:
                file.writelines(artifact_chunks(storage, artifact.sha256, artifact.size_bytes))
            paths.append(path)
    return paths


def import_artifact(other: Storage, storage: LocalStorage, artifact: Artifact) -> None:
    """Copies the compressed file of another store, once it is checked."""
    path = artifact_file(artifact.sha256)
    if _has(storage, artifact):
        return
    check_artifact(other, artifact)
    with other.open(path) as file, storage.writing(path) as written:
        while chunk := file.read(_CHUNK):
            written.write(chunk)


def files_in(folder: Path, files: EngineFiles, kept: frozenset[str]) -> EngineFiles:
    """The engine's files with addresses in a folder of copied artifacts, without those that are not there."""

    def moved(address: str) -> str | None:
        name = address.partition(MEMBER_MARK)[0] if address not in kept else address
        return f"{folder}{os.sep}{address}" if name in kept else None

    slots: dict[str, Any] = {slot: moved(value) if (value := getattr(files, slot)) else None for slot in SLOTS}
    lists: dict[str, Any] = {
        slot: tuple(path for value in getattr(files, slot) if (path := moved(value)))
        for slot in ("others", "more_logs")
    }
    return replace(files, **slots, **lists)


def _hashed(path: str) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with open_file(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return digest.hexdigest(), size


def _state(path: str) -> tuple[int, int]:
    try:
        stat = Path(path).stat()
    except OSError:
        return (-1, -1)
    return stat.st_size, stat.st_mtime_ns


def _outer(address: str) -> str:
    """The archive of ``archive.tea!member``; any other path as it is."""
    from trex.ingest.opening import split_address

    member = split_address(address)
    return member[0] if member else address


def _unique_names(paths: Iterable[str]) -> dict[str, str]:
    """{path: its name}, with a number in front where files of several folders share a name."""
    names: dict[str, str] = {}
    used: set[str] = set()
    for path in paths:
        name, number = Path(path).name, 1
        while name in used:
            number += 1
            name = f"{number}-{Path(path).name}"
        used.add(name)
        names[path] = name
    return names


def _renamed(files: EngineFiles, names: Mapping[str, str]) -> EngineFiles:
    def renamed(address: str) -> str:
        outer = _outer(address)
        return names[outer] + address[len(outer) :]

    slots: dict[str, Any] = {slot: renamed(value) if (value := getattr(files, slot)) else None for slot in SLOTS}
    lists: dict[str, Any] = {slot: tuple(map(renamed, getattr(files, slot))) for slot in ("others", "more_logs")}
    # What was noticed where the files were, as a swap that was left; paths of the machine do not belong into a store.
    notes = tuple(replace(note, where=os.path.basename(note.where)) for note in files.notes)  # noqa: PTH119
    return replace(files, **slots, **lists, notes=notes)
