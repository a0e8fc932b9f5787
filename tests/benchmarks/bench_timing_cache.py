"""How fast: reading a timing cache of 2 MB.

Run ``python -m tests.benchmarks --only caches`` (seconds).

How it measures
    A cache is made by us (``tests/timing_caches``), half native and half Myelin by bytes; another repeats the entries
    of a real one, each under a new key, where the real caches are next to the repository. The whole file is read from
    bytes to ``TimingCache`` in this process; the fingerprint is apart.

Targets
    0.3 s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from time import perf_counter

from tests.benchmarks.table import Line, Part
from tests.timing_caches import CACHES, PUBLISHED, cache_bytes, made_entries
from trex.core.timing_cache import TimingCacheEntry
from trex.ingest.timing_cache import load_timing_cache, read_timing_cache

SIZE_MB, TARGET_S = 2.0, 0.3
_ENTRY_BYTES = 104


def parts(size_mb: float, repeats: int) -> list[Part]:
    """What is measured, in order."""
    return [("caches", partial(reading, size_mb, repeats))]


def reading(size_mb: float, repeats: int) -> Iterator[Line]:
    each = int(size_mb * 1e6 / 2 / _ENTRY_BYTES)
    yield from _measured("made", made_entries(each, each), repeats)
    path = CACHES / next(iter(PUBLISHED))
    if path.is_file():
        entries = load_timing_cache(path).entries
        times = int(size_mb * 1e6 / path.stat().st_size) + 1
        random = Random(1)
        repeated = [replace(entry, key=f"0x{random.getrandbits(128):032x}") for _ in range(times) for entry in entries]
        yield from _measured("real, replicated", repeated, repeats)


def _measured(what: str, entries: Sequence[TimingCacheEntry], repeats: int) -> Iterator[Line]:
    data = cache_bytes(entries)
    samples, prints = [], []
    for _ in range(repeats):
        start = perf_counter()
        cache = read_timing_cache(data)
        samples.append(perf_counter() - start)
        start = perf_counter()
        cache.fingerprint()
        prints.append(perf_counter() - start)
    target = TARGET_S if len(data) >= SIZE_MB * 0.9e6 else None
    aside = f"{len(cache.entries):,} entries, {len(data) / 1e6:.1f} MB"
    yield Line(f"read a timing cache, {what}", min(samples), "s", target, aside, tuple(samples))
    yield Line("  fingerprint", min(prints), "s", None, "", tuple(prints))
