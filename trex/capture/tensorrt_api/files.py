"""Bytes and data → files, whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import tempfile
from typing import Any

from trex.capture.tensorrt_api.errors import FAILED, CollectorError

PARTIAL = ".partial"
TIMING_CACHE = "timing.cache"
"""In the output folder."""
CACHE_MAGIC = b"ptrt"
"""Timing caches begin with it."""
CACHE_ENDING = ".cache"


def write_file(path: str, data: Any) -> None:
    """data: anything with a buffer. A failure keeps the previous file; only one that dies leaves its part of one.

    Devices and pipes are written through, links stay.
    """
    is_stream = os.path.exists(path) and not os.path.isfile(path)
    target = os.path.realpath(path)
    partial = ""
    try:
        if is_stream:
            with open(path, "wb") as file:
                file.write(data)
            return
        # A new name: one that can be guessed may be a link, or a user's file; a short one: names have 255 bytes.
        handle, partial = tempfile.mkstemp(PARTIAL, "trex-", os.path.dirname(target))
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(partial, _mode(target))
        os.replace(partial, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        hint = "free some space, or raise the limit" if is_full else "check the folder and its permissions"
        raise CollectorError(f"{path} cannot be written: {error.strerror}", hint, FAILED) from None


def _mode(target: str) -> int:
    """As it was, else what the umask leaves."""
    with contextlib.suppress(OSError):
        return os.stat(target).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def write_records(path: str, records: list[dict[str, Any]]) -> None:
    """A list with one record per line, as trtexec writes it, in ASCII; nan and infinity become null."""
    lines = [json.dumps({key: json_value(value) for key, value in record.items()}) for record in records]
    write_file(path, ("[\n  " + "\n, ".join(lines) + "\n]\n" if lines else "[\n]\n").encode("ascii"))


def json_value(value: Any) -> Any:
    return None if isinstance(value, float) and value - value != 0 else value


def make_folder(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise CollectorError(f"the folder {path} cannot be created: {error.strerror}", "choose another one") from None


def may_be_timing_cache(path: str) -> bool:
    """False for a file with something else in it, which a build must not write over; True if there is none.

    A file that cannot be read is left to the build, and devices and pipes are not opened. Caches of 8.6 to 10.15 are
    known to begin so; one of another version counts by its name.
    """
    if not os.path.isfile(path) or path.lower().endswith(CACHE_ENDING):
        return True
    try:
        with open(path, "rb") as file:
            return file.read(len(CACHE_MAGIC)) in (CACHE_MAGIC, b"")
    except OSError:
        return True
