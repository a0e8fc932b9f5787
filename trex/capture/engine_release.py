"""Engine file → the TensorRT release that built it, and whether another release can run it.

The plan header is that of engines since 8.6: ``ftrt``, a serialization version, and at bytes 24 to 27 major, minor,
patch and build. Source: trtexec's getPlanVersion.
"""

from __future__ import annotations

from pathlib import Path

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.release import Release

PLAN_MAGIC = b"ftrt"
HEADER_BYTES = 28


def engine_release(path: str | Path) -> Release | None:
    """The release that built an engine, read off its first bytes; None for older than 8.6 and for other files.

    Raises TrexError for a file that cannot be read or is empty.
    """
    try:
        with Path(path).open("rb") as file:
            header = file.read(HEADER_BYTES)
    except OSError as error:
        raise TrexError(
            f"the engine cannot be read: {error.strerror}", "check the path and its permissions", str(path)
        ) from None
    if not header:
        raise TrexError("the engine file is empty", "the build that wrote it did not finish: build it again", str(path))
    if len(header) < HEADER_BYTES or not header.startswith(PLAN_MAGIC):
        return None
    return Release(*header[24:27])


def check_engine_release(path: str | Path, ours: Release) -> tuple[Note, ...]:
    """What an engine's header says about running it with ``ours``.

    Raises TrexError when it cannot run: built by a newer TensorRT or by another major release. An older one of the same
    major release runs only if it was built with --versionCompatible, which the header does not tell: a Note.
    """
    built = engine_release(path)
    if built is None or built == ours:
        return ()
    if built.major != ours.major or built.pair > ours.pair:
        raise TrexError(
            f"the engine was built by TensorRT {built}, and this is TensorRT {ours}",
            f"run it with TensorRT {built.major}.{built.minor}, or build it again from the ONNX model",
            str(path),
        )
    note = Note(
        "engine-of-another-release",
        f"the engine was built by TensorRT {built}, and this is TensorRT {ours}",
        f"unless it was built with --versionCompatible it needs TensorRT {built}",
        str(path),
    )
    return (note,)
