"""A timing cache file → TimingCache: which tactic TensorRT recorded for each operation, and its time.

The format is undocumented. What is read here was decoded from caches of TensorRT 8.6 to 10.15; for two of 10.15 NVIDIA
publishes the SHA-256 of ``{key: tactic}``, and both come out right. All numbers are little endian.

    10.x            magic ``ptrt``, u32 stream version, u64 size of what follows byte 20, u32 0, then tagged values
    8.6, JetPack    magic ``ptrt``, u32 0, u32 stream version, u32 0, u64 size, then tagged values from byte 24

A tagged value is u16 tag, u16 version 1 and a payload; an array is u16 0x8001, a tag and version, u64 count and the
payloads. Values, in order: the device's hash (16 characters), the build's (16 hexadecimal digits), the number of native
entries, the entries, then Myelin's cache (text, one line per operation) and the compilation cache, each a number of
bytes and as many bytes. A native entry is always 104 bytes: the key as four u32, the number of results (1), the time
in ms, a bool, the runner's id, a bool, the tactic's id and two i64 of unknown meaning.

A file that differs from this anywhere, by one byte of length too, is refused: a wrong tactic is worse than none.
"""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Iterator
from typing import NamedTuple

from trex.core.collector import collector_paused
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.timing_cache import LAYOUT_10, MYELIN, NATIVE, TimingCache, TimingCacheEntry, TimingCacheHeader
from trex.ingest.signature import TIMING_CACHE_MAGIC, signature_of
from trex.ingest.source import read_binary
from trex.ingest.timing_cache_record import is_record, read_record

LIMIT_BYTES = 512_000_000
"""Of one cache: those with compiled kernels reach hundreds of megabytes."""

UNKNOWN_LAYOUT = "a timing cache of a layout trex does not know"
_HINT = (
    "let TensorRT read it: trex process MODEL OUTDIR --backend tensorrt --record-tactics FILE lists the tactics of a "
    "build (10.8 or later); report the release that wrote this cache"
)
_CUT_HINT = "the file is cut off or damaged: copy it again, or let the builder write it again"

_SIZE, _ARRAY, _BYTE, _U32, _U64, _I64, _BOOL, _F32, _CHAR = (
    0x8018, 0x8001, 0x8003, 0x8006, 0x8008, 0x8009, 0x800A, 0x800B, 0x800C,
)  # fmt: skip
_V = 1  # of every tagged value
_HASH = struct.Struct("<HHQ HHHQ 16s")
_HASH_TAGS = (_SIZE, _V, 16, _ARRAY, _CHAR, _V, 16)
_COUNT = struct.Struct("<HHQ")
_BYTES = struct.Struct("<HHQ HHHQ")
_ENTRY = struct.Struct("<HHHQ4I HHQ HHf HHB HHI HHB HHQ HHq HHq")
_ENTRY_TAGS = (
    (_ARRAY, _U32, _V, 4),
    (_U64, _V, 1, _F32, _V),
    (_BOOL, _V),
    (_U32, _V),
    (_BOOL, _V),
    (_U64, _V),
    (_I64, _V),
    (_I64, _V),
)
_BUILD = re.compile(rb"[0-9a-f]{16}")
_EMPTY_COMPILATION = b"0\n\n"
_MYELIN_FIRST = b"file_format_version=1"
_MYELIN_LINE = re.compile(
    rb"(\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,20}) "
    rb"(\d{1,12}(?:\.\d{1,12})?(?:e[+-]\d{1,3})?)(?: \d{1,20}){3,9999}"
)
_MYELIN_VERSION = re.compile(rb"[\x21-\x7e][\x20-\x7e]{0,199}")
_U32_END, _U64_END = 1 << 32, 1 << 64
_LONGEST_MS = 1e9


class _Layout(NamedTuple):
    """head: of the file; its zeros, the stream version and the size. versions: those that were seen."""

    words: str
    head: struct.Struct
    versions: frozenset[int]


