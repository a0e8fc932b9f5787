"""Runs ↔ an archive, another store, or folders of another machine (``user@host:folder``)."""

from __future__ import annotations

import errno
import io
import os
import re
import shlex
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from trex.core.errors import TrexError, missing_extra
from trex.core.printable import printable, shell_word
from trex.core.regular_file import open_regular
from trex.core.scratch_folder import scratch_folder
from trex.core.steps import in_steps
from trex.core.whole_file import whole_file
from trex.store.artifacts import check_artifact, import_artifact
from trex.store.layout import ARTIFACTS, RUNS, STORE_FILE, artifact_file, is_of_store, run_file, store_document
from trex.store.run_store import RunStore
from trex.store.storage import LocalStorage, Storage, is_address
from trex.store.sweep_record import FOLDER as SWEEPS
from trex.store.sweep_record import SESSIONS, session_files

_REMOTE = re.compile(r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9._-]*)@)?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?P<folder>.+)")
_MEMBER = re.compile(
    rf"(?:\./)?(?:{re.escape(STORE_FILE)}|{RUNS}/[0-9a-f]{{16}}/run\.json|{ARTIFACTS}/[0-9a-f]{{2}}/[0-9a-f]{{64}}\.zst"
    rf"|{SWEEPS}/(?!\.{{1,2}}/)[^/]+/{SESSIONS}/[0-9A-Za-z][0-9A-Za-z-]*\.json)"
)
_CONTENT = "trex store: {} runs, {} sessions"
"""In the header of an archive: a download that stopped may end in zeros, as a whole archive does."""
_OWN = ("example:", "baseline:", "store:")
"""Beginnings of addresses of ours."""
_SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15")
"""Asks nothing, and ends when the host is silent: after 20 s at the start, after a minute later."""
_SSH_FAILED = 255
_NO_STORE = 3
_BUSY = "changed as we read it"
_LAST_WORDS, _LONGEST_ERRORS = 300, 1 << 16
_PIECE = 1 << 20
_NOISE = "ssh HOST true must print nothing: what the shell of that machine prints at its start gets into the archive"


@dataclass(frozen=True)
class ImportResult:
    """added: ids of runs that are new. known: those that the store had. failed: (run, reason)."""

    added: tuple[str, ...]
    known: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()


def export_runs(store: RunStore, path: str | os.PathLike[str], wanted: Iterable[str] = ()) -> int:
    """Writes runs into a tar archive: a store without tables. wanted: ids, none for all, with the records of sweeps.
    Returns their number.
    """
    some = list(dict.fromkeys(store.id_of(text) for text in wanted))
    ids = some or sorted(run.id for run in store.manifests())
    if not ids:
        raise TrexError("the store has no runs to export", "trex store add FOLDER", store.storage.where)
    sessions = [path for path in ([] if some else session_files(store.storage)) if _MEMBER.fullmatch(path)]
    written: set[str] = set()
    headers = {"comment": _CONTENT.format(len(ids), len(sessions))}
    with (
        whole_file(path) as file,
        tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT, pax_headers=headers) as archive,
    ):
        _write_member(archive, STORE_FILE, io.BytesIO(store_document().encode()))
        for run_id in in_steps("run", ids):
            run, _ = store.manifest(run_id)
            for artifact in run.artifacts:
                if artifact.is_kept and artifact.sha256 not in written:
                    check_artifact(store.storage, artifact)  # a damaged file is no export
                    member = artifact_file(artifact.sha256)
                    with store.storage.open(member) as content:
                        _write_member(archive, member, content)
                    written.add(artifact.sha256)
            with store.storage.open(run_file(run_id)) as content:
                _write_member(archive, run_file(run_id), content)
        for path in sessions:
            _write_member(archive, path, io.BytesIO(_session(store.storage, path)))
    return len(ids)


