"""Two caches: what changed, what was a tie, what is of another machine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.timing_caches import cache_bytes, made_entries, retimed
from trex.builder.timing_cache_diff import TimingCacheDiff, other_origin, unknown_origin
from trex.builder.timing_cache_merge import merge_caches
from trex.core.errors import TrexError
from trex.core.timing_cache import TimingCache, TimingCacheEntry, TimingCacheHeader
from trex.ingest.timing_cache import read_timing_cache

ENTRIES = made_entries()
BASE = read_timing_cache(cache_bytes(ENTRIES), "base.cache")


def changed(*entries: TimingCacheEntry) -> TimingCache:
    return replace(BASE, entries=entries, source="new.cache")


def test_times_alone_are_no_difference() -> None:
    diff = TimingCacheDiff(BASE, changed(*retimed(ENTRIES, 1.3)))
    assert diff.is_same and not diff.changes and len(diff.common) == len(ENTRIES)


def test_a_change_has_both_times_and_the_largest_comes_first() -> None:
    first, second, third = ENTRIES[:3]
    assert first.time_ms and second.time_ms
    new = changed(
        replace(first, tactic=first.tactic ^ 1, time_ms=first.time_ms * 1.015),
        replace(second, tactic=second.tactic ^ 1, time_ms=second.time_ms / 1.5),
        replace(third, tactic=third.tactic ^ 1, time_ms=0.0),
        *ENTRIES[4:],
    )
    diff = TimingCacheDiff(BASE, new)
    assert [change.base.key for change in diff.changes] == [second.key, first.key, third.key]
    assert [change.is_tie for change in diff.changes] == [False, True, False]
    assert diff.changes[0].difference == pytest.approx(0.5) and diff.changes[2].difference is None
    assert (diff.ties, diff.only_base, diff.only_new) == (1, (ENTRIES[3],), ()) and not diff.is_same
    reverse = TimingCacheDiff(new, BASE)
    assert reverse.ties == 1 and reverse.only_new == (ENTRIES[3],)


def test_hashes_decide_the_origin_and_names_where_there_are_none() -> None:
    header = BASE.header
    named = TimingCacheHeader(device="NVIDIA L4", release="10.15.1")
    assert other_origin(header, header) == unknown_origin(header, header) == ()
    assert other_origin(header, replace(header, device_hash="0" * 32)) == ("device",)
    assert other_origin(named, replace(named, release="10.16.1")) == ("build of TensorRT",)
    assert unknown_origin(header, named) == ("device", "build of TensorRT")


def test_a_merge_keeps_the_first_and_names_conflicts() -> None:
    other = replace(ENTRIES[0], tactic=7)
    merged = merge_caches(changed(*ENTRIES[:4]), changed(other, *ENTRIES[4:]))
    assert merged.cache.by_key == {**BASE.by_key, ENTRIES[0].key: ENTRIES[0]}
    assert [(conflict.base, conflict.new) for conflict in merged.conflicts] == [(ENTRIES[0], other)]
    assert merged.cache.header == BASE.header and (merged.from_base, merged.from_new) == (4, len(ENTRIES) - 4)


@pytest.mark.parametrize(
    "header", [replace(BASE.header, build_hash="f" * 16), TimingCacheHeader(device="NVIDIA L4")], ids=["other", "none"]
)
def test_a_merge_of_two_origins_is_refused_unless_forced(header: TimingCacheHeader) -> None:
    other = replace(BASE, header=header)
    with pytest.raises(TrexError) as error:
        merge_caches(BASE, other)
    assert "--force" in error.value.hint
    merged = merge_caches(BASE, other, is_forced=True)
    assert merged.cache.header.build_hash == ("" if header.build_hash else BASE.header.build_hash)
