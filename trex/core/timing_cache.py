"""TimingCache: the tactic that TensorRT's builder recorded for each operation it timed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from trex.core.frozen import frozen
from trex.core.note import Note

NATIVE, MYELIN = "native", "Myelin"
EDITED = "tactics-edited"
"""Code of the Note on a record of tactics that was changed after it was written."""


@frozen
class TimingCacheEntry:
    """One operation. key: ``0x`` and 32 hexadecimal digits, as TensorRT prints it. tactic: its id, 64 bits.

    time_ms: of the tactic when it was timed, None if that is no time. kind: ``native``, ``Myelin`` or "" where the file
    does not say. runner: id of what runs a native tactic, as ``0x80000009`` in logs; None for others.
    """

    key: str
    tactic: int
    time_ms: float | None = None
    kind: str = ""
    runner: int | None = None


LAYOUT_10 = "TensorRT 10"
"""The layout that no release before 10 writes."""


@dataclass(frozen=True, slots=True)
class TimingCacheHeader:
    """What a cache belongs to. layout: of the file, in words. stream_version: of TensorRT's serialization.

    device_hash: 16 bytes in hexadecimal, of the device (or of what TensorRT verifies of it). build_hash: 16 digits, of
    the build of TensorRT. device, release: names, which only records made through TensorRT's API have.
    """

    layout: str = ""
    stream_version: int | None = None
    device_hash: str = ""
    build_hash: str = ""
    device: str = ""
    release: str = ""


@dataclass(frozen=True)
class TimingCache:
    """entries: the native ones first, in the file's order. myelin_version: as the file has it.

    compilation_bytes: size of the compilation cache in the file, 0 if it is empty, None if unknown. source: its path.
    stated: the fingerprint that an edited record states, which its copies state as well; "" if it has none.
    """

    header: TimingCacheHeader
    entries: tuple[TimingCacheEntry, ...]
    myelin_version: str = ""
    compilation_bytes: int | None = None
    source: str = ""
    notes: tuple[Note, ...] = field(default=())
    stated: str = ""

    @property
    def is_edited(self) -> bool:
        """Whether it is a record that was changed after it was written, or a copy of one."""
        return any(note.code == EDITED for note in self.notes)

    @cached_property
    def by_key(self) -> Mapping[str, TimingCacheEntry]:
        return {entry.key: entry for entry in self.entries}

    @property
    def tactics(self) -> Mapping[str, int]:
        """{key: tactic}: what must be equal for two builds to use the same tactics."""
        return {key: entry.tactic for key, entry in self.by_key.items()}

    @property
    def written_fingerprint(self) -> str:
        """What a copy states."""
        return self.stated if self.is_edited else self.fingerprint()

    def fingerprint(self) -> str:
        """SHA-256 of ``{key: tactic}`` as compact sorted JSON, the form that NVIDIA publishes for its own caches."""
        text = json.dumps(self.tactics, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def hex_of(number: int) -> str:
    """A tactic's id as engines and logs have it: ``0x00000000000003ea``."""
    return f"0x{number:016x}"
