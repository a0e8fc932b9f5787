"""Engine file → the TensorRT release that built it, and whether another release can run it.

Engines since 8.6 begin with ``ftrt`` and a serialization version; bytes 24 to 27 are major, minor, patch and build.
Source: trtexec's getPlanVersion.
"""

from __future__ import annotations

from pathlib import Path

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.release import Release

PLAN_MAGIC = b"ftrt"
HEADER_BYTES = 28


def engine_release(path: str | Path) -> Release | None:
    """The release that built an engine, from its header; None for engines before 8.6 and for other files.

    Raises TrexError for a file that is empty or cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            header = file.read(HEADER_BYTES)
    except OSError as error:
        raise TrexError(
            f"the engine cannot be read: {error.strerror}", "check the path and its permissions", str(path)
        ) from None
    if not header:
        raise TrexError("the engine file is empty", "its build did not finish: build it again", str(path))
    if len(header) < HEADER_BYTES or not header.startswith(PLAN_MAGIC):
        return None
    return Release(*header[24:27])


def check_engine_release(path: str | Path, ours: Release) -> tuple[Note, ...]:
    """Whether TensorRT ``ours`` can run an engine, by its header.

    Raises TrexError if it cannot: built by a newer TensorRT or by another major release. An older one of the same major
    release runs only if it was built with --versionCompatible, which the header does not say: a Note.
    """
    built = engine_release(path)
    if built is None or built == ours:
        return ()
    message = f"the engine was built by TensorRT {built}, and this is TensorRT {ours}"
    if built.major != ours.major or built.pair > ours.pair:
        hint = f"run it with TensorRT {built.major}.{built.minor}, or build it again from the ONNX model"
        raise TrexError(message, hint, str(path))
    hint = f"unless it was built with --versionCompatible it needs TensorRT {built}"
    return (Note("engine-of-another-release", message, hint, str(path)),)