def _session(storage: Storage, path: str) -> bytes:
    """Also of a damaged one: without it, a gate would not know that jobs failed. Not what a link leads to outside
    of the store: any file of this user's.
    """
    if isinstance(storage, LocalStorage) and storage.leads_out(path):
        message = "a session of a sweep is a link that leads out of the store"
        raise TrexError(message, "put the file itself in its place", storage.address(path))
    try:
        return storage.read(path)
    except OSError as error:
        raise TrexError(
            f"a session of a sweep can't be read: {error}", "trex store fsck", storage.address(path)
        ) from error


def _write_member(archive: tarfile.TarFile, name: str, content: IO[bytes]) -> None:
    member = tarfile.TarInfo(name)
    member.size = content.seek(0, os.SEEK_END)
    content.seek(0)
    archive.addfile(member, content)


def import_runs(store: RunStore, source: str) -> ImportResult:
    """Adds the runs of an archive, of another store (a folder or an fsspec address), or of ``user@host:STORE``.

    Files are checked by their hashes, and tables are made anew.
    """
    with _fetched(source) as folder:
        return _merge(store, RunStore.open(folder))


@contextmanager
def _fetched(source: str) -> Iterator[str]:
    """A store to read, a folder or an address: of an archive and of another machine a temporary copy."""
    if is_remote(source):
        with _of_host(source, is_store=True) as folder:
            yield folder
    elif not is_address(source) and Path(source).is_file():
        with scratch_folder() as folder:
            _unpack(source, Path(folder))
            if not Path(folder, STORE_FILE).is_file():
                raise TrexError("the archive has no run store", _NO_ARCHIVE, source)
            yield folder
    else:
        yield source


@contextmanager
def local_copy(source: str) -> Iterator[str]:
    """An address of engines as a path of this machine: of ``user@host:folder`` and of fsspec addresses a temporary copy
    that has the name of the folder.
    """
    if is_remote(source):
        with _of_host(source) as folder:
            yield folder
    elif is_address(source):
        with _of_address(source) as folder:
            yield folder
    else:
        yield source


@contextmanager
def _of_address(source: str) -> Iterator[str]:
    try:
        import fsspec
    except ImportError as error:
        raise missing_extra("fsspec", "store", f"reading {source}") from error
    with scratch_folder() as folder:
        try:
            system, path = fsspec.core.url_to_fs(source)
            system.invalidate_cache()  # what this process listed before
            target = Path(folder) / (path.rstrip("/").rpartition("/")[2] or "folder")
            room = shutil.disk_usage(folder).free // 2
            if system.isdir(path):
                _fetch(system, path.rstrip("/"), target, room)
            else:
                _copy(system, path, target, room)
        except Exception as error:  # each file system raises errors of its own
            message = f"the address can't be read: {printable(str(error))[:300]}"
            raise TrexError(message, "check the address and its access", source) from error
        yield str(target)


def _fetch(system: Any, path: str, target: Path, room: int) -> None:
    """Every file below a folder of a file system, whose names may be anyone's: none leads outside of the target."""
    for source in system.find(path):
        relative = source[source.index(path) + len(path) :].lstrip("/") if path in source else ""
        parts = relative.split("/")
        if not relative or "\0" in relative or any(part in ("", ".", "..") for part in parts) or "\\" in relative:
            raise ValueError(f"the name {printable(source)[:100]!r} leads elsewhere")
        file = target.joinpath(*parts)
        file.parent.mkdir(parents=True, exist_ok=True)
        room -= _copy(system, source, file, room)


def _copy(system: Any, source: str, file: Path, room: int) -> int:
    """In pieces, no more than ``room`` bytes: a small archive of a file system may expand to more than the disk holds.
    Returns the number of bytes.
    """
    written = 0
    with system.open(source, "rb") as content, file.open("wb") as target:
        while piece := content.read(_PIECE):
            written += len(piece)
            if written > room:
                raise ValueError("its files take more than half of the free space for temporary files")
            target.write(piece)
    return written


