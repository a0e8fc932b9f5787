"""Files → one archive (``.tea``, a zip), whole or not at all."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from trex.capture.whole_file import give_usual_mode
from trex.core.errors import TrexError

# Engines and caches are numbers that hardly shrink.
_STORED = (".engine", ".plan", ".trt", ".cache")


def write_archive(path: Path, files: Iterable[Path]) -> Path:
    """Those of the files that exist, under their own names. Raises TrexError when it cannot be written."""
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:60]}.")
        with os.fdopen(handle, "wb") as raw, zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                if file.is_file():
                    method = zipfile.ZIP_STORED if file.suffix in _STORED else zipfile.ZIP_DEFLATED
                    archive.write(file, file.name, method)
        give_usual_mode(temporary)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
        raise TrexError(
            f"the archive cannot be written: {error.strerror}", "check the folder, its space and permissions", str(path)
        ) from error
    return path
