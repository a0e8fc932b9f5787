"""Bytes → file, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from trex.core.errors import TrexError


def write_whole(path: str | os.PathLike[str], data: bytes) -> Path:
    """Writes the file through a temporary one beside it: a failure leaves what was there before.

    Raises TrexError when the folder is missing or takes no file.
    """
    target = Path(path)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:60]}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        give_usual_mode(temporary)
        os.replace(temporary, target)  # noqa: PTH105
    except OSError as error:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
        raise TrexError(
            f"the file cannot be written: {error.strerror}", "check the folder, its space and permissions", str(path)
        ) from error
    return target


def give_usual_mode(path: str) -> None:
    """Permissions as of any new file; temporary files are their owner's alone."""
    mask = os.umask(0)
    os.umask(mask)
    Path(path).chmod(0o666 & ~mask)