def is_remote(source: str) -> bool:
    """``user@host:folder`` or ``host:folder``; a path that exists is none, nor is ``example:NAME``."""
    match = _REMOTE.fullmatch(source)
    is_path = is_address(source) or source.startswith(_OWN) or os.path.lexists(source)
    return match is not None and not is_path and (match["user"] is not None or len(match["host"]) > 1)


def _merge(store: RunStore, other: RunStore) -> ImportResult:
    from trex.store.readings import RunReading

    storage = store.writable()
    added, known, failed = [], [], []
    for run_id in in_steps("run", other.run_ids()):
        try:
            run, files = other.manifest(run_id)
            if run.id != run_id:
                raise TrexError("its manifest is of another run", where=other.storage.address(run_file(run_id)))
            if store.has_run(run_id):
                known.append(run_id)
                continue
            for artifact in run.artifacts:
                if artifact.is_kept:
                    import_artifact(other.storage, storage, artifact)
            rows = RunReading(other.plan(run_id), run.model).rows(run_id)
            store.commit(storage, run, files, rows)
            added.append(run_id)
        except TrexError as error:
            raise_of_store(error, store)
            failed.append((run_id, error.message))
    for path in session_files(other.storage):
        if not storage.exists(path):
            storage.write(path, _session(other.storage, path))
    return ImportResult(tuple(added), tuple(known), tuple(failed))


def raise_of_store(error: TrexError, store: RunStore) -> None:
    """An error of the store that is written to would come again for every run, and so would a full disk."""
    is_full = isinstance(error.__cause__, OSError) and error.__cause__.errno in (errno.ENOSPC, errno.EDQUOT)
    if is_full or (error.where and is_of_store(error.where, store.storage.where)):
        raise error


def _unpack(source: str, folder: Path) -> None:
    """The members of an exported archive; all others are left out, links too. They take no more than the archive, which
    is not compressed: tarfile would try every compression on gigabytes of NUL bytes, and expand bombs.
    """
    storage = LocalStorage(folder)
    try:
        with open_regular(source) as content, tarfile.open(fileobj=cast(Any, _InPieces(content)), mode="r:") as archive:
            for member in archive:
                is_plain = member.isfile() and not member.issparse() and _MEMBER.fullmatch(member.name)
                if is_plain and (file := archive.extractfile(member)):
                    with storage.writing(member.name.removeprefix("./")) as written:
                        shutil.copyfileobj(file, written)
            announced = archive.pax_headers.get("comment", "")
            is_whole = _is_at_end(content, archive.offset)
    except _DAMAGE as error:
        raise TrexError(f"the archive can't be read: {error}", _NO_ARCHIVE, source) from error
    has = _CONTENT.format(
        sum(storage.exists(run_file(name)) for name in storage.folders(RUNS)), len(session_files(storage))
    )
    if not is_whole or (announced.startswith(_CONTENT.partition("{")[0]) and announced != has):
        raise TrexError("the archive is cut off: runs are missing", "copy it again", source)


