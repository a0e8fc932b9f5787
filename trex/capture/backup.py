"""Files of an earlier run, moved away while a stage writes new ones, and restored where it does not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from trex.core.errors import TrexError


@dataclass
class Backup:
    """restores: set to False when files that were not written again are outdated."""

    restores: bool = True


@contextmanager
def backup(paths: Iterable[Path]) -> Iterator[Backup]:
    """Inside ``with`` the files are moved away; at its end those that were not written again are restored.

    Raises TrexError for a file that cannot be moved.
    """
    state = Backup()
    moved: list[tuple[Path, Path]] = []
    try:
        for path in paths:
            previous = path.with_name(f".{path.name[:200]}.previous")
            try:
                os.replace(path, previous)  # noqa: PTH105 (a folder in its place raises)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise TrexError(
                    f"the file of an earlier run cannot be replaced: {error.strerror}", "check the folder", str(path)
                ) from None
            moved.append((path, previous))
        yield state
    finally:
        for path, previous in moved:
            with suppress(OSError):
                if path.exists() or not state.restores:
                    previous.unlink()
                else:
                    previous.replace(path)
