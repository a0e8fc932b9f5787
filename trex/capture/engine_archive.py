"""EngineArchive (``.tea``, a zip): the files of a build in one file, which is written whole or not at all."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TextIO

from trex.capture import build_facts
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.note import Note
from trex.core.whole_file import whole_file
from trex.core.whole_set import FAILED_ENDING
from trex.ingest.archive import archive_infos, leads_outside, members_in_pieces, open_archive
from trex.ingest.finding.candidate import candidate
from trex.ingest.finding.file_kind import HEAD_BYTES
from trex.ingest.opening import joined_address, missing_file

VERSION = "1.0"

_OF_BUILD = ("engine.trt", "plan_cfg.json", "build_cfg.json", "timing.cache", "build.txt")
_ALSO_OF_FAILED = ("build_cfg.json", "timing.cache", "build.txt")
_FAILED = f"build{FAILED_ENDING}/"
_NOT_OF_ENGINE = ("", "onnx", "archive")

_IN_MEMORY_BYTES = 16 << 20
_LARGEST_MEMBER = 4 << 30
_CHUNK_BYTES = 1 << 20
# Engines and caches hardly compress.
_STORED = (".engine", ".plan", ".trt", ".cache")


class Writer:
    """Writes text (as UTF-8) or bytes to a file. Several threads may write; after ``close`` everything is dropped, such
    as the last messages of a log.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._lock = threading.Lock()
        self.closed = False

    def write(self, content: str | bytes | bytearray | memoryview) -> int:
        data = content.encode("utf-8", "replace") if isinstance(content, str) else memoryview(content)
        with self._lock:
            if not self.closed:
                try:
                    self._file.write(data)
                except OSError as error:
                    raise TrexError(f"it cannot be written: {error.strerror}", "check space and permissions") from error
        return len(content)

    def writelines(self, lines: Iterable[str | bytes]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        with self._lock:
            if not self.closed:
                self._file.flush()

    def close(self) -> None:
        with self._lock:
            self.closed = True
            self._finish()

    def _finish(self) -> None:
        self._file.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _MemberWriter(Writer):
    """Keeps its file open until the archive has read it."""

    def _finish(self) -> None:
        self._file.flush()

    def content(self) -> IO[bytes]:
        self._file.seek(0)
        return self._file

    def discard(self) -> None:
        self.closed = True
        self._file.close()


class EngineArchive:
    """An archive of one engine. Reading needs no TensorRT. Opening deletes nothing: an existing archive keeps its
    members, and new ones replace those of the same name.

    archive_filename: created with the first member. override_files: False makes it an error to write a member that
    exists. ``close``, or the end of ``with``, replaces the old archive by the new one in one step; also after an
    exception, as the log of a failed build is worth reading: in ``build.failed/``, if the archive has an engine that
    the new members did not replace. notes: what was left out.
    Raises TrexError for a file that is no archive, for names that lead out of it, and for members that are damaged or
    expand beyond measure.
    """

    version = VERSION

    def __init__(self, archive_filename: str | os.PathLike[str], override_files: bool = True) -> None:
        self.archive_filename = os.fspath(archive_filename)
        self.override_files = override_files
        self._written: dict[str, _MemberWriter] = {}
        self._notes: dict[str, Note] = {}
        self._left_out: set[str] = set()

    def __enter__(self) -> EngineArchive:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if error is not None and not self._left_out:
                self._set_apart()
            self.close()
        except TrexError as write_error:
            if error is None:
                raise
            self.note("archive-not-written", write_error.message, write_error.hint)  # the first error counts

    def _set_apart(self) -> None:
        """What was written before an exception, next to the files of an earlier engine: it must not mix with them."""
        if self._exists() and set(self.of_engine()) - set(self._written):
            for name in [name for name in self._written if not name.startswith(_FAILED)]:
                self.rename(name, f"{_FAILED}{name}")

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(self._notes.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Members that can be read, including unsaved ones."""
        return tuple(dict.fromkeys((*(info.filename for info in self._infos()), *self._written)))

    def open(self) -> EngineArchive:
        """Checks that an existing file is an archive."""
        self._infos()
        return self

    def close(self) -> None:
        """Writes the archive if there is something to write."""
        if self._written:
            self._save()
        for writer in self._written.values():
            writer.discard()
        self._written.clear()
        self._left_out.clear()

    def writef_txt(self, fname: str, text: str) -> None:
        """Writes a member of text, as UTF-8."""
        with self.writer(fname) as writer:
            writer.write(text)

    def writef_bin(self, fname: str, content: Any) -> None:
        """Writes a member of bytes, or of anything with a buffer, as TensorRT's IHostMemory."""
        with self.writer(fname) as writer:
            writer.write(memoryview(content).cast("B"))

    def readf(self, fname: str) -> bytes:
        """The bytes of a member, saved or not."""
        written = self._written.get(fname)
        if written is not None:
            return written.content().read()
        infos = self._infos()
        info = next((info for info in infos if info.filename == fname), None)
        if info is None:
            if not self._exists():
                raise missing_file(self.archive_filename)
            names = [info.filename for info in infos]
            hint = did_you_mean(fname, names, f"it contains {', '.join(names[:8]) or 'nothing'}")
            raise TrexError("the archive has no such member", hint, joined_address(self.archive_filename, fname))
        address = joined_address(self.archive_filename, fname)
        if info.file_size > _LARGEST_MEMBER:
            raise TrexError(f"the member is larger than {_LARGEST_MEMBER >> 30} GiB", "unpack the archive", address)
        return b"".join(b"".join(pieces) for _, pieces in members_in_pieces(self.archive_filename, [info]))

    def writer(self, fname: str) -> Writer:
        """A writer of a member, which is part of the archive once it or the archive is closed."""
        if not fname or fname.endswith("/") or leads_outside(fname):
            hint = "give a plain name, such as build.txt"
            raise TrexError(f"{fname!r} is not a name for a member of an archive", hint, self.archive_filename)
        if not self._written:
            self._check_kept(fname)
        if not self.override_files and fname in self.names:
            raise TrexError(
                "the archive has this member already, and override_files is False",
                "EngineArchive(…, override_files=True) replaces it",
                joined_address(self.archive_filename, fname),
            )
        folder = os.path.dirname(os.path.realpath(self.archive_filename))  # noqa: PTH120
        if not os.access(folder, os.W_OK):  # better now than after the build
            raise TrexError("the archive's folder is not writable", "choose another folder", self.archive_filename)
        former = self._written.pop(fname, None)
        if former is not None:
            former.discard()
        self._written[fname] = _MemberWriter(tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES, dir=folder))  # noqa: SIM115
        return self._written[fname]

    def reader(self, fname: str) -> TextIO:
        """A member as a text file; bytes that are not UTF-8 become replacement characters."""
        return io.TextIOWrapper(io.BytesIO(self.readf(fname)), encoding="utf-8", errors="replace")

    def archive_build_config(self, config: Any, build_duration: float | None = None) -> None:
        """``build_cfg.json``: the settings of an IBuilderConfig, and the seconds that the build took."""
        self.writef_txt("build_cfg.json", build_facts.as_json(build_facts.config_facts(config, build_duration)))

    def archive_timing_cache(self, config: Any) -> None:
        """``timing.cache`` of an IBuilderConfig, if it has one."""
        cache = build_facts.timing_cache_bytes(config)
        if cache is not None:
            self.writef_bin("timing.cache", cache)

    def archive_plan_info(self, plan: Any) -> None:
        """``plan_cfg.json``: layers and facts of an engine, or of a serialized one, which needs TensorRT to be read."""
        self.writef_txt("plan_cfg.json", build_facts.as_json(build_facts.plan_document(plan)))

    def Builder(self, logger: Any) -> Any:
        """A ``tensorrt.Builder`` whose ``build_serialized_network`` also writes build.txt (the log), engine.trt,
        build_cfg.json, plan_cfg.json and timing.cache here. Raises TrexError without TensorRT.

        A new engine takes the place of all that the archive holds of an earlier one, with a Note; a build that fails
        leaves that as it is, and its log is ``build.failed/build.txt``.
        """
        return _recording_builder(self, logger)

    def note(self, code: str, message: str, hint: str = "") -> None:
        """Adds a note about a member that was not written."""
        self._notes.setdefault(f"{code} {message}", Note(code, message, hint, self.archive_filename))

    def rename(self, fname: str, new: str) -> None:
        """An unsaved member."""
        self._written[new] = self._written.pop(fname)

    def of_engine(self) -> list[str]:
        """Members that describe an engine, or what was measured of it; [] if there is only a build that failed."""
        names = self._of_builds()
        return [] if all(name in _ALSO_OF_FAILED for name in names) else names

    def _of_builds(self) -> list[str]:
        names = [name for name in self._written if name in _OF_BUILD]
        if not self._exists():
            return names
        with open_archive(self.archive_filename) as opened:
            for info in opened.infos:
                name = info.filename
                if name in self._written or name in self._left_out or name.startswith(_FAILED):
                    continue
                try:
                    head = opened.head(info, HEAD_BYTES)
                except TrexError:
                    head = b""
                base = name.rpartition("/")[2]
                address = joined_address(self.archive_filename, name)
                if name in _OF_BUILD or candidate(address, base, head).slot not in _NOT_OF_ENGINE:
                    names.append(name)
        return names

    def leave_out(self, names: Iterable[str]) -> None:
        """Members that the next ``close`` drops, and all of a build that failed."""
        for name in names:
            written = self._written.pop(name, None)
            if written is not None:
                written.discard()
        self._left_out |= {*names, *(info.filename for info in self._infos() if info.filename.startswith(_FAILED))}

    def _exists(self) -> bool:
        return os.path.lexists(self.archive_filename)

    def _infos(self) -> tuple[zipfile.ZipInfo, ...]:
        if not self._exists():
            return ()
        infos, notes = archive_infos(self.archive_filename)
        for note in notes:
            self._notes.setdefault(f"{note.code} {note.message}", note)
        return tuple(info for info in infos if info.filename not in self._left_out)

    def _check_kept(self, fname: str) -> None:
        """Raises TrexError if a member cannot be copied into the new archive: better now than after the build."""
        kept = [info.filename for info in self._infos() if info.filename != fname]
        if kept:
            with open_archive(self.archive_filename) as opened:
                for name in kept:
                    opened.open(opened.find(name))

    def _save(self) -> None:
        target = Path(os.path.realpath(self.archive_filename))
        with (
            whole_file(target, what="archive") as raw,
            zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            self._fill(archive)

    def _fill(self, archive: zipfile.ZipFile) -> None:
        kept = [info for info in self._infos() if info.filename not in self._written]
        if kept:
            for info, pieces in members_in_pieces(self.archive_filename, kept):
                copy = zipfile.ZipInfo(info.filename, info.date_time)
                copy.compress_type = info.compress_type
                copy.external_attr = info.external_attr
                with archive.open(copy, "w", force_zip64=True) as member:
                    for piece in pieces:
                        member.write(piece)
        for name, writer in self._written.items():
            info = zipfile.ZipInfo(name, _now())
            info.compress_type = _compression(name)
            info.external_attr = 0o644 << 16
            with archive.open(info, "w", force_zip64=True) as member:
                shutil.copyfileobj(writer.content(), member, _CHUNK_BYTES)


def write_archive(path: Path, files: Iterable[Path]) -> Path:
    """Writes the files that exist into a new archive, under their own names. Raises TrexError if it cannot."""
    with whole_file(path, what="archive") as raw, zipfile.ZipFile(raw, "w") as archive:
        for file in files:
            if file.is_file():
                archive.write(file, file.name, _compression(file.name))
    return path


def regular_file_writer(fname: str | os.PathLike[str]) -> Writer:
    """A writer of text or bytes to a file. Raises TrexError if it cannot be created."""
    try:
        return Writer(Path(fname).open("wb"))
    except OSError as error:
        raise TrexError(f"the file cannot be written: {error.strerror}", "choose another folder", str(fname)) from None


def regular_file_reader(fname: str | os.PathLike[str]) -> TextIO:
    """A text file, decoded as in ``EngineArchive.reader``. Raises TrexError if it cannot be read."""
    try:
        return Path(fname).open(encoding="utf-8", errors="replace")
    except OSError as error:
        raise TrexError(f"the file cannot be read: {error.strerror}", "check the path", str(fname)) from None


def member_name(fname: str | os.PathLike[str]) -> str:
    """The member for a path: a relative path unchanged, of others the file name."""
    text = os.fspath(fname)
    return Path(text).name if leads_outside(text) else text


def _recording_builder(archive: EngineArchive, logger: Any) -> Any:
    """A builder that writes into the archive; a member that cannot be written is a Note, and the build goes on."""
    trt = build_facts.import_tensorrt("building into an archive")

    class RecordingBuilder(trt.Builder):  # type: ignore[misc, name-defined]
        """Builds as ``tensorrt.Builder`` does, and records."""

        def __init__(self) -> None:
            self._earlier = archive.of_engine()
            if self._earlier and not archive.override_files:
                archive.writer(self._earlier[0])  # raises
            self._has_built = False
            self._log = f"{_FAILED}build.txt" if self._earlier else "build.txt"
            self._recorded_log = build_facts.stream_trt_logger(logger, archive.writer(self._log))
            trt.Builder.__init__(self, self._recorded_log)

        def build_serialized_network(self, network: Any, config: Any) -> Any:
            start = time.monotonic()
            plan = trt.Builder.build_serialized_network(self, network, config)
            seconds = time.monotonic() - start
            if plan is None and (self._earlier or self._has_built):
                return None
            self._has_built = plan is not None
            if self._earlier:
                archive.leave_out(self._earlier)
                archive.rename(self._log, "build.txt")
                message = f"left out, of the engine before this build: {', '.join(sorted(self._earlier))}"
                archive.note("earlier-engine-left-out", message)
                self._earlier = []
            steps: list[tuple[str, Callable[[], None]]] = [
                ("build_cfg.json", lambda: archive.archive_build_config(config, seconds)),
                ("timing.cache", lambda: archive.archive_timing_cache(config)),
            ]
            if plan is not None:
                steps.insert(0, ("engine.trt", lambda: archive.writef_bin("engine.trt", plan)))
                steps.append(("plan_cfg.json", lambda: archive.archive_plan_info(plan)))
            for name, step in steps:
                try:
                    step()
                except Exception as error:  # whatever happens, the user gets the plan
                    archive.note("not-archived", f"{name} was not written: {error}")
            return plan

    return RecordingBuilder()


def _compression(name: str) -> int:
    return zipfile.ZIP_STORED if name.endswith(_STORED) else zipfile.ZIP_DEFLATED


def _now() -> tuple[int, int, int, int, int, int]:
    now = time.localtime()
    return max(now.tm_year, 1980), now.tm_mon, now.tm_mday, now.tm_hour, now.tm_min, now.tm_sec
