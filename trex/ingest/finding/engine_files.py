"""EngineFiles: the paths of one engine's files, by what each of them is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path

from trex.core.note import Note


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """Paths of one engine's files, None for what is not there; ``archive.tea!member`` for a member of an archive.

    graph: layer information, as JSON or as the inspector's text. profile: layer times, as trtexec's profile or, without
    one, as samples per iteration (then also in ``samples``). others: files of this engine without a slot. more_logs:
    logs in the folder that may be of it, too: their layers decide (also in ``others`` if their names fit). notes: how
    files were matched if names and content left a choice.
    """

    name: str
    graph: str | None = None
    profile: str | None = None
    timing: str | None = None
    profile_metadata: str | None = None
    build_metadata: str | None = None
    device: str | None = None
    monitor: str | None = None
    build_log: str | None = None
    profile_log: str | None = None
    samples: str | None = None
    engine: str | None = None
    onnx: str | None = None
    archive: str | None = None
    others: tuple[str, ...] = ()
    more_logs: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file of the engine once, the graph first."""
        return tuple(dict.fromkeys(path for slot in SLOTS if (path := getattr(self, slot)))) + self.others

    @property
    def stats(self) -> dict[str, os.stat_result]:
        """Of each file on the disk, an archive in the place of its members; without those that are gone."""
        return _stats(self.paths)

    @property
    def state(self) -> tuple[object, ...]:
        """What changes when anything does that reading these files reads: a log that may be of the engine, or what its
        folder says of the run, too.
        """
        stats = _stats((*self.paths, *self.more_logs))
        return (*((path, stat.st_mtime_ns, stat.st_size) for path, stat in stats.items()), *self.notes)


def _stats(paths: Iterable[str]) -> dict[str, os.stat_result]:
    result = {}
    for path in dict.fromkeys(path if Path(path).exists() else path.partition("!")[0] for path in paths):
        with suppress(OSError):
            result[path] = os.stat(path)  # noqa: PTH116
    return result


SLOTS = tuple(field.name for field in fields(EngineFiles) if field.name not in ("name", "others", "more_logs", "notes"))
