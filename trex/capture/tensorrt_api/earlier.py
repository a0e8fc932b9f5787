"""Files of a run in the output folder: apart from the earlier ones until it has an engine, then in their place."""

from __future__ import annotations

import contextlib
import os
from typing import Iterable

from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.files import write_file

_TIMES = (".profile.json", ".timing.json")
_RESULTS = (".graph.json", *_TIMES)
_OF_RUN = (*_RESULTS, ".profile.log", ".profile.metadata.json")
_OF_BUILD = (".build.log", ".build.metadata.json")
_ALL = ("", *_OF_RUN, *_OF_BUILD)


class EarlierFiles:
    """Keeps results of two engines apart, however the process ends.

    ``STEM.failed`` has what a run writes until its files take their places, and what one wrote that left the engine as
    it was. ``STEM.earlier`` has times whose engine a run replaced that did not measure. ``STEM.replaced`` and
    ``STEM.new`` are there while files are moved: a kill before the second is undone, one after it is finished.
    """

    def __init__(self, stem: str) -> None:
        self._stem, self._name = stem, os.path.basename(stem)
        self._written, self._kept, self._replaced, self._new = (
            stem + ending for ending in (".failed", ".earlier", ".replaced", ".new")
        )
        self._has_begun = False

    def path(self, ending: str) -> str:
        """Where this run writes it."""
        return os.path.join(self._written, self._name + ending)

    def begin(self) -> None:
        """Raises CollectorError, with all files where they were."""
        try:
            if os.path.isdir(self._new) and self._is_taken(self._new):
                _drop(self._files(self._new))
            if os.path.isdir(self._new):
                self._finish(is_measured=False)
            elif os.path.isdir(self._replaced):
                self._keep() if self._is_taken(self._replaced) else self._restore()
            _drop(self._files(self._written))
            os.makedirs(self._written, exist_ok=True)
            self._has_begun = True
        except OSError as error:
            message = f"the files of an earlier run cannot be moved or removed: {error.strerror}: {error.filename}"
            raise CollectorError(message, "check the folder and its permissions", FAILED) from None

    def settle(self, is_measured: bool) -> str:
        """What became of the earlier files, for people; "" if nothing has to be said. Raises OSError."""
        if not self._has_begun:
            return ""
        is_built = os.path.isfile(self.path(""))
        has_results = any(os.path.isfile(self._stem + ending) for ending in _RESULTS)
        if has_results and not is_measured and not is_built:
            return f"the files of the earlier run are as they were; those of this one are in {self._written}"
        try:
            _move(self._in_place((*_OF_RUN, *_OF_BUILD) if is_built else _OF_RUN), self._replaced)
        except BaseException:
            self._restore()
            raise
        os.replace(self._written, self._new)
        return self._finish(is_measured)

    def _finish(self, is_measured: bool) -> str:
        """Links stay, devices and pipes are written through. What people put into the folder goes back, last of all."""
        for path in self._files(self._new):
            target = os.path.join(os.path.dirname(self._stem), os.path.basename(path))
            if os.path.islink(target) or (os.path.exists(target) and not os.path.isfile(target)):
                with open(path, "rb") as file:
                    write_file(target, file.read())
                os.unlink(path)
            else:
                os.replace(path, target)
        message = ""
        if is_measured:
            for folder in (self._replaced, self._kept):
                self._drop(folder)
        else:
            message = self._keep()
        with contextlib.suppress(OSError):
            os.rmdir(self._new)
        if os.path.isdir(self._new):
            os.replace(self._new, self._written)
        return message

    def _is_taken(self, folder: str) -> bool:
        """Whether another program has written a run since the kill."""
        names = (os.path.basename(path) for path in self._files(folder) if os.path.basename(path) != self._name)
        return any(os.path.exists(os.path.join(os.path.dirname(self._stem), name)) for name in names)

    def _keep(self) -> str:
        """Of what was replaced, times stay, with what belongs to them."""
        if not any(path.endswith(_TIMES) for path in self._files(self._replaced)):
            self._drop(self._replaced)
            return ""
        self._drop(self._kept)
        try:
            os.replace(self._replaced, self._kept)  # all at once
        except OSError:  # people put files into one of them
            _move(self._files(self._replaced), self._kept)
            self._drop(self._replaced)
        return f"what was measured of the earlier engine is in {self._kept}"

    def _restore(self) -> None:
        _move(self._files(self._replaced), os.path.dirname(self._stem))
        self._drop(self._replaced)

    def _in_place(self, endings: Iterable[str]) -> list[str]:
        return [path for path in (self._stem + ending for ending in endings) if os.path.isfile(path)]

    def _files(self, folder: str) -> list[str]:
        paths = (os.path.join(folder, self._name + ending) for ending in _ALL)
        return [path for path in paths if os.path.isfile(path)]

    def _drop(self, folder: str) -> None:
        """Only files of ours: what people put there stays, with the folder."""
        _drop(self._files(folder))
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def _drop(paths: Iterable[str]) -> None:
    for path in paths:
        os.unlink(path)


def _move(paths: Iterable[str], folder: str) -> None:
    os.makedirs(folder or ".", exist_ok=True)
    for path in paths:
        os.replace(path, os.path.join(folder, os.path.basename(path)))
