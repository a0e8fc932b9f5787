"""Bytes → file, complete or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from trex.core.errors import TrexError


@contextmanager
def whole_file(path: str | os.PathLike[str], *, what: str = "file", keep_mode: bool = False) -> Iterator[BinaryIO]:
    """A temporary file that gets its name if the block ends without an error; otherwise an existing file stays as is.

    The temporary file is in the same folder. what: its name in errors. keep_mode: an existing file keeps its
    permissions. Raises TrexError if the folder is missing or not writable, and if writing fails.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise TrexError(
            f"the {what} cannot be written: the folder does not exist", f"mkdir -p {target.parent}", str(path)
        )
    if target.is_dir():
        raise TrexError(f"the {what} cannot be written: this is a folder, not a file", "name a file in it", str(path))
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:60]}.")
        with os.fdopen(handle, "wb") as file:
            yield file
        if keep_mode and target.exists():
            shutil.copymode(target, temporary)
        else:
            _give_usual_mode(temporary)
        Path(temporary).replace(target)
        temporary = ""
    except OSError as error:
        raise TrexError(
            f"the {what} cannot be written: {error.strerror or error}",
            "check the folder, its space and permissions",
            str(path),
        ) from error
    finally:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Writes the file; text as UTF-8, with ``?`` for what UTF-8 cannot encode. Raises TrexError as ``whole_file``."""
    with whole_file(path) as file:
        file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)
    return Path(path)


def _give_usual_mode(path: str) -> None:
    """The permissions of a new file; temporary files are private."""
    mask = os.umask(0)
    os.umask(mask)
    Path(path).chmod(0o666 & ~mask)
