"""Files of an earlier run, out of the way while they are made again, and back where they were not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from trex.core.errors import TrexError


@dataclass
class Aside:
    """restores: whether what was not written again comes back; set to False where what it describes is gone."""

    restores: bool = True


@contextmanager
def set_aside(paths: Iterable[Path]) -> Iterator[Aside]:
    """Inside ``with`` none of the files is there; at its end those that were not written again come back, or not.

    Raises TrexError for a file that cannot be moved.
    """
    aside = Aside()
    moved: list[tuple[Path, Path]] = []
    try:
        for path in paths:
            kept = path.with_name(f".{path.name[:200]}.previous")
            try:
                os.replace(path, kept)  # noqa: PTH105 (a folder in its place is told, not moved)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise TrexError(
                    f"the file of an earlier run cannot be replaced: {error.strerror}", "check the folder", str(path)
                ) from None
            moved.append((path, kept))
        yield aside
    finally:
        for path, kept in moved:
            with suppress(OSError):
                if path.exists() or not aside.restores:
                    kept.unlink()
                else:
                    kept.replace(path)
