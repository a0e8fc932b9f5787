"""Files → one archive (``.tea``, a zip), whole or not at all."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

from trex.core.whole_file import whole_file

# Engines and caches are numbers that hardly shrink.
_STORED = (".engine", ".plan", ".trt", ".cache")


def write_archive(path: Path, files: Iterable[Path]) -> Path:
    """Those of the files that exist, under their own names. Raises TrexError when it cannot be written."""
    with whole_file(path, what="archive") as raw, zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            if file.is_file():
                method = zipfile.ZIP_STORED if file.suffix in _STORED else zipfile.ZIP_DEFLATED
                archive.write(file, file.name, method)
    return path
