"""``trex.read_timing_cache``: timing caches in Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import trex
from tests.timing_caches import cache_bytes, keyed_log, made_entries, retimed

ENTRIES = made_entries()


def test_a_cache_is_a_frame_and_a_document(tmp_path: Path) -> None:
    base, new = tmp_path / "base.cache", tmp_path / "new.cache"
    base.write_bytes(cache_bytes(ENTRIES))
    new.write_bytes(cache_bytes((replace(ENTRIES[0], tactic=7), *retimed(ENTRIES[1:], 1.1))))
    cache, other = trex.read_timing_cache(base), trex.read_timing_cache(new)
    assert len(cache.df) == len(ENTRIES) and cache.df is cache.df and cache.fingerprint != other.fingerprint
    assert "9 tactics" in str(cache) and "<table" in cache._repr_html_()
    (tmp_path / "build.log").write_text(keyed_log(ENTRIES[5:]))
    named = trex.read_timing_cache(base, tmp_path / "build.log")
    assert named.df["operation"].tolist() == [*[""] * 5, "matMul0", "matMul1", "matMul2", "matMul3"]
    diff = cache.diff(other)
    assert len(diff.changes) == 1 and diff.changes[0].is_tie and "1 changed, 1 tie" in repr(diff)
    assert repr(other.verify(cache)).endswith("differs)") and repr(cache.verify(cache)).endswith("same)")
    plan = trex.load_example("transformer-fp16")
    assert repr(cache.verify(plan)).endswith("inconclusive)") and cache.layers(plan)["entries"].isna().all()
    with pytest.raises(trex.TrexError, match="not a timing cache"):
        trex.read_timing_cache(__file__)
