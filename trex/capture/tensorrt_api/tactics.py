"""RecordedTactics: a build's tactics, recorded or replayed through TensorRT's editable timing cache (10.8 and later).

A record is two files: FILE.json, the tactics as text, and FILE.cache, the timing cache. A replay needs both, because
entries of a cache can be changed but not added. A tactic that was changed in the text is the one that is replayed.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, Dict, Tuple

from trex.capture.tensorrt_api.arguments import CollectorOptions
from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.files import CACHE_ENDING, CACHE_MAGIC, json_value, write_file
from trex.capture.tensorrt_api.library import Library

RECORD, REPLAY = "recordTactics", "replayTactics"
RECORD_SCHEMA = "trex.tactics/1"
_NO_TACTIC = 2**64 - 1
_LISTED = 3
_SINCE = "it came with TensorRT 10.8"

Tactics = Dict[str, Tuple[int, float]]


class RecordedTactics:
    """cache: the timing cache of the build, empty to record, that of the record to replay.

    expected: {key: (tactic, ms)} to replay, empty if none.
    """

    def __init__(self, library: Library, config: Any, options: CollectorOptions) -> None:
        self.library = library
        self.config = config
        self.record = options.text(RECORD)
        self.replay = options.text(REPLAY)
        self.expected: Tactics = {}
        check_editable(library, options)
        flags = ["EDITABLE_TIMING_CACHE", "DISABLE_COMPILATION_CACHE"]
        for name in [*flags, "ERROR_ON_TIMING_CACHE_MISS"] if self.replay else flags:
            config.set_flag(getattr(library.trt.BuilderFlag, name))
        data = read_bytes(cache_path(self.replay)) if self.replay else b""
        cache = config.create_timing_cache(data)
        if cache is None:
            raise CollectorError(f"{library.name} created no timing cache: {library.reason}", "", FAILED)
        if self.replay:
            self._replay_into(cache)
        if not config.set_timing_cache(cache, bool(self.replay)):
            raise CollectorError(f"{library.name} rejects the timing cache: {library.reason}", "", FAILED)

    def _replay_into(self, cache: Any) -> None:
        """Every tactic, also one that the cache has: only what was updated is used without question."""
        path = cache_path(self.replay)
        known = {str(key): key for key in cache.queryKeys()}
        if not known:
            raise CollectorError(
                f"{self.library.name} {self.library.version} reads no tactics from {path}",
                "it is of another GPU or release, or not of a build with --recordTactics; the log has the reason",
            )
        self.expected = tactics_in(cache)
        if self.replay != path:
            self.expected.update(read_tactics(self.replay))
        missing = sorted(key for key in self.expected if key not in known)
        if missing:
            raise CollectorError(
                f"{len(missing)} of {len(self.expected)} tactics are of operations that {path} does not have: "
                + ", ".join(missing[:_LISTED]),
                "entries can be changed, not added: record the build again",
            )
        for key, (tactic, time_ms) in self.expected.items():
            # a time that is not a number would delete the entry
            value = self.library.trt.TimingCacheValue(tactic, json_value(time_ms) or 0.0)
            if not cache.update(known[key], value):
                raise CollectorError(
                    f"{self.library.name} rejects the tactic 0x{tactic:016x} for {key}: {self.library.reason}",
                    "take a tactic that the log of a build lists for this operation",
                    FAILED,
                )

    def check(self) -> None:
        """After the build: TensorRT also times an operation again without a word, which only the cache shows."""
        if not self.replay:
            return
        used = self._used()
        changed = [
            f"{key}: 0x{tactic:016x}, not 0x{self.expected[key][0]:016x}"
            for key, (tactic, _) in sorted(used.items())
            if key in self.expected and tactic != self.expected[key][0]
        ]
        added = [f"{key}: not recorded" for key in sorted(used) if key not in self.expected]
        gone = [f"{key}: gone" for key in sorted(self.expected) if key not in used]
        different = [*changed, *added, *gone]
        if different:
            more = f" and {len(different) - _LISTED} more" if len(different) > _LISTED else ""
            raise CollectorError(
                f"the build did not replay the recorded tactics: {len(changed)} changed, {len(added)} timed again, "
                f"{len(gone)} gone: {'; '.join(different[:_LISTED])}{more}",
                "if the model, its shapes or the options changed, record again: --recordTactics",
                FAILED,
            )
        self.library.log.info(f"Replayed {len(self.expected)} tactics of {self.replay}")

    def write(self, device: str) -> None:
        """The record and its cache. device: the GPU's name, "" if unknown."""
        if not self.record:
            return
        tactics = self._used()
        if not tactics:
            self.library.log.warning("the builder timed no operation: the record is empty")
        write_file(cache_path(self.record), memoryview(self.config.get_timing_cache().serialize()))
        write_file(self.record, record_bytes(tactics, device, self.library.version))
        self.library.log.info(f"Recorded {len(tactics)} tactics in {self.record}")

    def _used(self) -> Tactics:
        cache = self.config.get_timing_cache()
        return {} if cache is None else tactics_in(cache)