_LAYOUTS = (
    _Layout(LAYOUT_10, struct.Struct("<4x I Q I"), frozenset((239, 240))),
    _Layout("TensorRT 8.6 or JetPack", struct.Struct("<4x I I I Q"), frozenset((236, 239))),
)


def load_timing_cache(path: str | os.PathLike[str]) -> TimingCache:
    """A cache that TensorRT wrote, or a record of tactics. Raises TrexError for anything else."""
    source = read_binary(path, LIMIT_BYTES, _too_large)
    return read_timing_cache(source.data, source.path)


def read_timing_cache(data: bytes, where: str = "") -> TimingCache:
    """As ``load_timing_cache``, of the file's bytes."""
    with collector_paused():
        if data.startswith(TIMING_CACHE_MAGIC):
            return _CacheReader(data, where).cache()
        if is_record(data):
            return read_record(data, where)
    signature = signature_of(data)
    what = f"this is {signature.description}, not" if signature is not None else "this is not"
    raise TrexError(f"{what} a timing cache", "trtexec --timingCacheFile=FILE writes one", where)


def is_cut_off(data: bytes) -> bool:
    """Whether a builder's writing was interrupted: an empty file, a part of a head, or less than a known head says."""
    if not TIMING_CACHE_MAGIC.startswith(data[: len(TIMING_CACHE_MAGIC)]):
        return False
    try:
        _CacheReader(data, "")._head()
    except TrexError as error:
        return error.hint == _CUT_HINT
    return False


def _too_large(size: int, where: str) -> TrexError:
    return TrexError(f"{size:,} bytes are too many for a timing cache", "check that this is the right file", where)


