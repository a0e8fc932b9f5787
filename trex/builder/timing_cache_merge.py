"""Two TimingCaches → one record of the tactics of both, with the operations on which they disagree."""

from __future__ import annotations

from dataclasses import dataclass, replace

from trex.builder.timing_cache_diff import TacticChange, TimingCacheDiff, other_origin, unknown_origin
from trex.core.errors import TrexError
from trex.core.timing_cache import TimingCache, TimingCacheHeader


@dataclass(frozen=True, slots=True)
class MergedTactics:
    """cache: sorted by key; where both have an operation the first's tactic is kept. conflicts: where they disagree."""

    cache: TimingCache
    conflicts: tuple[TacticChange, ...]
    from_base: int
    from_new: int


def merge_caches(base: TimingCache, new: TimingCache, is_forced: bool = False) -> MergedTactics:
    """Raises TrexError for caches of two devices or builds of TensorRT, or that do not say so, unless forced."""
    if not is_forced:
        _check_origin(base, new)
    diff = TimingCacheDiff(base, new)
    entries = {**new.by_key, **base.by_key}
    cache = TimingCache(
        _merged_header(base.header, new.header),
        tuple(entries[key] for key in sorted(entries)),
        source=base.source,
        notes=(*base.notes, *new.notes),
        stated=base.stated or new.stated,
    )
    return MergedTactics(cache, diff.changes, len(base.by_key), len(diff.only_new))


def _check_origin(base: TimingCache, new: TimingCache) -> None:
    hint = "a tactic of one means nothing on the other; --force merges them all the same"
    if differing := other_origin(base.header, new.header):
        raise TrexError(f"the two are of another {' and another '.join(differing)}", hint, new.source)
    if unknown := unknown_origin(base.header, new.header):
        hint = "--force merges them all the same"
        raise TrexError(f"can't tell whether the two are of the same {' and '.join(unknown)}", hint, new.source)


def _merged_header(base: TimingCacheHeader, new: TimingCacheHeader) -> TimingCacheHeader:
    """What both agree on; what only one says is taken from it."""
    values = {
        name: (getattr(base, name) or getattr(new, name))
        for name in ("layout", "stream_version", "device_hash", "build_hash", "device", "release")
        if getattr(base, name) == getattr(new, name) or not (getattr(base, name) and getattr(new, name))
    }
    return replace(TimingCacheHeader(), **values)
