"""Staging: where a run writes its files until the whole set is moved into the output folder, or set aside."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from trex.capture.outputs import Outputs
from trex.core.errors import TrexError
from trex.core.held_signals import signals_held
from trex.core.whole_file import remove_unfinished
from trex.core.whole_set import FAILED_ENDING, RUN_FOLDER, finish_swap, ours_in, remove_replaced, run_folder, swap_in


def set_aside_of(outputs: Outputs) -> Outputs:
    """The files of the last run that did not succeed: in the output folder, in a folder of their own."""
    return outputs.moved(outputs.folder / f"{outputs.name}{FAILED_ENDING}")


class Staging:
    """outputs: the files to write, on the file system of the output folder. set_aside: where they go after a failure.

    The output folder is locked.
    """

    def __init__(self, final: Outputs) -> None:
        """Cleans up after runs that were killed. Raises TrexError if the swap of one cannot be finished, and for links
        in the place of what is written or removed here.
        """
        self._final = final
        self.outputs = final.moved(run_folder(final.folder, final.name))
        self.set_aside = set_aside_of(final)
        self._refuse_links()
        finish_swap(final.folder)
        self._clean()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written since the last swap."""
        with suppress(OSError):
            return not any(self.outputs.folder.iterdir())
        return True

    def create(self) -> None:
        """Raises OSError."""
        self.outputs.folder.mkdir(parents=True, exist_ok=True)

    def swap_in(self, outdated: Iterable[Path]) -> None:
        """What was written since the last swap becomes the output folder's. outdated: removed unless written.

        Raises TrexError, with all files of the output folder as they were.
        """
        swap_in(self._final.folder, self._final.name, [path.name for path in outdated])

    def take(self, left: Outputs) -> None:
        """The build that an earlier run left. Raises TrexError."""
        try:
            self.create()
            with signals_held():
                self._take(left)
        except OSError as error:
            raise TrexError(f"the build cannot be moved: {error.strerror}", "check it", str(left.folder)) from None

    def _take(self, left: Outputs) -> None:
        for path in (left.engine, left.graph, left.build_log, left.build_metadata, left.timing_cache):
            if path.is_file():
                path.replace(self.outputs.folder / path.name)

    def fail(self) -> None:
        """What was written is set aside, in the place of what an earlier failure left."""
        _move(self.outputs, self.set_aside)

    def close(self, *, succeeded: bool) -> None:
        """Sets aside what is left; after a success nothing of an earlier failure stays."""
        if succeeded:
            _drop(self.set_aside)
        if not self.is_empty:
            self.fail()
        self._remove_folders()

    def _clean(self) -> None:
        folder = self._final.folder
        remove_replaced(folder)
        with suppress(OSError):
            for left in (folder / RUN_FOLDER).iterdir():
                name = left.name.removesuffix(".new")
                if left.is_dir() and not left.is_symlink() and left.name != name:
                    _set_aside_left(Outputs(folder, name, folder / name, folder / name), left)
                elif left.is_file():
                    left.unlink()
        self._remove_folders()
        remove_unfinished(folder, [path.name for path in self._views])
        self._restore_previous()

    @property
    def _views(self) -> tuple[Path, ...]:
        return (self._final.picture, self._final.report, self._final.archive, self._final.manifest)

    def _refuse_links(self) -> None:
        folders = (*ours_in(self._final.folder), self.outputs.folder, self.set_aside.folder)
        for path in (*folders, *self._views):
            if path.is_symlink():
                raise TrexError("a link is in the place of what trex writes here", "remove the link", str(path))

    def _remove_folders(self) -> None:
        with suppress(OSError):
            self.outputs.folder.rmdir()
        with suppress(OSError):
            (self._final.folder / RUN_FOLDER).rmdir()

    def _restore_previous(self) -> None:
        """Files that a killed run of an older trex had moved away."""
        for path in self._final.files:
            previous = path.with_name(f".{path.name[:200]}.previous")
            with suppress(OSError):
                if previous.is_file() and not os.path.lexists(path):
                    previous.replace(path)
                previous.unlink(missing_ok=True)


def _set_aside_left(final: Outputs, left: Path) -> None:
    """Of a run that was killed."""
    _move(final.moved(left), set_aside_of(final))
    with suppress(OSError):
        left.rmdir()


def _move(written: Outputs, target: Outputs) -> None:
    """What a run wrote; parts of files are removed."""
    with suppress(OSError):
        known = {path.name for path in _all(written)}
        paths = list(written.folder.iterdir())
        if any(path.name in known for path in paths):
            _drop(target)
            target.folder.mkdir(exist_ok=True)
        for path in paths:
            if path.name in known:
                path.replace(target.folder / path.name)
            else:
                path.unlink()


def _drop(failed: Outputs) -> None:
    """Only files of ours: what the user put there stays, with the folder."""
    with suppress(OSError):
        if failed.folder.is_dir() and not failed.folder.is_symlink():
            for path in _all(failed):
                path.unlink(missing_ok=True)
            failed.folder.rmdir()


def _all(outputs: Outputs) -> tuple[Path, ...]:
    return (*outputs.files, outputs.manifest, outputs.timing_cache)