class _CacheReader:
    """Takes one value after the other; every refusal names the byte at which the file differs."""

    def __init__(self, data: bytes, where: str) -> None:
        self.data = data
        self.where = where
        self.at = 0

    def cache(self) -> TimingCache:
        layout, version = self._head()
        device_hash = self._hash()
        build_at = self.at
        build_hash = self._hash()
        if not _BUILD.fullmatch(build_hash):
            raise self._unknown("the build's hash is not 16 hexadecimal digits", build_at)
        native = self._native()
        myelin_version, myelin = self._myelin(*self._bytes())
        compiled, _ = self._bytes()
        if self.at != len(self.data):
            raise self._unknown(f"{len(self.data) - self.at:,} bytes follow the last value")
        header = TimingCacheHeader(layout.words, version, device_hash.hex(), build_hash.decode("ascii"))
        entries = (*native, *myelin)
        compilation_bytes = 0 if compiled == _EMPTY_COMPILATION else len(compiled)
        return TimingCache(header, entries, myelin_version, compilation_bytes, self.where, self._duplicates(entries))

    def _head(self) -> tuple[_Layout, int]:
        layout = _LAYOUTS[self.data[4:8] == bytes(4)]
        values = self._take(layout.head)
        version, size = (values[0], values[1]) if layout is _LAYOUTS[0] else (values[1], values[3])
        zeros = values[2:3] if layout is _LAYOUTS[0] else (values[0], values[2])
        if version not in layout.versions or any(zeros):
            known = " and ".join(map(str, sorted(layout.versions)))
            raise self._unknown(f"stream version {version}, not {known} of {layout.words}", 4)
        if self.at + size > len(self.data):
            missing = self.at + size - len(self.data)
            raise TrexError(f"the timing cache is cut off: {missing:,} bytes are missing", _CUT_HINT, self._address())
        if self.at + size < len(self.data):
            raise self._unknown(f"it says {size:,} bytes, and {len(self.data) - self.at:,} follow")
        return layout, version

    def _hash(self) -> bytes:
        at = self.at
        *tags, value = self._take(_HASH)
        if tuple(tags) != _HASH_TAGS:
            raise self._unknown("there is no hash of 16 characters", at)
        return bytes(value)

    def _native(self) -> list[TimingCacheEntry]:
        at = self.at
        tag, version, count = self._take(_COUNT)
        if (tag, version) != (_U64, _V):
            raise self._unknown("there is no number of native entries", at)
        begin, end = self.at, self.at + count * _ENTRY.size
        if end > len(self.data):
            room = (len(self.data) - begin) // _ENTRY.size
            raise self._unknown(f"it says {count:,} native entries and has room for {room:,}", at)
        self.at = end
        return list(self._entries(begin, end))

    def _entries(self, begin: int, end: int) -> Iterator[TimingCacheEntry]:
        for index, row in enumerate(_ENTRY.iter_unpack(memoryview(self.data)[begin:end])):
            tags = row[0:4], (*row[8:13],), row[14:16], row[17:19], row[20:22], row[23:25], row[26:28], row[29:31]
            if tags != _ENTRY_TAGS or row[16] > 1 or row[22] > 1:
                raise self._unknown("a native entry of another form", begin + index * _ENTRY.size)
            key = "0x%08x%08x%08x%08x" % row[4:8]  # noqa: UP031 (half the time)
            yield TimingCacheEntry(key, row[25], _milliseconds(row[13]), NATIVE, row[19])

    def _bytes(self) -> tuple[bytes, int]:
        """(content, where it begins)."""
        at = self.at
        *tags, count = self._take(_BYTES)
        if tuple(tags[:2]) != (_U64, _V) or tuple(tags[3:]) != (_ARRAY, _BYTE, _V) or tags[2] != count:
            raise self._unknown("there is no array of bytes", at)
        begin, self.at = self.at, self.at + count
        if self.at > len(self.data):
            room = len(self.data) - begin
            raise self._unknown(f"it says {count:,} bytes and has room for {room:,}", at)
        return self.data[begin : self.at], begin

    def _myelin(self, text: bytes, begin: int) -> tuple[str, list[TimingCacheEntry]]:
        """(version, entries); no text: Myelin timed nothing."""
        if not text:
            return "", []
        lines = text.split(b"\n")
        if lines[0] != _MYELIN_FIRST or lines[-1] or len(lines) < 3 or not _MYELIN_VERSION.fullmatch(lines[1]):
            raise self._unknown("Myelin's part begins or ends in another form", begin)
        entries = []
        at = begin + len(lines[0]) + len(lines[1]) + 2
        for line in lines[2:-1]:
            entry = _myelin_entry(line)
            if entry is None:
                raise self._unknown("a line of Myelin's in another form", at, line)
            entries.append(entry)
            at += len(line) + 1
        return lines[1].decode("ascii"), entries

    def _take(self, form: struct.Struct) -> tuple[int, ...]:
        end = self.at + form.size
        if end > len(self.data):
            raise TrexError("the timing cache is cut off", _CUT_HINT, self._address())
        values = form.unpack_from(self.data, self.at)
        self.at = end
        return values

    def _unknown(self, difference: str, at: int | None = None, excerpt: bytes = b"") -> TrexError:
        message = f"{UNKNOWN_LAYOUT}: {difference}"
        return TrexError(message, _HINT, self._address(at), excerpt.decode("utf-8", "replace"))

    def _address(self, at: int | None = None) -> str:
        return f"{self.where}:byte {self.at if at is None else at}".lstrip(":")

    def _duplicates(self, entries: tuple[TimingCacheEntry, ...]) -> tuple[Note, ...]:
        count = len(entries) - len({entry.key for entry in entries})
        if not count:
            return ()
        message = f"{count} of {len(entries)} entries repeat a key; the last one of each is used"
        return (Note("timing-cache-keys-repeat", message, "let the builder write the cache again", self.where),)


def _myelin_entry(line: bytes) -> TimingCacheEntry | None:
    match = _MYELIN_LINE.fullmatch(line)
    if match is None:
        return None
    k0, k1, k2, k3, tactic = map(int, match.groups()[:5])
    if max(k0, k1, k2, k3) >= _U32_END or tactic >= _U64_END:
        return None
    return TimingCacheEntry(f"0x{k0:08x}{k1:08x}{k2:08x}{k3:08x}", tactic, _milliseconds(float(match[6])), MYELIN)


def _milliseconds(value: float) -> float | None:
    """None for what is no time: not a number, negative, or days."""
    return value if math.isfinite(value) and 0.0 <= value < _LONGEST_MS else None
