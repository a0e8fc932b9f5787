"""The files of a store: in a folder, or read-only behind an fsspec address (``s3://bucket/store``)."""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeAlias
from weakref import finalize

from trex.core.errors import TrexError, missing_extra
from trex.core.printable import printable
from trex.core.read_files import remember_read
from trex.core.regular_file import MOST_BYTES, open_regular, read_regular
from trex.core.scratch_folder import scratch_folder
from trex.core.whole_file import is_stream, whole_file

_NO_FILE = "it is a device or a pipe, not a regular file"
_PIECE = 1 << 20
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_address(path: str) -> bool:
    """Whether it is an fsspec address; ``file://`` counts."""
    return bool(_ADDRESS.match(path))


class LocalStorage:
    """A store on this machine. Paths are relative to it, with ``/``. where: for messages."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.where = str(root)

    def path(self, path: str) -> Path:
        return self.root / path

    def look_again(self) -> None:
        """Nothing is kept of a folder."""

    def read(self, path: str) -> bytes:
        """A file of at most 64 MiB. Raises OSError, also for what is no regular file."""
        return read_regular(self.path(path))

    def open(self, path: str) -> IO[bytes]:
        """For reading. Raises OSError, also for what is no regular file."""
        return open_regular(self.path(path))

    def exists(self, path: str) -> bool:
        return os.path.lexists(self.path(path))

    def below(self, folder: str) -> Iterator[str]:
        """Paths of all files below a folder, without hidden ones, pipes and devices; none without the folder."""
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(self.path(folder)) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                path = f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    yield from self.below(path)
                else:
                    yield path

    def folders(self, folder: str) -> list[str]:
        """Names of the folders in a folder, sorted."""
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(self.path(folder)) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("."))
        return []

    def local(self, paths: Iterable[str]) -> list[str]:
        """Paths of the system, of files that any program can read. Raises TrexError for a device or a pipe."""
        names = []
        for path in paths:
            target = self.path(path)
            with suppress(OSError):  # what is missing or closed, the program says itself
                status = target.stat()
                if not stat.S_ISREG(status.st_mode):
                    raise TrexError(f"a table can't be read: {_NO_FILE}", "trex store fsck names it", str(target))
                remember_read(status)
            names.append(str(target))
        return names

    def address(self, path: str) -> str:
        """For messages."""
        return str(self.path(path))

    def leads_out(self, path: str) -> bool:
        """Whether a link on the path leads out of the store, to any file of this user's."""
        root, target = (Path(os.path.realpath(one)) for one in (self.root, self.path(path)))
        return not target.is_relative_to(root)

    def write(self, path: str, content: bytes) -> Path:
        """The whole file or nothing. Raises TrexError."""
        with self.writing(path) as file:
            file.write(content)
        return self.path(path)

    @contextmanager
    def writing(self, path: str) -> Iterator[BinaryIO]:
        """The whole file or nothing, in a folder that is made. Raises TrexError, also for a link or a pipe there."""
        target = self.path(path)
        with ExitStack() as stack:
            for is_last in (False, False, True):
                try:
                    self.make_folder(target.parent)
                    if target.is_symlink() or is_stream(str(target)):
                        message = "a link or a pipe is in the place of a file of the store"
                        raise TrexError(message, "remove it", str(target))
                    file = stack.enter_context(whole_file(target))
                    break
                except TrexError:
                    if is_last or target.parent.is_dir():
                        raise  # else another process removed the folder, which was empty
            yield file

    def make_folder(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _not_written(error, folder) from error

    def touch(self, path: str) -> None:
        """An empty file."""
        target = self.path(path)
        self.make_folder(target.parent)
        try:
            target.touch()
        except OSError as error:
            raise _not_written(error, target) from error

    def delete(self, path: str) -> bool:
        """The file, and the folders that it leaves empty; False if there is none."""
        target = self.path(path)
        try:
            target.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            reason = error.strerror or error
            raise TrexError(f"the file can't be removed: {reason}", "check its permissions", str(target)) from error
        with suppress(OSError):
            for folder in target.parents:
                if folder == self.root or folder.parent == self.root:
                    break
                folder.rmdir()
        return True


def _not_written(error: OSError, path: Path) -> TrexError:
    reason = error.strerror or error
    return TrexError(f"the store can't be written: {reason}", "check the folder, its space and permissions", str(path))


class _Stream(io.RawIOBase):
    """A file of a foreign file system. reading: the context that makes its errors ours."""

    def __init__(self, file: IO[bytes], reading: Callable[[], AbstractContextManager[None]]) -> None:
        self._file = file
        self._reading = reading

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def readinto(self, buffer: Any) -> int:
        with self._reading():
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        with self._reading():
            return self._file.seek(offset, whence)

    def close(self) -> None:
        if not self.closed:
            with self._reading():
                self._file.close()
        super().close()


class RemoteStorage:
    """A store behind an fsspec address, read-only; files that DuckDB reads are fetched once."""

    def __init__(self, address: str) -> None:
        try:
            import fsspec
        except ImportError as error:
            raise missing_extra("fsspec", "store", f"reading {address}") from error
        self.where = address.rstrip("/")
        try:
            self._system: Any
            self._system, self._root = fsspec.core.url_to_fs(self.where)
            self.look_again()  # fsspec gives everyone in a process the same system
        except Exception as error:  # each file system raises errors of its own
            message = f"the address can't be opened: {printable(str(error))[:300]}"
            raise TrexError(
                message, "check it; s3://, gs:// and others need a package of their own", address
            ) from error
        self._root = self._root.rstrip("/")
        with ExitStack() as stack:
            self._fetched = stack.enter_context(scratch_folder())
            finalize(self, stack.pop_all().close)

    @contextmanager
    def _reading(self, path: str) -> Iterator[None]:
        """Each file system raises errors of its own: here, OSError."""
        try:
            yield
        except (OSError, TrexError):
            raise
        except Exception as error:
            raise OSError(
                errno.EIO, f"{type(error).__name__}: {printable(str(error))[:300]}", self.address(path)
            ) from error

    def look_again(self) -> None:
        """Forgets the listings of folders."""
        self._system.invalidate_cache()

    def _pieces(self, path: str) -> Iterator[bytes]:
        """The content of a file, as it comes."""
        with self._reading(path), self._system.open(f"{self._root}/{path}", "rb", **self._streaming) as file:
            while piece := file.read(_PIECE):
                yield piece

    @property
    def _streaming(self) -> dict[str, int]:
        """Of HTTP: in one request, whose error is the server's. Else it asks for the size first, and every failure of
        that is "not found".
        """
        return {"block_size": 0, "size": 1} if "https" in self._system.protocol else {}

    def read(self, path: str) -> bytes:
        content = bytearray()
        for piece in self._pieces(path):
            content += piece
            if len(content) > MOST_BYTES:
                raise OSError(errno.EFBIG, f"more than {MOST_BYTES:,} bytes", self.address(path))
        return bytes(content)

    def open(self, path: str) -> IO[bytes]:
        """A stream of the file system: an engine may have gigabytes. Raises OSError, as its methods do."""
        with self._reading(path):
            file = self._system.open(f"{self._root}/{path}", "rb")
        return io.BufferedReader(_Stream(file, partial(self._reading, path)), 1 << 20)

    def exists(self, path: str) -> bool:
        with self._reading(path):
            return bool(self._system.exists(f"{self._root}/{path}"))

    def below(self, folder: str) -> Iterator[str]:
        start = len(self._root) + 1 if self._root else 0
        with suppress(FileNotFoundError, NotADirectoryError), self._reading(folder):
            for path in self._system.find(f"{self._root}/{folder}"):
                relative = path[start:] if path.startswith(self._root) else path.partition(f"{self._root}/")[2]
                if not any(part.startswith(".") for part in relative.split("/")):
                    yield relative

    def folders(self, folder: str) -> list[str]:
        with suppress(FileNotFoundError, NotADirectoryError), self._reading(folder):
            entries = self._system.ls(f"{self._root}/{folder}", detail=True)
            names = (entry["name"].rstrip("/").rpartition("/")[2] for entry in entries if entry["type"] == "directory")
            return sorted(name for name in names if not name.startswith("."))
        return []

    def local(self, paths: Iterable[str]) -> list[str]:
        fetched = []
        for path in paths:
            target = Path(self._fetched) / path
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                try:
                    self._fetch(path, target)
                except FileNotFoundError:
                    raise
                except OSError as error:
                    message = f"the file can't be read: {error.strerror or error}"
                    raise TrexError(message, "trex store fsck lists the damage", self.address(path)) from error
            fetched.append(str(target))
        return fetched

    def _fetch(self, path: str, target: Path) -> None:
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
            for piece in self._pieces(path):
                file.write(piece)
        Path(file.name).replace(target)

    @property
    def fetched_folder(self) -> str:
        return self._fetched

    def address(self, path: str) -> str:
        return f"{self.where}/{path}"


Storage: TypeAlias = LocalStorage | RemoteStorage


def storage_of(path: str | os.PathLike[str]) -> Storage:
    text = os.fspath(path)
    return RemoteStorage(text) if is_address(text) else LocalStorage(Path(os.path.expanduser(text)))  # noqa: PTH111 (Path raises without such a user)
