"""Two TimingCaches → TimingCacheDiff: which operations have another tactic, and whether it was a tie."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import median

from trex.builder.ties import TIE
from trex.core.timing_cache import TimingCache, TimingCacheEntry, TimingCacheHeader


@dataclass(frozen=True, slots=True)
class TacticChange:
    """One operation with another tactic in the new cache."""

    base: TimingCacheEntry
    new: TimingCacheEntry

    @property
    def difference(self) -> float | None:
        """How much the times differ, as a share of the shorter; None where one is unknown or no time at all."""
        base, new = self.base.time_ms, self.new.time_ms
        if base is None or new is None or not min(base, new):
            return None
        return max(base, new) / min(base, new) - 1.0

    @property
    def is_tie(self) -> bool:
        return self.difference is not None and self.difference <= TIE


@dataclass(frozen=True)
class TimingCacheDiff:
    base: TimingCache
    new: TimingCache

    @cached_property
    def common(self) -> tuple[str, ...]:
        """Keys of both, sorted."""
        return tuple(sorted(self.base.by_key.keys() & self.new.by_key.keys()))

    @cached_property
    def changes(self) -> tuple[TacticChange, ...]:
        """The largest difference first; those of unknown times last."""
        pairs = (TacticChange(self.base.by_key[key], self.new.by_key[key]) for key in self.common)
        changed = [pair for pair in pairs if pair.base.tactic != pair.new.tactic]
        return tuple(sorted(changed, key=lambda change: (change.difference is None, -(change.difference or 0.0))))

    @property
    def ties(self) -> int:
        return sum(change.is_tie for change in self.changes)

    @property
    def time_ratio(self) -> float | None:
        """Median of new over base time, of the operations whose tactic is the same; None without any."""
        pairs = ((self.base.by_key[key], self.new.by_key[key]) for key in self.common)
        ratios = [
            new.time_ms / base.time_ms
            for base, new in pairs
            if base.tactic == new.tactic and base.time_ms and new.time_ms
        ]
        return median(ratios) if ratios else None

    @property
    def only_base(self) -> tuple[TimingCacheEntry, ...]:
        return tuple(entry for key, entry in sorted(self.base.by_key.items()) if key not in self.new.by_key)

    @property
    def only_new(self) -> tuple[TimingCacheEntry, ...]:
        return tuple(entry for key, entry in sorted(self.new.by_key.items()) if key not in self.base.by_key)

    @property
    def is_same(self) -> bool:
        return self.base.tactics == self.new.tactics


def other_origin(base: TimingCacheHeader, new: TimingCacheHeader) -> tuple[str, ...]:
    """What two caches differ in that must be the same for their tactics to mean the same: ``device``, ``build``.

    Hashes decide where both have them, else names.
    """
    pairs = {
        "device": ((base.device_hash, new.device_hash), (base.device, new.device)),
        "build of TensorRT": ((base.build_hash, new.build_hash), (base.release, new.release)),
    }
    known = {what: next((pair for pair in names if all(pair)), None) for what, names in pairs.items()}
    return tuple(what for what, pair in known.items() if pair is not None and pair[0] != pair[1])


def unknown_origin(base: TimingCacheHeader, new: TimingCacheHeader) -> tuple[str, ...]:
    """What the two do not say, so that they may differ in it."""
    device = (base.device_hash and new.device_hash) or (base.device and new.device)
    build = (base.build_hash and new.build_hash) or (base.release and new.release)
    return tuple(what for what, known in (("device", device), ("build of TensorRT", build)) if not known)
