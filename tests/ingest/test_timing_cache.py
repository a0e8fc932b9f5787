"""Timing caches: both layouts, the two that NVIDIA publishes fingerprints of, and what is refused."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from random import Random

import pytest

from tests.timing_caches import (
    BUILD_HASH,
    CACHES,
    DEVICE_HASH,
    LAYOUTS,
    PUBLISHED,
    cache_bytes,
    made_entries,
)
from trex.builder.timing_cache_merge import merge_caches
from trex.core.errors import TrexError
from trex.core.timing_cache import MYELIN, NATIVE, TimingCache
from trex.ingest.finding.file_kind import Kind, recognize
from trex.ingest.timing_cache import UNKNOWN_LAYOUT, is_cut_off, load_timing_cache, read_timing_cache
from trex.ingest.timing_cache_record import read_record, record_text

ENTRIES = made_entries()
real = pytest.mark.skipif(not CACHES.is_dir(), reason="the real caches are not next to the repository")


@real
@pytest.mark.parametrize("name", PUBLISHED)
def test_real_caches_have_the_fingerprints_that_nvidia_publishes(name: str) -> None:
    cache = load_timing_cache(CACHES / name)
    assert cache.fingerprint() == PUBLISHED[name]
    kinds = [entry.kind for entry in cache.entries]
    expected = (103, 173) if "core" in name else (0, 145)
    assert (kinds.count(NATIVE), kinds.count(MYELIN)) == expected
    assert all(entry.time_ms is not None and 0 <= entry.time_ms < 10 for entry in cache.entries)
    assert (cache.header.stream_version, cache.myelin_version, cache.compilation_bytes) == (240, "5150", 0)
    assert recognize((CACHES / name).read_bytes()) is Kind.TIMING_CACHE


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_was_written_is_read(layout: str) -> None:
    data = cache_bytes(ENTRIES, layout, compilation=b"kernels")
    cache = read_timing_cache(data, "x.cache")
    assert cache.entries == ENTRIES
    assert (cache.header.device_hash, cache.header.build_hash) == (DEVICE_HASH.hex(), BUILD_HASH.decode())
    assert (cache.header.stream_version, cache.compilation_bytes) == ({"10": 240, "8.6": 239}[layout], 7)
    assert recognize(data) is Kind.TIMING_CACHE


def test_a_cache_without_entries() -> None:
    assert read_timing_cache(cache_bytes(())).entries == ()


def test_a_key_twice_is_noted() -> None:
    cache = read_timing_cache(cache_bytes((*ENTRIES, ENTRIES[0])))
    assert [note.code for note in cache.notes] == ["timing-cache-keys-repeat"]
    assert len(cache.tactics) == len(ENTRIES)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_byte_too_few_or_too_many_is_refused(layout: str) -> None:
    data = cache_bytes(ENTRIES, layout)
    for length in range(1, len(data)):
        with pytest.raises(TrexError) as error:
            read_timing_cache(data[:length], "x.cache")
        assert error.value.hint and error.value.where.startswith("x.cache")
    with pytest.raises(TrexError, match="layout trex does not know"):
        read_timing_cache(data + b"\n", "x.cache")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_only_what_ends_too_early_is_cut_off(layout: str) -> None:
    whole, newer = cache_bytes(made_entries(), layout), cache_bytes(made_entries(), layout, version=250)
    assert all(is_cut_off(whole[:size]) for size in range(len(whole)))
    assert not any(map(is_cut_off, (whole, whole + b"x", newer, newer[:-1], b"not a cache")))


def test_every_changed_byte_is_refused_or_changes_one_value() -> None:
    """A byte of the structure refuses the file; any other changes one value and nothing else."""
    data = cache_bytes(ENTRIES)
    original = read_timing_cache(data)
    random = Random(1)
    refused = 0
    for index in range(4, len(data)):
        changed = bytearray(data)
        changed[index] ^= 1 << random.randrange(8)
        try:
            cache = read_timing_cache(bytes(changed))
        except TrexError as error:
            refused += 1
            assert error.hint
            continue
        different = [new for new, old in zip(cache.entries, original.entries, strict=True) if repr(new) != repr(old)]
        assert len(different) <= 1
    assert refused > len(data) // 3


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (cache_bytes(ENTRIES, version=241), "stream version 241, not 239 and 240"),
        (cache_bytes(ENTRIES, "8.6", version=240), "stream version 240, not 236 and 239"),
        (cache_bytes(ENTRIES, build_hash=b"0123456789abcdeg"), "build's hash"),
        (cache_bytes(ENTRIES, myelin_version=""), "Myelin's part"),
        (cache_bytes(ENTRIES).replace(b" 0 1 147", b" 0 x 147", 1), "a line of Myelin's"),
        (cache_bytes(ENTRIES).replace(struct.pack("<HHQ", 0x8008, 1, 5), struct.pack("<HHQ", 0x8008, 1, 2**60), 1),
         "it says 1,152,921,504,606,846,976 native entries and has room for"),
    ],
    ids=["version", "old version", "build hash", "Myelin's version", "Myelin's line", "absurd count"],
)  # fmt: skip
def test_another_layout_is_named_with_its_address(data: bytes, words: str) -> None:
    with pytest.raises(TrexError) as error:
        read_timing_cache(data, "x.cache")
    assert error.value.message.startswith(f"{UNKNOWN_LAYOUT}: ") and words in error.value.message
    assert error.value.where.startswith("x.cache:byte ") and "--record-tactics" in error.value.hint


@pytest.mark.parametrize("data", [b"ftrt" + bytes(40), b"{}", b"text\n", b"PK\x03\x04", b"ptr"])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(TrexError, match="not a timing cache"):
        read_timing_cache(data, "x")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_record_holds_the_cache(layout: str) -> None:
    cache = read_timing_cache(cache_bytes(ENTRIES, layout))
    text = record_text(cache)
    again = read_record(text.encode())
    assert recognize(text.encode()) is Kind.TACTICS
    assert again.header == cache.header and again.compilation_bytes == 0 and again.notes == ()
    assert again.tactics == cache.tactics and again.fingerprint() == cache.fingerprint()
    assert sorted(entry.key for entry in again.entries) == [entry.key for entry in again.entries]
    assert record_text(again) == text and record_text(_shuffled(cache)) == text
    assert len(text.splitlines()) == len(ENTRIES) + len(json.loads(text)) + 3, "one operation per line"


def _shuffled(cache: TimingCache) -> TimingCache:
    return TimingCache(cache.header, cache.entries[::-1], compilation_bytes=0)


def test_an_edited_record_says_so(tmp_path: Path) -> None:
    text = record_text(read_timing_cache(cache_bytes(ENTRIES)))
    file = tmp_path / "x.json"
    tactic = f'"0x{ENTRIES[0].tactic:016x}"'
    file.write_text(text.replace(tactic, '"0x0000000000000007"'), encoding="utf-8")
    edited = load_timing_cache(file)
    assert [note.code for note in edited.notes] == ["tactics-edited"]
    file.write_text(record_text(edited), encoding="utf-8")  # a copy is as good
    assert load_timing_cache(file).is_edited
    merged = merge_caches(edited, read_timing_cache(cache_bytes(ENTRIES))).cache
    file.write_text(record_text(merged), encoding="utf-8")
    assert load_timing_cache(file).is_edited
    file.write_text("".join(line for line in text.splitlines(True) if "fingerprint" not in line), encoding="utf-8")
    assert "no fingerprint" in load_timing_cache(file).notes[0].message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"schema": "trex.tactics/1"}', "no tactics"),
        ('{"schema": "trex.tactics/1", "tactics": {"0x1": {"tactic": "0x1"}}}', "a key is not"),
        ('{"schema": "trex.tactics/1", "tactics": {"0x%s": {"tactic": 1}}}' % ("0" * 32), "a tactic is not"),
        ('{"schema": "trex.tactics/1", "tactics": {\n<<<<<<< HEAD\n', "conflict markers"),
        ('{"schema": "trex.tactics/2", "tactics": {}, "x": "trex.tactics/1"}', "schema is 'trex.tactics/2'"),
        ('{"schema": "trex.cache/1", "sections": []}', "no tactics"),
        ('{"schema": "trex.cache/1", "sections": {}}', "no tactics"),
    ],
)
def test_damaged_records_are_refused(text: str, words: str) -> None:
    with pytest.raises(TrexError, match=words) as error:
        read_timing_cache(text.encode(), "x.json")
    assert error.value.hint and error.value.where.startswith("x.json")


def test_a_record_with_one_operation_twice_is_refused() -> None:
    row = f'"0x{"a" * 32}": {{"tactic": "0x1", "time_ms": 1.0}}'
    assert len(read_record(f'{{"schema": "trex.tactics/1", "tactics": {{{row}}}}}'.encode()).by_key) == 1
    with pytest.raises(TrexError, match="an operation twice"):
        read_record(f'{{"schema": "trex.tactics/1", "tactics": {{{row}, {row.replace("0x1", "0x2")}}}}}'.encode())
