"""Path → Tactics: a verbose log, or the build log among an engine's files; or a TimingCache, or a TuningLog."""

from __future__ import annotations

import os

from trex.builder.tactics import Tactics
from trex.core.errors import TrexError
from trex.core.printable import shell_word
from trex.core.timing_cache import TimingCache
from trex.core.tuning_log import TuningLog
from trex.ingest.artifacts import CONFIRMED, OTHER_ENGINE, read_artifacts
from trex.ingest.build_log.build_log import read_build_log
from trex.ingest.files import EngineFiles, Kind, find_engines, recognize
from trex.ingest.finding.file_kind import HEAD_BYTES
from trex.ingest.source import read_head
from trex.ingest.timing_cache import load_timing_cache
from trex.ingest.tuning_jsonl import is_tuning_log, load_tuning_log

LOG_HINT = "write one while building: trtexec --verbose … 2>&1 | tee FOLDER/build.log"
_LOGS = (Kind.LOG, Kind.UNKNOWN)
_CACHES = (Kind.TIMING_CACHE, Kind.TACTICS)


def load_tactics(path: str | os.PathLike[str]) -> Tactics:
    """What the log at a path contains. path: a log, or what ``find_engines`` takes: a folder, a file of an engine, a
    ``.tea`` archive. Raises TrexError without a log of a build, and for several engines.
    """
    address = os.fspath(path)
    kind = _kind(address)
    if kind in _CACHES:
        raise TrexError(
            "this is a timing cache, not a log", "trex cache show, or trex.read_timing_cache(path)", address
        )
    if kind in _LOGS:  # unknown text too: the error says what is wrong with it
        return Tactics(read_build_log(address))
    engines = find_engines(address)
    if len(engines) > 1:
        logs = [log for engine in engines for log in (engine.build_log or engine.profile_log,) if log]
        names = ", ".join(logs[:5]) or "none has a log"
        raise TrexError(f"there are {len(engines)} engines at this path", f"name one log: {names}", address)
    return tactics_of(engines[0])


def load_build_record(path: str | os.PathLike[str]) -> Tactics | TimingCache | TuningLog:
    """The same, and also a timing cache, a record of tactics, or the JSON lines of trtexec's tuner."""
    address = os.fspath(path)
    if _kind(address) in _CACHES:
        return load_timing_cache(address)
    if os.path.isfile(address) and is_tuning_log(read_head(address, HEAD_BYTES)):  # noqa: PTH113
        return load_tuning_log(address)
    return load_tactics(address)


def tactics_of(files: EngineFiles) -> Tactics:
    """From the log of the engine's build, which may be that of its run, too. Raises TrexError without such a log: one
    that is not used for the engine, as it is of another, is none.
    """
    where = files.paths[0] if files.paths else files.name
    error = TrexError("there is no build log among the engine's files", LOG_HINT, where)
    for log in dict.fromkeys((files.build_log, files.profile_log, *files.more_logs)):
        if log is not None:
            try:
                tactics = Tactics(read_build_log(log))
                _check_engine(files, log)
                return tactics
            except TrexError as reason:
                error = reason
    raise error


def _check_engine(files: EngineFiles, log: str) -> None:
    """Raises TrexError if the log is of another engine than the graph, as far as the engine can be read."""
    if files.graph is None or log == files.graph:
        return
    try:
        notes = [note for note in read_artifacts(files).notes if note.where == log]
    except TrexError:
        return
    refused = next((note.message for note in notes if note.code == OTHER_ENGINE), "")
    if log in files.more_logs and not any(note.code == CONFIRMED for note in notes):
        refused = refused or "its layers are not those of the graph"
    if refused:
        raise TrexError(refused, f"trex tactics {shell_word(log)} shows it anyway", log)


def _kind(address: str) -> Kind | None:
    """Of a file; None for anything else."""
    if not os.path.isfile(address):  # noqa: PTH113 (Path raises for names that cannot be)
        return None
    return recognize(read_head(address, HEAD_BYTES), os.path.basename(address))  # noqa: PTH119