class _InPieces:
    """A file for tarfile, which reads a header of any size at once: names of gigabytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _PIECE:
            raise ValueError(f"a header of {size:,} bytes")
        return self._file.read(size)


def _is_at_end(archive: IO[bytes], offset: int) -> bool:
    """Whether a block of zeros and nothing else follows the last member."""
    archive.seek(offset)
    size = 0
    while piece := archive.read(_PIECE):
        if piece.count(0) != len(piece):
            return False
        size += len(piece)
    return size >= tarfile.BLOCKSIZE


@contextmanager
def _of_host(source: str, is_store: bool = False) -> Iterator[str]:
    """A folder of another machine, packed by its tar and sent through ssh. is_store: no other folder is sent."""
    match = _REMOTE.fullmatch(source)
    assert match is not None
    host = match["host"] if match["user"] is None else f"{match['user']}@{match['host']}"
    path = re.sub(r"^~(/+|$)", "", match["folder"]) or "."  # ssh starts in the home folder
    quoted = shlex.quote(path)  # the bytes themselves: a shell there that is no bash
    wanted = f"tar -C {quoted} -cf - ."
    if is_store:
        wanted = f"test -d {quoted} && ! test -f {quoted}/{STORE_FILE} && exit {_NO_STORE}; {wanted}"
    with scratch_folder() as folder:
        archive = Path(folder) / ".packed"  # no folder is named so
        code, words = _received([*_SSH, "--", host, wanted], archive, source)
        if is_store and code == _NO_STORE:
            raise TrexError("there is no run store in this folder", f"name the folder that has {STORE_FILE}", source)
        words = words or f"ssh ended with {code}"
        is_written_to = is_store and code == 1 and _BUSY in words  # runs are checked by their hashes
        if code != 0 and not is_written_to:
            hint = "check the folder on that machine"
            if code == _SSH_FAILED:
                hint = (
                    f"ssh -o BatchMode=yes {shell_word(host)} must work first; "
                    "ports, keys and hops belong in ~/.ssh/config"
                )
            raise TrexError(f"the folder can't be fetched: {words}", hint, source)
        target = Path(folder) / (Path(path.rstrip("/")).name.strip(".") or "folder")
        _extract(archive, target, source)
        archive.unlink()
        yield str(target)


def _received(command: Sequence[str], archive: Path, source: str) -> tuple[int, str]:
    """(exit code, last words) of ssh, whose output goes into a file, but for more than half of the free space."""
    room, errors = shutil.disk_usage(archive.parent).free // 2, bytearray()

    def listen(pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):  # closed, while a child of ssh still writes
            while piece := pipe.read(_LAST_WORDS):
                errors.extend(piece)
                del errors[:-_LONGEST_ERRORS]

    try:
        ssh = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except FileNotFoundError:
        raise TrexError("ssh is not installed", "copy the folder here, then add it", source) from None
    assert ssh.stdout is not None and ssh.stderr is not None
    with archive.open("wb") as file, ssh:
        listener = threading.Thread(target=listen, args=(ssh.stderr,), daemon=True)
        listener.start()
        try:
            while piece := ssh.stdout.read(_PIECE):
                room -= len(piece)
                if room < 0:
                    message = "its files take more than half of the free space for temporary files"
                    raise TrexError(message, "copy them to a larger disk, then add them", source)
                file.write(piece)
            code = ssh.wait()
        except BaseException:
            ssh.kill()
            raise
        finally:
            listener.join(1.0)
    return code, _last_words(bytes(errors))


_DAMAGE = (tarfile.TarError, OSError, EOFError, ValueError, OverflowError, IndexError, KeyError)
"""What tarfile raises for damaged headers, and the system for their times and names."""
_NO_ARCHIVE = "trex store export writes one, not compressed"


def _last_words(errors: bytes) -> str:
    """The last two lines, which name the reason of ssh or tar."""
    lines = [printable(line.strip()) for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    return "; ".join(lines[-2:])[-_LAST_WORDS:]


def _extract(archive: Path, target: Path, source: str) -> None:
    """Files and folders only: no links, no devices, nothing outside the target."""
    target.mkdir()
    try:
        with archive.open("rb") as content, tarfile.open(fileobj=cast(Any, _InPieces(content)), mode="r:") as members:
            for member in members:
                parts = Path(member.name).parts
                if not member.isfile() or member.issparse() or member.name.startswith("/") or ".." in parts:
                    continue
                file = members.extractfile(member)
                path = target.joinpath(*parts)
                path.parent.mkdir(parents=True, exist_ok=True)
                if file is not None:
                    with path.open("wb") as written:
                        shutil.copyfileobj(file, written)
                    os.utime(path, (member.mtime, member.mtime))
    except _DAMAGE as error:
        raise TrexError(f"what the host sent can't be unpacked: {error}", _NOISE, source) from error
