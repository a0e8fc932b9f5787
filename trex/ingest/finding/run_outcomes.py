"""``manifest.json`` of ``trex process`` → RunRecords: runs that failed or were stopped, and the files as written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from trex.core.note import Note
from trex.core.printable import printable
from trex.core.regular_file import parse_record, read_regular
from trex.ingest.confinement import may_read
from trex.ingest.finding.recorded_files import Recorded, recorded_files
from trex.ingest.logs.run_metadata import RUN_FAILED

MANIFEST, MANIFEST_SCHEMA = "manifest.json", "trex.manifest/1"
MANIFEST_BYTES = 64 << 20
"""About 14,000 models: a record takes 4.6 KB."""
UNREAD_MANIFEST = "unread-manifest"
_LONGEST_NAME = 255
"""As file systems have; in an archive a name can be longer, and each of its dots would be tried."""
_Outcome = TypeVar("_Outcome")


@dataclass(frozen=True, slots=True)
class RunRecords:
    """outcomes: {beginning of an engine's file names: Note on a build or profile that did not succeed, None for
    success}; one for all engines, with the beginning "", on a manifest that can't be read. files: what was written.
    where: the manifest.
    """

    outcomes: Mapping[str, Note | None] = field(default_factory=dict)
    files: Recorded = field(default_factory=dict)
    where: str = ""

    def merged(self, other: RunRecords) -> RunRecords:
        return RunRecords({**self.outcomes, **other.outcomes}, {**self.files, **other.files}, self.where or other.where)


def records_of(folder: str) -> RunRecords:
    """Of the manifest in a folder, if there is one."""
    path = os.path.join(folder, MANIFEST)  # noqa: PTH118
    try:
        return records_in(read_regular(path, MANIFEST_BYTES), path) if may_read(path) else RunRecords()
    except FileNotFoundError:
        return RunRecords()
    except OSError as error:
        return _unread(error.strerror or str(error), path)


def records_in(manifest: bytes, where: str) -> RunRecords:
    """Empty for what is no manifest. More than ``MANIFEST_BYTES`` are too many."""
    if len(manifest) > MANIFEST_BYTES:
        return _unread(f"more than {MANIFEST_BYTES:,} bytes", where)
    engines = _engines(manifest)
    hint = "run it again: trex process MODEL --force"
    outcomes = {
        name: Note(RUN_FAILED, f"by its manifest, {' and '.join(map(_words, stages))}", hint, where, "problem")
        if stages
        else None
        for name, stages in _failed_stages(engines).items()
    }
    try:
        return RunRecords(outcomes, recorded_files(engines), where)
    except (ValueError, KeyError, TypeError, AttributeError):
        return RunRecords(outcomes)


def _unread(reason: str, where: str) -> RunRecords:
    message = f"whether the run succeeded is unknown: the manifest can't be read: {reason}"
    return RunRecords(
        {"": Note(UNREAD_MANIFEST, message, "check the file; give each model a folder of its own", where)}
    )


def failed_stages(manifest: bytes) -> dict[str, list[dict[str, str]]]:
    """{beginning of an engine's file names: its stages that did not succeed, in the manifest's keys}."""
    return _failed_stages(_engines(manifest))


def _engines(manifest: bytes) -> list[dict[str, Any]]:
    """[] for what is no manifest."""
    try:
        document = parse_record(manifest)
        return [*document["engines"]] if document["schema"] == MANIFEST_SCHEMA else []
    except (ValueError, KeyError, TypeError, AttributeError):
        return []


def _failed_stages(engines: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, str]]]:
    try:
        return {str(engine["name"]): [*_failures(engine["stages"])] for engine in engines}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _failures(stages: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    for stage in stages:
        for key in ("stopped_by", "exit_code"):
            if stage.get(key):
                yield {"name": _word(stage["name"]), key: _word(stage[key])}
                break


def _words(stage: Mapping[str, str]) -> str:
    if by := stage.get("stopped_by"):
        return f"the {stage['name']} was stopped by {by}"
    return f"the {stage['name']} ended with exit code {stage['exit_code']}"


def _word(value: object) -> str:
    return printable(str(value))[:40]


def of_engine(paths: Iterable[str], outcomes: Mapping[str, _Outcome]) -> _Outcome | None:
    """What a mapping by beginnings of file names has for the engine with these files: the longest is its name."""
    for path in paths if outcomes else ():
        name = os.path.basename(path)[:_LONGEST_NAME]  # noqa: PTH119
        while name and name not in outcomes:
            name = name.rpartition(".")[0]
        if outcome := outcomes.get(name):
            return outcome
    return None
