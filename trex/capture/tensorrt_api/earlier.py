"""Files of an earlier run in the folder: out of the way while this one works, gone when it has measured."""

from __future__ import annotations

import contextlib
import os
from typing import Iterable

from trex.capture.tensorrt_api.errors import FAILED, CollectorError

_TIMES = (".profile.json", ".timing.json")
_RESULTS = (".graph.json", *_TIMES)
_WRITTEN = (*_RESULTS, ".build.log", ".profile.log")


class EarlierFiles:
    """Keeps results of two engines apart: ``STEM.earlier`` has times whose engine this run replaced before it failed
    or could not measure, ``STEM.failed`` what a run wrote that left the engine as it was.
    """

    def __init__(self, engine: str, stem: str) -> None:
        self._engine, self._stem = engine, stem
        self._replaced, self._kept, self._failed = (stem + ending for ending in (".replaced", ".earlier", ".failed"))
        self._before = _identity(engine)
        self._has_moved = False

    def set_aside(self) -> None:
        """Raises CollectorError, with all files where they were."""
        try:
            self._keep()  # of a run that was killed
            if any(os.path.isfile(self._stem + ending) for ending in _RESULTS):
                try:
                    _move(self._present(), self._replaced)
                    self._has_moved = True
                finally:
                    if not self._has_moved:
                        self._restore()
        except OSError as error:
            message = f"the earlier run's files cannot be moved: {error.strerror}"
            raise CollectorError(message, "check the folder and its permissions", FAILED) from None

    def settle(self, is_measured: bool) -> str:
        """What became of them, for people; "" if nothing has to be said. Raises OSError."""
        if is_measured:
            for folder in (self._replaced, self._kept, self._failed):
                self._drop(folder)
        elif self._has_moved:
            if _identity(self._engine) != self._before:
                return self._keep()
            self._drop(self._failed)
            _move(self._present(), self._failed)
            self._restore()
            return f"the files of the earlier run are as they were; those of this one are in {self._failed}"
        return ""

    def _keep(self) -> str:
        """Of what was set aside, times stay, with what belongs to them."""
        if not any(path.endswith(_TIMES) for path in self._in(self._replaced)):
            self._drop(self._replaced)
            return ""
        self._drop(self._kept)
        _move(self._in(self._replaced), self._kept)
        self._drop(self._replaced)
        return f"what was measured of the earlier engine is in {self._kept}"

    def _restore(self) -> None:
        _move(self._in(self._replaced), os.path.dirname(self._stem))
        self._drop(self._replaced)

    def _present(self) -> list[str]:
        return [path for path in (self._stem + ending for ending in _WRITTEN) if os.path.isfile(path)]

    def _in(self, folder: str) -> list[str]:
        base = os.path.basename(self._stem)
        paths = (os.path.join(folder, base + ending) for ending in _WRITTEN)
        return [path for path in paths if os.path.isfile(path)]

    def _drop(self, folder: str) -> None:
        """Only files of ours: what people put there stays, with the folder."""
        for path in self._in(folder):
            os.unlink(path)
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def _move(paths: Iterable[str], folder: str) -> None:
    os.makedirs(folder or ".", exist_ok=True)
    for path in paths:
        os.replace(path, os.path.join(folder, os.path.basename(path)))


def _identity(path: str) -> tuple[int, int] | None:
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns
