"""``manifest.json`` of ``trex process`` → Notes on engines whose run failed or was stopped: a log may not say so."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from trex.core.note import Note
from trex.core.printable import printable
from trex.core.regular_file import parse_record, read_regular
from trex.ingest.confinement import may_read
from trex.ingest.logs.run_metadata import RUN_FAILED

MANIFEST, MANIFEST_SCHEMA = "manifest.json", "trex.manifest/1"
MANIFEST_BYTES = 8 << 20


def failed_runs(folder: str) -> dict[str, Note]:
    """{beginning of an engine's file names: Note} of the engines in a folder whose build or profile did not succeed."""
    path = os.path.join(folder, MANIFEST)  # noqa: PTH118
    try:
        return failed_in(read_regular(path, MANIFEST_BYTES), path) if may_read(path) else {}
    except OSError:
        return {}


def failed_in(manifest: bytes, where: str) -> dict[str, Note]:
    """As ``failed_runs``; {} for what is no manifest."""
    try:
        document = parse_record(manifest)
        if document["schema"] != MANIFEST_SCHEMA:
            return {}
        engines = [(str(engine["name"]), [*_failures(engine["stages"])]) for engine in document["engines"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    hint = "run it again: trex process MODEL --force"
    return {
        name: Note(RUN_FAILED, f"by its manifest, {' and '.join(words)}", hint, where, "problem")
        for name, words in engines
        if words
    }


def _failures(stages: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for stage in stages:
        stopped_by, code = stage.get("stopped_by"), stage.get("exit_code")
        if stopped_by:
            yield f"the {_word(stage['name'])} was stopped by {_word(stopped_by)}"
        elif code:
            yield f"the {_word(stage['name'])} ended with exit code {_word(code)}"


def _word(value: object) -> str:
    return printable(str(value))[:40]


def note_of(paths: Iterable[str], failed: Mapping[str, Note]) -> Note | None:
    """Of the engine with these files."""
    for path in paths if failed else ():
        name = os.path.basename(path)  # noqa: PTH119
        while name:
            if note := failed.get(name):
                return note
            name = name.rpartition(".")[0]
    return None
