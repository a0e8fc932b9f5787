"""Engines in a folder and the folders inside it; links to folders are not followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from trex.core.printable import encodable
from trex.core.whole_set import FAILED_ENDING
from trex.ingest.artifacts import read_artifacts
from trex.ingest.files import engines_in
from trex.ingest.finding.engine_files import EngineFiles
from trex.plan.engine_plan import EnginePlan
from trex.server.entry import Entry, is_store
from trex.server.listing import MOST_FOLDERS

_PARTS = {
    "graph": "layers",
    "profile": "layer times",
    "timing": "query times",
    "build_log": "build log",
    "monitor": "telemetry",
}


def entries(root: str) -> Iterator[Entry]:
    count = 0
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(one for one in inner if not one.startswith(".") and not one.endswith(FAILED_ENDING))
        if is_store(Path(folder)):
            inner[:] = []
        elif names and (engines := engines_in(folder)):
            yield from (_entry(root, folder, files) for files in engines)
            count += 1
            if count == MOST_FOLDERS:
                return


def _key(path: str) -> str:
    """Unique: a backslash in a name is doubled, so that it is no escape of a byte that is no UTF-8."""
    return encodable(path.replace(os.sep, "/").replace("\\", "\\\\"))


def _entry(root: str, folder: str, files: EngineFiles) -> Entry:
    address = files.graph or files.paths[0]
    stats = files.stats
    relative = os.path.relpath(folder, root)
    return Entry(
        key=_key(os.path.relpath(address, root)),
        name=files.name,
        folder="" if relative == "." else relative.replace(os.sep, "/"),
        parts=tuple(words for slot, words in _PARTS.items() if getattr(files, slot)),
        changed=max((stat.st_mtime for stat in stats.values()), default=0.0),
        size=sum(stat.st_size for stat in stats.values()),
        state=files.state,
        load=partial(_load, files),
    )


def _load(files: EngineFiles) -> EnginePlan:
    """As listed, with everything that the folder has of it, such as a log that has another name: the folder is not
    searched again for each of its engines.
    """
    return EnginePlan.from_artifacts(read_artifacts(files))