def wants_tactics(options: CollectorOptions) -> bool:
    return options.has(RECORD) or options.has(REPLAY)


def check_editable(library: Library, options: CollectorOptions) -> None:
    """Raises CollectorError where there is no editable timing cache, or the options contradict it."""
    if library.is_rtx:
        raise CollectorError(
            f"{library.name} records no tactics: its timing cache does nothing since 1.2",
            "its kernels are chosen on the GPU that runs the engine",
        )
    trt = library.trt
    if not hasattr(trt.BuilderFlag, "EDITABLE_TIMING_CACHE") or not hasattr(trt, "TimingCacheValue"):
        raise CollectorError(f"{library.name} {library.version} has no editable timing cache", _SINCE)
    if options.has("noBuilderCache"):
        raise CollectorError("tactics are recorded and replayed through the timing cache", "leave out --noBuilderCache")
    record = options.text(RECORD)
    if record and cache_path(record) == record:
        raise CollectorError(f"--{RECORD} names the record, not the cache: {record}", "name a .json file")


def cache_path(path: str) -> str:
    """``x.json`` → ``x.cache``; the file itself if it is a timing cache."""
    root, ending = os.path.splitext(path)
    if ending == CACHE_ENDING:
        return path
    if not os.path.isfile(path):  # a pipe is not waited for
        return root + CACHE_ENDING
    try:
        with open(path, "rb") as file:
            is_cache = file.read(len(CACHE_MAGIC)) == CACHE_MAGIC
    except OSError:
        is_cache = False
    return path if is_cache else root + CACHE_ENDING


def read_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise CollectorError(
            f"{path} cannot be read: {error.strerror}", "a record is two files, FILE.json and FILE.cache: keep both"
        ) from None


def tactics_in(cache: Any) -> Tactics:
    """What TensorRT's own interface says; entries without a tactic are left out."""
    tactics: Tactics = {}
    for key in cache.queryKeys():
        value = cache.query(key)
        if int(value.tacticHash) != _NO_TACTIC:
            tactics[str(key)] = (int(value.tacticHash), float(value.timingMSec))
    return tactics


def read_tactics(path: str) -> Tactics:
    """A record, or the JSON of ``trex cache show``."""
    try:
        document = json.loads(read_bytes(path).decode("utf-8"))
        rows = document.get("tactics")
        if rows is None:
            listed = document["sections"]["entries"]["tables"]["entries"]["rows"]
            rows = {row["key"]: row for row in listed}
        return {key: (int(row["tactic"], 16), float(row.get("time_ms") or 0.0)) for key, row in rows.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = type(error).__name__
        raise CollectorError(
            f"{path} is no record of tactics ({reason}: {error})", "--recordTactics writes one"
        ) from None


def record_bytes(tactics: Tactics, device: str, release: str) -> bytes:
    """One operation per line, sorted, so that a version control shows what changed."""
    plain = json.dumps({key: tactic for key, (tactic, _) in tactics.items()}, sort_keys=True, separators=(",", ":"))
    facts = {
        "schema": RECORD_SCHEMA,
        "device": device,
        "release": release,
        "fingerprint": hashlib.sha256(plain.encode("ascii")).hexdigest(),
    }
    lines: list[str] = []
    for key, (tactic, time_ms) in sorted(tactics.items()):
        row = {"tactic": f"0x{tactic:016x}", "time_ms": json_value(float(f"{time_ms:.7g}"))}
        lines.append(f"  {json.dumps(key)}: {json.dumps(row)}")
    head = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in facts.items() if value]
    body = ",\n".join(lines)
    return "\n".join(["{", *head, ' "tactics": {', *([body] if body else []), " }", "}", ""]).encode("ascii")
