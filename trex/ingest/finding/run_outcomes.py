"""``manifest.json`` of ``trex process`` → Notes on engines whose run failed or was stopped: a log may not say so."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from trex.core.note import Note
from trex.core.printable import printable
from trex.core.regular_file import parse_record, read_regular
from trex.ingest.confinement import may_read
from trex.ingest.logs.run_metadata import RUN_FAILED

MANIFEST, MANIFEST_SCHEMA = "manifest.json", "trex.manifest/1"
MANIFEST_BYTES = 64 << 20
"""About 14,000 models: a record takes 4.6 KB."""
UNREAD_MANIFEST = "unread-manifest"
_LONGEST_NAME = 255
"""As file systems have; in an archive a name can be longer, and each of its dots would be tried."""
_Outcome = TypeVar("_Outcome")


def outcomes_of(folder: str) -> dict[str, Note | None]:
    """{beginning of an engine's file names: Note on a build or profile that did not succeed, None for success} of the
    engines in a folder; one for all of them, with the beginning "", on a manifest that can't be read.
    """
    path = os.path.join(folder, MANIFEST)  # noqa: PTH118
    try:
        return outcomes_in(read_regular(path, MANIFEST_BYTES), path) if may_read(path) else {}
    except FileNotFoundError:
        return {}
    except OSError as error:
        return _unread(error.strerror or str(error), path)


def outcomes_in(manifest: bytes, where: str) -> dict[str, Note | None]:
    """As ``outcomes_of``; {} for what is no manifest. More than ``MANIFEST_BYTES`` are too many."""
    if len(manifest) > MANIFEST_BYTES:
        return _unread(f"more than {MANIFEST_BYTES:,} bytes", where)
    hint = "run it again: trex process MODEL --force"
    return {
        name: Note(RUN_FAILED, f"by its manifest, {' and '.join(map(_words, stages))}", hint, where, "problem")
        if stages
        else None
        for name, stages in failed_stages(manifest).items()
    }


def _unread(reason: str, where: str) -> dict[str, Note | None]:
    message = f"whether the run succeeded is unknown: the manifest can't be read: {reason}"
    return {"": Note(UNREAD_MANIFEST, message, "check the file; give each model a folder of its own", where)}


def failed_stages(manifest: bytes) -> dict[str, list[dict[str, str]]]:
    """{beginning of an engine's file names: its stages that did not succeed, in the manifest's keys}."""
    try:
        document = parse_record(manifest)
        if document["schema"] != MANIFEST_SCHEMA:
            return {}
        return {str(engine["name"]): [*_failures(engine["stages"])] for engine in document["engines"]}
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
