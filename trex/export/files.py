"""Bytes → file, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from trex.core.errors import TrexError


def write_file(path: str | Path, content: bytes | str) -> Path:
    """Writes the file through a temporary one beside it, so that a failure leaves nothing half-written.

    Raises TrexError when the folder is missing or cannot be written to.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise TrexError("the folder does not exist", f"mkdir -p {path.parent}", str(path))
    if path.is_dir():
        raise TrexError("this is a folder, not a file", "name a file in it", str(path))
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:60]}.")
    except OSError as error:
        raise TrexError(f"cannot write here: {error.strerror}", "choose another folder", str(path)) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise TrexError(f"cannot write the file: {error.strerror}", "check space and permissions", str(path)) from error
    return path


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
